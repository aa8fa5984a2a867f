import type { Mode } from "../../declare/operation.ts";
import type { Db, Tables } from "../../storage/tables.ts";

export interface TimeLineParts {
  responses: readonly ClientResponse[];
  adjustments: readonly Pick<Tables["adjustment"], "at" | "kobo" | "reason">[];
  entries: readonly { occurred_at: number; kind: string; actor: string; facts: string }[];
  events: readonly { at: number; type: string; id: string; deliveries: readonly EventDelivery[] }[];
}

/** A response to a caller. `at`: milliseconds since 1970. */
export interface ClientResponse {
  at: number;
  status: number;
  code: string | null;
}

/** The delivery of an event to an endpoint. */
export interface EventDelivery {
  endpoint: string;
  state: string;
  triedAt: number | null;
}

/** A verification whose story is wanted: its reference, account id and mode, and the ids of its requests. */
export interface AskedStory {
  reference: string;
  accountId: string;
  mode: Mode;
  requestIds: readonly string[];
}

/**
 * Further events for the time line of a verification, oldest first. `entries`: its newest 100 audit entries.
 * `responses`: the responses to its API clients. `events`: the events about the verification, with their deliveries.
 */
export type Story = Pick<TimeLineParts, "entries" | "responses" | "events">;

/** Returns one part of a verification's story. */
export type TellStory = (db: Db, asked: AskedStory) => Promise<Partial<Story>>;

/** The function by which commands show the events of a verification. */
export interface WithStory {
  storyOf(asked: AskedStory): Promise<Story>;
}

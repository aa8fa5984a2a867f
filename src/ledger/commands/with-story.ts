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

/** Who asked for a verification, and in which requests. */
export interface AskedStory {
  reference: string;
  accountId: string;
  mode: Mode;
  requestIds: readonly string[];
}

/**
 * What others know of a verification, oldest first. `entries`: the newest 100 of the audit trail; `responses`: what its
 * callers got; `events`: those about it, with their deliveries.
 */
export type Story = Pick<TimeLineParts, "entries" | "responses" | "events">;

/** Tells what one part of the product knows of a verification. */
export type TellStory = (db: Db, asked: AskedStory) => Promise<Partial<Story>>;

/** What commands need from others to show what happened to a verification. */
export interface WithStory {
  storyOf(asked: AskedStory): Promise<Story>;
}

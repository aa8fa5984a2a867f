import type { Mode } from "../../declare/operation.ts";
import type { Db } from "../../storage/tables.ts";
import type { TimeLineParts } from "../reports/time-line.ts";

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

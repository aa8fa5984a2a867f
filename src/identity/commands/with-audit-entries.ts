import type { Mode } from "../../operation/operation.ts";
import type { TimeLineParts } from "../ledger/reports/time-line.ts";

/** What commands need from other rooms to show what happened to a verification. */
export interface WithAuditEntries {
  /** The newest 100 entries that mention a verification, oldest first. `occurred_at`: milliseconds since 1970; `facts`: JSON. */
  auditEntries(reference: string): Promise<{ occurred_at: number; kind: string; actor: string; facts: string }[]>;
  /** What the callers of these requests got about the verification, from the request log, oldest first. */
  responsesAbout(
    caller: { accountId: string; mode: Mode },
    asked: { reference: string; requestIds: readonly string[] },
  ): Promise<TimeLineParts["responses"]>;
  /** The events about the verification with their deliveries, oldest first. */
  eventsAbout(reference: string): Promise<TimeLineParts["events"]>;
}

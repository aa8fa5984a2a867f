import type { Mode } from "../../operation/operation.ts";
import type { TimeLineParts } from "../ledger/reports/time-line.ts";

/** What a verification needs of other rooms to say what happened to it. */
export interface WithAuditEntries {
  /** The newest 100 entries that mention a verification, oldest first. `occurredAt`: milliseconds since 1970; `facts`: JSON. */
  auditEntries(reference: string): Promise<{ occurredAt: number; kind: string; actor: string; facts: string }[]>;
  /** What the callers of these requests got about it, as the request log has it, oldest first. */
  responsesAbout(
    caller: { accountId: string; mode: Mode },
    asked: { reference: string; requestIds: readonly string[] },
  ): Promise<TimeLineParts["responses"]>;
  /** The events about it, oldest first, with their deliveries. */
  eventsAbout(reference: string): Promise<TimeLineParts["events"]>;
}

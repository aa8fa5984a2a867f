import type { Kysely } from "kysely";
import type { Tables } from "./tables.ts";

/**
 * Records an event of the audit trail in the transaction of the change itself: they commit together or not at all. An
 * event that may not be recorded, because its kind or a fact is not on the list, throws: that is a programming fault.
 */
export type Audit = (
  trx: Kysely<Tables>,
  event: { kind: string; actor: string; facts: Record<string, string | number | boolean | null> },
) => Promise<void>;

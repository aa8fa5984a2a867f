import type { Kysely } from "kysely";
import type { AuditEvent, Audited } from "../storage/audited.ts";
import type { Tables } from "../storage/tables.ts";

/** A store whose changes are recorded in a list. */
export function recorded(db: Kysely<Tables>, events: AuditEvent[] = []): Audited {
  return { db, audit: async (_, ...more) => void events.push(...more), actor: "test" };
}

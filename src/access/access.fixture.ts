import type { AuditEvent } from "../declare/audit-kind.ts";
import type { Audited } from "../storage/audited.ts";
import type { Db } from "../storage/tables.ts";

/** A store whose changes are recorded in a list. */
export function recorded(db: Db, events: AuditEvent[] = []): Audited {
  return { db, audit: async (_, ...more) => void events.push(...more), actor: "test" };
}

import { auditKind } from "../../declare/audit-kind.ts";

/** The kinds of events about backups in the audit trail. */
export const backupTrail = {
  backedUp: auditKind("store.backed_up", { rows: "number", sha256: "reference" }),
  restored: auditKind("store.restored", { made_at: "time", rows: "number", anchor: "reference" }),
};

import { auditKind } from "../../declare/audit-kind.ts";

/** What the audit trail tells of backups. */
export const backupTrail = {
  backedUp: auditKind("store.backed_up", { rows: "number", sha256: "reference" }),
  restored: auditKind("store.restored", { made_at: "time", rows: "number", anchor: "reference" }),
};

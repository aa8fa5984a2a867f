import { auditKind } from "../declare/audit-kind.ts";

/** The kinds of events about the audit trail itself. */
export const ownTrail = {
  anchored: auditKind("audit.anchored", { batch: "number" }),
  removed: auditKind("audit.removed", { through: "number", batches: "number", entries: "number" }),
};

import { auditKind } from "../declare/audit-kind.ts";

/** What the audit trail tells of the trail itself. */
export const ownTrail = {
  anchored: auditKind("audit.anchored", { batch: "number" }),
  removed: auditKind("audit.removed", { through: "number", batches: "number", entries: "number" }),
};

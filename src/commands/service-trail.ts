import { auditKind } from "../declare/audit-kind.ts";

/** What the audit trail tells of the service. */
export const serviceTrail = {
  serviceStarted: auditKind("service.started", { version: "reference", engine: "reference" }),
  serviceSetting: auditKind("service.setting", { name: "reference", value: "text" }),
};

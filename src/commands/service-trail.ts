import { auditKind } from "../declare/audit-kind.ts";

export const serviceTrail = {
  serviceStarted: auditKind("service.started", { version: "reference", engine: "reference" }),
  serviceSetting: auditKind("service.setting", { name: "reference", value: "text" }),
};

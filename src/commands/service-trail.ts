import { auditKind } from "../declare/audit-kind.ts";

/** What the audit trail tells of the service and its alarms. */
export const serviceTrail = {
  alarmAcknowledged: auditKind("alarm.acknowledged", { alarm: "text", until: "time", note: "text" }),
  serviceStarted: auditKind("service.started", { version: "reference", engine: "reference" }),
  serviceSetting: auditKind("service.setting", { name: "reference", value: "text" }),
};

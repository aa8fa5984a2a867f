import { auditKind } from "../../declare/audit-kind.ts";

/** What the audit trail tells of alarms. */
export const alarmTrail = {
  acknowledged: auditKind("alarm.acknowledged", { alarm: "text", until: "time", note: "text" }),
};

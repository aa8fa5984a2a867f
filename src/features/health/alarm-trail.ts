import { auditKind } from "../../declare/audit-kind.ts";

/** Audit kinds of alarms. */
export const alarmTrail = {
  acknowledged: auditKind("alarm.acknowledged", { alarm: "text", until: "time", note: "text" }),
};

import { auditKind } from "../../declare/audit-kind.ts";

/** The kinds of events about persons' data in the audit trail. */
export const subjectTrail = {
  erased: auditKind("subject.erased", { receipt: "reference", records: "number", verifications: "number" }),
  exported: auditKind("subject.exported", { receipt: "reference", records: "number", verifications: "number" }),
};

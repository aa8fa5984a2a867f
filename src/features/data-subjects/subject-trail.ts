import { auditKind } from "../../declare/audit-kind.ts";

/** What the audit trail tells of the data of persons. */
export const subjectTrail = {
  erased: auditKind("subject.erased", { receipt: "reference", records: "number", verifications: "number" }),
  exported: auditKind("subject.exported", { receipt: "reference", records: "number", verifications: "number" }),
};

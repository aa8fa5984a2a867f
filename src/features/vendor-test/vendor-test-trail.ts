import { auditKind } from "../../declare/audit-kind.ts";

/** What the audit trail tells of tests of vendors. */
export const vendorTestTrail = {
  vendorTested: auditKind("vendor.tested", {
    vendor: "reference",
    kind: "reference",
    account: "reference",
    request: "reference",
  }),
};

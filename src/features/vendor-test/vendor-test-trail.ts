import { auditKind } from "../../declare/audit-kind.ts";

/** The kinds of events about tests of vendors in the audit trail. */
export const vendorTestTrail = {
  vendorTested: auditKind("vendor.tested", {
    vendor: "reference",
    kind: "reference",
    account: "reference",
    request: "reference",
  }),
};

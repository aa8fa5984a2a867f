import { auditKind } from "../../declare/audit-kind.ts";

/** Audit kinds of the books. */
export const booksTrail = {
  adjusted: auditKind("books.adjusted", {
    reference: "reference",
    adjustment: "reference",
    account: "reference",
    mode: "reference",
    fees: "text",
    reason: "text",
    protection: "text",
  }),
  priced: auditKind("books.priced", {
    vendor: "reference",
    from: "time",
    to: "time",
    prices: "text",
    attempts: "number",
    before: "text",
    after: "text",
  }),
};

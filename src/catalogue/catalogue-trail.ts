import { auditKind } from "../declare/audit-kind.ts";

/** The kinds of events about the catalogue in the audit trail. */
export const catalogueTrail = {
  revised: auditKind("catalogue.revised", {
    revision: "number",
    author: "text",
    source: "text",
    note: "text",
    approved_by: "text",
    protection: "text",
  }),
  held: auditKind("catalogue.held", {
    draft: "number",
    author: "text",
    source: "text",
    note: "text",
    protection: "text",
  }),
  scheduled: auditKind("catalogue.scheduled", {
    draft: "number",
    holds_from: "time",
    author: "text",
    source: "text",
    note: "text",
    approved_by: "text",
    protection: "text",
  }),
  rejected: auditKind("catalogue.rejected", { draft: "number", author: "text", source: "text", note: "text" }),
};

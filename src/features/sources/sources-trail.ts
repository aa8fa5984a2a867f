import { auditKind } from "../../declare/audit-kind.ts";

/** The kinds of events about sources' codes in the audit trail. */
export const sourcesTrail = {
  mapped: auditKind("catalogue.mapped", {
    source: "reference",
    entries: "number",
    list: "reference",
    code: "text",
    own: "text",
  }),
  proposed: auditKind("catalogue.proposed", { source: "reference", proposed: "number", unclear: "number" }),
};

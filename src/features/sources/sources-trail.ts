import { auditKind } from "../../declare/audit-kind.ts";

/** What the audit trail tells of codes of sources. */
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

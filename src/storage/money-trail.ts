import { auditKind } from "../declare/audit-kind.ts";

/** What the audit trail tells of money that waits for a second person. */
export const moneyTrail = {
  requested: auditKind("money.requested", { account: "reference", what: "text", amount: "text", protection: "text" }),
};

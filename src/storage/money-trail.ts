import { auditKind } from "../declare/audit-kind.ts";

/** Audit kinds of money that waits for a second person. */
export const moneyTrail = {
  requested: auditKind("money.requested", { account: "reference", what: "text", amount: "text", protection: "text" }),
};

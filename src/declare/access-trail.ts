import { auditKind } from "./audit-kind.ts";
import { feeName, forEachKind } from "./check-kind.ts";

const fees = forEachKind(feeName, () => "text" as const);

/** What the audit trail tells of accounts, their keys and new passkeys. More rooms than one tell it. */
export const accessTrail = {
  accountCreated: auditKind("account.created", { account: "reference", ...fees, answers: "reference" }),
  /** `reference`: the id of the account, so that its notes are found by the index. */
  accountNoted: auditKind("account.noted", { reference: "reference", note: "text" }),
  accountChanged: auditKind("account.changed", {
    account: "reference",
    changed: "text",
    ...fees,
    answers: "reference",
  }),
  accountTermsChanged: auditKind("account.terms_changed", {
    account: "reference",
    limit_verification: "text",
    limit_in_flight: "number",
    limit_negatives: "text",
    cap_naira: "text",
    cap_count: "number",
    prepaid: "flag",
  }),
  accountToppedUp: auditKind("account.topped_up", {
    account: "reference",
    top_up: "reference",
    amount: "text",
    reason: "text",
    protection: "text",
  }),
  accountSuspended: auditKind("account.suspended", { account: "reference", reason: "text" }),
  accountResumed: auditKind("account.resumed", { account: "reference" }),
  keyCreated: auditKind("key.created", {
    key: "reference",
    account: "reference",
    mode: "reference",
    scopes: "text",
    addresses: "text",
    expires_at: "time",
  }),
  keyChanged: auditKind("key.changed", {
    key: "reference",
    account: "reference",
    changed: "text",
    scopes: "text",
    addresses: "text",
    expires_at: "time",
  }),
  keyRolled: auditKind("key.rolled", {
    key: "reference",
    successor: "reference",
    account: "reference",
    ends_at: "time",
  }),
  keyRevoked: auditKind("key.revoked", { key: "reference", account: "reference" }),
  /** By these two the trail knows whose passkey confirmed something. */
  personRegistered: auditKind("person.registered", { person: "reference", role: "reference", passkey: "reference" }),
  passkeyAdded: auditKind("passkey.added", { person: "reference", name: "text", passkey: "reference" }),
};

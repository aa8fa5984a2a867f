import { auditKind } from "./audit-kind.ts";
import { feeName, forEachKind } from "./check-kind.ts";

const fees = forEachKind(feeName, () => "text" as const);

/** Audit kinds of accounts, keys and new passkeys. Several folders write them. */
export const accessTrail = {
  accountCreated: auditKind("account.created", { account: "reference", ...fees, answers: "reference" }),
  /** `reference` holds the account's id: the index on references then finds an account's notes. */
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
  /** Entries of these two kinds record to whom a passkey belongs. Confirmations are checked against them. */
  personRegistered: auditKind("person.registered", { person: "reference", role: "reference", passkey: "reference" }),
  passkeyAdded: auditKind("passkey.added", { person: "reference", name: "text", passkey: "reference" }),
};

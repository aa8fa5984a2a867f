import { feeName, forEachKind } from "../operation/check-kind.ts";

/**
 * The type of a fact. `reference`: an id, a name from a closed list or a hash. `text`: words of a person, or an amount in
 * naira. `number`: a whole number below a thousand million. `time`: milliseconds since 1970. Any fact may be null.
 */
export type FactType = "reference" | "text" | "number" | "flag" | "time";

/** How a verification stands on the ledger. */
const verificationFacts = {
  reference: "reference",
  account: "reference",
  key: "reference",
  kind: "reference",
  mode: "reference",
  state: "reference",
  upstream: "reference",
  attempts: "number",
  charged: "flag",
  fee: "text",
} as const;

const fees = forEachKind(feeName, () => "text" as const);

/**
 * Every kind of event on the audit trail, with the names and types of its facts. `protection`: by which settings it was decided whether the
 * change waits for somebody.
 */
export const kinds: Readonly<Record<string, Readonly<Record<string, FactType>>>> = {
  "account.created": { account: "reference", ...fees, answers: "reference" },
  /** `reference`: the id of the account, so that its notes are found by the index. */
  "account.noted": { reference: "reference", note: "text" },
  "account.changed": { account: "reference", changed: "text", ...fees, answers: "reference" },
  "account.terms_changed": {
    account: "reference",
    limit_verification: "text",
    limit_in_flight: "number",
    limit_negatives: "text",
    cap_naira: "text",
    cap_count: "number",
    prepaid: "flag",
  },
  "account.topped_up": {
    account: "reference",
    top_up: "reference",
    amount: "text",
    reason: "text",
    protection: "text",
  },
  "account.suspended": { account: "reference", reason: "text" },
  "account.resumed": { account: "reference" },
  "key.created": {
    key: "reference",
    account: "reference",
    mode: "reference",
    scopes: "text",
    addresses: "text",
    expires_at: "time",
  },
  "key.changed": {
    key: "reference",
    account: "reference",
    changed: "text",
    scopes: "text",
    addresses: "text",
    expires_at: "time",
  },
  "key.rolled": { key: "reference", successor: "reference", account: "reference", ends_at: "time" },
  "key.revoked": { key: "reference", account: "reference" },
  ...Object.fromEntries(
    ["ended", "charged", "reversed"].map((name) => [`verification.${name}`, verificationFacts] as const),
  ),
  "verification.attempted": {
    reference: "reference",
    account: "reference",
    key: "reference",
    kind: "reference",
    mode: "reference",
    upstream: "reference",
    attempt: "number",
    state: "reference",
    reason: "reference",
  },
  "verification.settled": { reference: "reference", state: "reference", reason: "text" },
  "attempt.settled": { reference: "reference", attempt: "number", state: "reference", reason: "text" },
  "verification.noted": { reference: "reference", note: "text" },
  "books.adjusted": {
    reference: "reference",
    adjustment: "reference",
    account: "reference",
    mode: "reference",
    fees: "text",
    reason: "text",
    protection: "text",
  },
  "money.requested": { account: "reference", what: "text", amount: "text", protection: "text" },
  "books.priced": {
    ...{ vendor: "reference", from: "time", to: "time", prices: "text" },
    ...{ attempts: "number", before: "text", after: "text" },
  },
  "books.rebuilt": { sums: "number" },
  "vendor.tested": { vendor: "reference", kind: "reference", account: "reference", request: "reference" },
  "protection.loosened": { process: "reference", before: "text", after: "text" },
  "route.paused": { vendor: "reference", kind: "reference", why: "reference", until: "time" },
  "route.resumed": { vendor: "reference", kind: "reference" },
  "route.ordered": { kind: "reference", order: "text", before: "text", why: "text" },
  "subject.erased": { receipt: "reference", records: "number", verifications: "number" },
  "subject.exported": { receipt: "reference", records: "number", verifications: "number" },
  "keyring.rotated": { keys: "text" },
  "keyring.rewrapped": { key: "reference", records: "number" },
  "keyring.retired": { key: "reference" },
  "store.migrated": { migrations: "number" },
  "store.backed_up": { rows: "number", sha256: "reference" },
  "store.restored": { made_at: "time", rows: "number", anchor: "reference" },
  "clock.accepted": { time: "time", known_until: "time" },
  "retention.swept": { records: "number", keys: "number", verifications: "number" },
  "catalogue.revised": {
    revision: "number",
    author: "text",
    source: "text",
    note: "text",
    approved_by: "text",
    protection: "text",
  },
  "catalogue.held": { draft: "number", author: "text", source: "text", note: "text", protection: "text" },
  "catalogue.scheduled": {
    draft: "number",
    holds_from: "time",
    author: "text",
    source: "text",
    note: "text",
    approved_by: "text",
    protection: "text",
  },
  "catalogue.rejected": { draft: "number", author: "text", source: "text", note: "text" },
  "catalogue.mapped": { source: "reference", entries: "number", list: "reference", code: "text", own: "text" },
  "catalogue.proposed": { source: "reference", proposed: "number", unclear: "number" },
  "endpoint.added": { endpoint: "reference", account: "reference", mode: "reference", host: "text", types: "text" },
  "endpoint.rolled": {
    endpoint: "reference",
    account: "reference",
    mode: "reference",
    host: "text",
    ends_at: "time",
  },
  "endpoint.off": { endpoint: "reference", account: "reference", mode: "reference", host: "text" },
  "endpoint.removed": { endpoint: "reference", account: "reference", mode: "reference", host: "text" },
  "events.resent": { endpoint: "reference", events: "number" },
  "person.invited": { person: "reference", email: "text", role: "reference" },
  "person.registered": { person: "reference", role: "reference", passkey: "reference" },
  "passkey.added": { person: "reference", name: "text", passkey: "reference" },
  "passkey.removed": { person: "reference", name: "text", passkey: "reference" },
  "session.ended": { person: "reference", sessions: "number" },
  "person.changed": {
    person: "reference",
    changed: "text",
    role: "reference",
    former_email: "text",
    email: "text",
  },
  "person.removed": { person: "reference", email: "text" },
  "console.signed_in": { person: "reference" },
  "console.signed_out": { person: "reference" },
  "console.refused": { person: "reference", reason: "reference", command: "reference" },
  "alarm.acknowledged": { alarm: "text", until: "time", note: "text" },
  "audit.anchored": { batch: "number" },
  "catalogue.swept": { revisions: "number", drafts: "number" },
  "audit.removed": { through: "number", batches: "number", entries: "number" },
  "service.started": { version: "reference", engine: "reference" },
  "service.setting": { name: "reference", value: "text" },
};

/** Whether entries of this kind say by which settings it was decided whether a change waits. */
export function namesProtection(kind: string): boolean {
  return Object.hasOwn(kinds[kind] ?? {}, "protection");
}

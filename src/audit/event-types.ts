/**
 * The type of a fact. `reference`: an id, a name from a closed list or a hash. `text`: words of a person, or an amount in
 * naira. `number`: a whole number below a thousand million. `time`: milliseconds since 1970. Any fact may be null.
 */
export type FactType = "reference" | "text" | "number" | "flag" | "time";

/** Every kind of event on the audit trail, with the names and types of its facts. */
export const kinds: Readonly<Record<string, Readonly<Record<string, FactType>>>> = {
  "account.created": { account: "reference", bvn_fee: "text", nin_fee: "text", answers: "reference" },
  "account.changed": { account: "reference", changed: "text", bvn_fee: "text", nin_fee: "text", answers: "reference" },
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
  "key.rolled": { key: "reference", successor: "reference", account: "reference", ends_at: "time" },
  "key.revoked": { key: "reference", account: "reference" },
  "verification.ended": {
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
  },
  "books.adjusted": {
    reference: "reference",
    adjustment: "reference",
    account: "reference",
    mode: "reference",
    fees: "text",
    reason: "text",
  },
  "subject.erased": { receipt: "reference", records: "number", verifications: "number" },
  "subject.exported": { receipt: "reference", records: "number", verifications: "number" },
  "keyring.rotated": { keys: "text" },
  "keyring.rewrapped": { key: "reference", records: "number" },
  "keyring.retired": { key: "reference" },
  "store.backed_up": { rows: "number", sha256: "reference" },
  "store.restored": { made_at: "time", rows: "number", anchor: "reference" },
  "retention.swept": { records: "number", keys: "number", verifications: "number" },
  "catalogue.revised": {
    revision: "number",
    author: "text",
    source: "text",
    note: "text",
    approved_by: "text",
  },
  "catalogue.held": { draft: "number", author: "text", source: "text", note: "text" },
  "catalogue.scheduled": {
    draft: "number",
    holds_from: "time",
    author: "text",
    source: "text",
    note: "text",
    approved_by: "text",
  },
  "catalogue.rejected": { draft: "number", author: "text", source: "text", note: "text" },
  "audit.anchored": { batch: "number" },
  "catalogue.swept": { revisions: "number", drafts: "number" },
  "audit.removed": { through: "number", batches: "number", entries: "number" },
  "service.started": { version: "reference", engine: "reference" },
  "service.setting": { name: "reference", value: "text" },
};

import type { ColumnKind } from "./columns.ts";

/** The tables of the first version with their columns, in an order that foreign keys allow. Times are milliseconds since 1970, money is whole kobo. */
export const baselineTables = {
  /** One row with the hash of the tables with which this store was made. */
  baseline: { hash: "text key" },

  /** Single values that need no table of their own, such as the time of the last backup. */
  fact: { name: "text key", value: "text", created_at: "bigint" },

  account: {
    id: "text key",
    name: "text",
    email: "text",
    created_at: "bigint",
    suspended_at: "bigint?",
    /** JSON: the account's own fees in kobo by kind of verification. */
    fees: "text",
    answers: "text",
    /** JSON: the account's own limits and caps, and whether it is prepaid. */
    terms: "text",
  },

  api_key: {
    id: "text key",
    account_id: "text",
    mode: "text",
    label: "text",
    /** JSON. */
    scopes: "text",
    /** JSON. */
    addresses: "text",
    secret_hash: "text",
    bootstrap: "flag",
    created_at: "bigint",
    expires_at: "bigint?",
    revoked_at: "bigint?",
  },

  /** The last use of a key, to within a minute. */
  key_use: { key_id: "text key", used_at: "bigint", address: "text" },

  access_token: { secret_hash: "text key", key_id: "text", created_at: "bigint", expires_at: "bigint" },

  /** The lists of a revision. A revision without a row has the lists of the revision before it. */
  catalogue_document: {
    revision: "integer key",
    /**
     * Compressed, in base64: the groups, the time of the last change of each, and their entries. See
     * `document-text.ts`.
     */
    content: "text",
  },

  /** Prices for an account or a group from a revision on. */
  catalogue_price_list: {
    /** The account's id, or a group as `group:agents`. */
    account: "text key",
    revision: "integer key",
    /** When this version of the list was published. Two versions of a list never share a second. */
    changed_at: "bigint",
    /** One line of JSON per rule. Empty if the rules were removed. */
    rules: "text",
  },

  /** The published revisions. A revision's changes are those of its draft. */
  catalogue_revision: {
    number: "integer key",
    created_at: "bigint",
    author: "text",
    source: "text",
    note: "text",
    draft: "integer",
    added: "integer",
    modified: "integer",
    removed: "integer",
  },

  /** A set of changes, before and after its publication. */
  catalogue_draft: {
    id: "integer key",
    state: "text",
    /**
     * Incremented when the changes of the draft differ from before. An approval names the version that the person saw.
     */
    version: "integer",
    /** The revision that the draft changes. */
    base: "integer",
    author: "text",
    source: "text",
    note: "text",
    /** Null: the draft takes effect at once. */
    holds_from: "bigint?",
    /** JSON: sentences that say why the guard stopped the draft. */
    reasons: "text",
    added: "integer",
    modified: "integer",
    removed: "integer",
    created_at: "bigint",
    decided_by: "text?",
    decided_at: "bigint?",
    /**
     * Compressed, in base64: the groups that the draft changes, before and after the change. Null once the draft is
     * rejected.
     */
    content: "text?",
  },

  /** One row with the id of the revision history. A restore sets a new id. */
  catalogue_history: {
    id: "text key",
    /** When the store was restored; 0 if never. Lists count as changed at this time or later. */
    restored_at: "bigint",
  },

  /** The last sync with each source of the catalogue. */
  catalogue_source: {
    source: "text key",
    /** When the last sync began. The process that sets this time performs the sync. */
    begun_at: "bigint",
    /** Null while the sync runs. */
    ended_at: "bigint?",
    result: "text?",
    /** JSON: sentences about the result. */
    sentences: "text",
    /** When the last sync began that left the catalogue equal to the source. */
    succeeded_at: "bigint?",
    /** The age that the source stated for its lists in that sync. */
    source_as_of: "bigint?",
    /** 1 if the source called its lists stale in that sync. */
    source_is_stale: "integer",
    /** The source asked us to send no request before this time. */
    not_before: "bigint?",
    /** Hash of the source's content when we last published it, stopped it or found no difference. */
    content: "text?",
    /** The draft that the guard stopped. */
    draft: "integer?",
  },

  /** Maps codes of a source to entries of the catalogue, for sources whose codes differ from ours. */
  catalogue_mapping: {
    source: "text key",
    list: "text key",
    /** The source's codes, in capitals. */
    code: "text key",
    /** `proposed`, `unclear` if several entries look alike, `approved`, or `never` served. */
    state: "text",
    /** Our code of the entry within its parent entry. Null if nobody named one, or if the entry is never served. */
    own: "text?",
    /** 1 if the catalogue had no similar entry, so that this source adds ours. */
    is_new: "flag",
    /** The source's description of the entry. */
    about: "text",
    /** One sentence: the grounds of a proposal, or why a decision is in doubt. */
    why: "text",
    /** JSON: size, validity and class of the source's entry at the time of the decision. */
    looks: "text?",
    /** JSON: the members of `looks` as the source states them now, if they differ. */
    seen: "text?",
    decided_by: "text?",
    decided_at: "bigint?",
  },

  /** One counter per subject. Other processes poll it to notice changes. */
  change_counter: { name: "text key", number: "bigint" },

  verification: {
    reference: "text key",
    account_id: "text",
    key_id: "text",
    mode: "text",
    /** `bvn` or `nin`. */
    kind: "text",
    state: "text",
    /** Why the verification is negative, failed or unknown: see `attemptReasons`. */
    reason: "text?",
    idempotency_hash: "text?",
    /** Keyed hash of the request that was sent with the idempotency key. Kept as long as the key. */
    body_hash: "text?",
    subject_hash: "text",
    subject_last4: "text",
    /** Counts the runs. An outcome is only written if the row still has its run. */
    run: "integer",
    /** The amount in kobo that the caller sent. */
    amount: "bigint",
    /** The fee in kobo, from the fee schedule. */
    fee: "bigint",
    charged: "flag",
    /** When the fee was first charged. This time stays when an adjustment takes the charge back. */
    charged_at: "bigint?",
    /**
     * Changes with each change of the charge. Only the process that wrote the mark may reverse the charge. Empty:
     * nobody may.
     */
    charge_mark: "text",
    amount_differs: "flag",
    consent_reference: "text?",
    /** The id of the request that started the verification. */
    request_id: "text",
    /**
     * The `spending` period that holds the fee while the verification runs or is charged. Null: the account had no cap
     * and no balance.
     */
    spends: "text?",
    /** The key of this record is in `record_key`. */
    sealed_record: "text?",
    owner: "text?",
    created_at: "bigint",
    started_at: "bigint",
    completed_at: "bigint?",
  },

  /**
   * One attempt at a vendor, or an intent for which no request may have been sent. An attempt holds no personal data.
   */
  verification_attempt: {
    reference: "text key",
    /** The number of the attempt's run. A run has at most one attempt. */
    number: "integer key",
    account_id: "text",
    mode: "text",
    kind: "text",
    vendor: "text",
    started_at: "bigint",
    /** Null if no response came. */
    answered_at: "bigint?",
    /** `unknown` from before the request is sent until the response arrives. */
    outcome: "text",
    reason: "text?",
    /** The vendor's reference of its response, if it gave one. */
    vendor_reference: "text?",
    /** Kobo that the vendor bills for an attempt of this kind. Null: not configured. */
    price: "bigint?",
    /** `yes`, `no` or `unknown`, as stated by the vendor. Null if it states nothing. */
    billed: "text?",
    /**
     * Kobo that the vendor bills, by the outcome and the prices of that time; the price of the attempt until it ends.
     * Null: not known.
     */
    bill: "bigint?",
    /** 0 if we do not know whether the vendor bills the attempt; it counts as billed then. */
    bill_certain: "flag",
    /** The vendors that were skipped before it, each with the reason, such as `prembly=paused`. Null if none was. */
    why: "text?",
    /** The id of the request that caused the attempt. */
    request_id: "text",
  },

  /**
   * A reversed charge, a charge made again after a reversal, or a correction by hand. The total of a period is the sum
   * of its charges and its adjustments.
   */
  adjustment: {
    id: "text key",
    /** Null for a correction that concerns no single verification. */
    reference: "text?",
    account_id: "text",
    mode: "text",
    /** Kind of the verification. */
    kind: "text?",
    at: "bigint",
    /** -1: charge reversed. 1: charged again. 0: correction by hand. */
    charges: "integer",
    /** Kobo that the adjustment adds to the fees. */
    kobo: "bigint",
    reason: "text",
  },

  /** Changes of verifications that the audit trail, the events or the sums do not have yet. See `journal-entry.ts`. */
  verification_journal: {
    number: "serial key",
    reference: "text",
    run: "integer",
    at: "bigint",
    /** What happened: see `Happening`. */
    what: "text",
    /** State of the verification after the change. */
    state: "text",
    reason: "text?",
    /** Whether the verification is charged after the change. */
    charged: "flag",
    /** Kobo that the change adds to the account's fees. */
    kobo: "bigint",
    /** 1 if callers were told, or may have been told, that the outcome is unknown. */
    told_unknown: "flag",
    /** The attempt that the change ended. */
    attempt: "integer?",
    /** The outcome of that attempt before, if an earlier row named it. */
    attempt_was: "text?",
    /** Kobo by which the attempt's bill changed. Null: not known. */
    bill: "bigint?",
  },

  /** Attempts by the hour or day in which they were made, and the charges of that time. */
  verification_sum: {
    /** `hour`, or `day` in the configured time zone. */
    span: "text key",
    begins_at: "bigint key",
    account_id: "text key",
    mode: "text key",
    kind: "text key",
    /** Empty if no attempt was made. */
    vendor: "text key",
    attempts: "integer",
    verified: "integer",
    /** Responses without a match, or with a record of another person. */
    negative: "integer",
    failed: "integer",
    unknown: "integer",
    billed_kobo: "bigint",
    charges: "integer",
    charged_kobo: "bigint",
    /** Attempts by response time. */
    within_250ms: "integer",
    within_500ms: "integer",
    within_1s: "integer",
    within_2s: "integer",
    within_5s: "integer",
    within_10s: "integer",
    later: "integer",
    /** Live requests that failed without an attempt. */
    refused: "integer",
  },

  /** The key of a verification's sealed record, encrypted with a key of the ring. See `record-keys.ts`. */
  record_key: { slot: "integer key", reference: "text key", sealed_key: "text" },

  /**
   * The lease of a process that works on verifications, by the store's clock. On SQLite the serving process has none.
   */
  verification_owner: {
    id: "text key",
    expires_at: "bigint",
    /** 0 for a command, which serves no requests. */
    serves: "flag",
    /** Number of the newest migration that the process knows. */
    migration: "integer",
  },

  /**
   * A process that charges, and the time until which all its charges are settled: each got a response or was reversed.
   */
  charging_process: { id: "text key", heard_until: "bigint" },

  /** The protection settings of each serving process. On SQLite, the newest row is the serving process's. */
  protection: {
    instance: "text key",
    /** JSON: the settings by name. */
    said: "text",
    said_at: "bigint",
    /** The protection that this start or an earlier one weakened, and when. Null if none, or if it is restored. */
    loosened: "text?",
    loosened_at: "bigint?",
  },

  /** The state of one upstream, as one serving process sees it. */
  upstream_status: {
    instance: "text key",
    upstream: "text key",
    state: "text",
    alarm: "text?",
    last_answer_at: "bigint?",
    /** Kobo left at the vendor, by its last statement. */
    balance: "bigint?",
    /** JSON. */
    last_failures: "text",
    /** JSON: the kinds of verification for which the process uses the upstream. */
    kinds: "text",
    /** Since when the upstream has had an alarm or has not been ready. */
    ill_since: "bigint?",
    noted_at: "bigint",
  },

  /** An entry of the audit trail. Only `batch` and `position` change, once, when the entry is sealed. */
  audit_entry: {
    // The key starts with the time, so that inserts go to one end of the index and reading by time needs no other
    // index.
    occurred_at: "bigint key",
    id: "text key",
    kind: "text",
    actor: "text",
    /** JSON. */
    facts: "text",
    /** Null until the entry is sealed. */
    batch: "bigint?",
    /** Position in the batch, from 1; 0 until the entry is sealed. */
    position: "integer",
  },

  /** The seal of a batch. The seal stays when retention removes the entries. */
  audit_seal: {
    batch: "bigint key",
    /** Hash of the previous seal; empty for the first. */
    previous: "text",
    sealed_at: "bigint",
    /** The number of entries. */
    size: "integer",
    /** Hash of `list`. */
    content: "text",
    /** One line per entry, in order: its id and digest. Empty once the entries are removed. */
    list: "text",
    mac: "text",
  },

  /** One row: the end of the audit trail. */
  audit_head: {
    id: "integer key",
    /** Random name of this store; empty until the first start signs the head. */
    store: "text",
    /** The newest batch; 0 before the first. */
    batch: "bigint",
    /** Hash of that batch's seal. */
    hash: "text",
    /** Retention has removed the entries of all batches up to this one. */
    removed: "bigint",
    mac: "text",
  },

  /** What an account's live verifications use up of a cap or a balance. The store refuses rows beyond the maxima. */
  spending: {
    account_id: "text key",
    /** A month such as `2026-11`, or `prepaid`. */
    period: "text key",
    kobo: "bigint",
    verifications: "bigint",
    /** For `prepaid`, the sum of all top-ups. For a month, the cap at the last verification. Null: none. */
    most_kobo: "bigint?",
    most_verifications: "bigint?",
  },

  /** Kobo added to an account's balance; negative if taken back. Rows are never changed. */
  top_up: { id: "text key", account_id: "text", at: "bigint", kobo: "bigint", reason: "text", actor: "text" },

  /**
   * A top-up or correction that one person requested and a second one must confirm. The id names the kind of money, the
   * account and the kobo.
   */
  money_request: { id: "text key", actor: "text", at: "bigint" },

  /** A person who may use the console. */
  person: {
    id: "text key",
    /** In lower case. */
    email: "text",
    name: "text",
    role: "text",
    /** The inviting actor, as in the audit trail. */
    invited_by: "text",
    created_at: "bigint",
    last_seen_at: "bigint?",
  },

  /**
   * Every e-mail that a person has or had. The e-mail stays when the person is removed, so that nobody else can take
   * it.
   */
  person_email_history: { email: "text key", person_id: "text", since: "bigint" },

  /** A single-use link to register a passkey. A person has at most one. */
  person_invitation: { person_id: "text key", secret_hash: "text", expires_at: "bigint" },

  /** The public half of a person's passkey. */
  passkey: {
    /** The credential id that the browser gave the passkey. */
    id: "text key",
    person_id: "text",
    /** CBOR in base64url. */
    public_key: "text",
    counter: "bigint",
    /** JSON. */
    transports: "text",
    /** The label by which the person recognises the passkey: "Laptop". */
    name: "text",
    created_at: "bigint",
    /** Null if the passkey was not used since its registration. */
    used_at: "bigint?",
  },

  /** A WebAuthn challenge, which is deleted when its response arrives. */
  passkey_challenge: {
    challenge: "text key",
    /** `sign-in`, or another purpose and the person it is for. */
    purpose: "text",
    expires_at: "bigint",
  },

  console_session: {
    secret_hash: "text key",
    person_id: "text",
    /** In plain words, such as "Firefox on Windows". */
    browser: "text",
    created_at: "bigint",
    seen_at: "bigint",
  },

  /** A submitted console form, so that it takes effect only once; or the response to a form that changed nothing. */
  sent_form: {
    id: "text key",
    person_id: "text",
    /** The person's role when the form was sent. */
    role: "text",
    /** The id of the request that made the change; empty if nothing changed. */
    request: "text",
    /** The path of the form's command. */
    path: "text",
    at: "bigint",
    /** JSON, without a secret. */
    answer: "text?",
  },

  /** An event for accounts or operators. An event holds only ids and states, and never changes. */
  event: {
    /** Numbered in the order of commits, without gaps. */
    number: "bigint key",
    /** The id that receivers see. */
    id: "text",
    type: "text",
    /** An account, `accounts` or `operators`. */
    audience: "text",
    /** Null if the event concerns both modes. */
    mode: "text?",
    /** Identifies the subject of the event. */
    about: "text",
    at: "bigint",
    /** JSON. */
    data: "text",
  },

  /** Where events are sent. */
  event_endpoint: {
    id: "text key",
    /** An account, or `operators`. */
    audience: "text",
    /** Null for operators. */
    mode: "text?",
    url: "text",
    /** JSON: the types of events to send to the endpoint. */
    types: "text",
    /** Sealed with a record key of the ring. */
    secret: "text",
    /** The secret before the last rotation, which signs too until `former_ends_at`. */
    former_secret: "text?",
    former_ends_at: "bigint?",
    created_at: "bigint",
    /** Nothing is sent before this time. */
    next_at: "bigint",
    /** The process that currently delivers to the endpoint, and the time until which no other process may. */
    lease_owner: "text?",
    leased_until: "bigint",
    /** Since when the endpoint is switched off, because it returned 410 Gone. Null if the endpoint is on. */
    off_since: "bigint?",
  },

  /** One event to deliver to one endpoint. */
  event_delivery: {
    endpoint_id: "text key",
    /** Number of the event. */
    number: "bigint key",
    /** Position in the endpoint's queue. */
    place: "bigint",
    state: "text",
    attempts: "integer",
    /** A failure after this time is final. */
    give_up_at: "bigint",
    tried_at: "bigint?",
    /** An HTTP status or one of our codes, never text of the receiver. */
    outcome: "text?",
  },

  /** A response to an authenticated request. Of the request it holds only the id. */
  api_request: {
    /** Id of the process and a number that it counts up. */
    serial: "text key",
    account_id: "text",
    mode: "text",
    written_at: "bigint",
    /** The request id in the response. Callers may choose the id, and may reuse it. */
    request_id: "text",
    key_id: "text",
    operation: "text",
    status: "integer",
    /** Failure code. */
    code: "text?",
    /** Milliseconds from the request's headers to its response. */
    duration: "integer",
    /** Reference of the verification. */
    reference: "text?",
    answered_at: "bigint",
  },

  /** Responses per minute, by operation and outcome: `ok`, `not_modified` or the code of a failure. */
  minute_outcome: {
    minute: "bigint key",
    /** The process that counted. */
    instance: "text key",
    operation: "text key",
    outcome: "text key",
    answers: "integer",
  },

  /** Response times of one minute. */
  minute_duration: {
    minute: "bigint key",
    instance: "text key",
    /** `look-ups` or `verifications`. */
    about: "text key",
    /** JSON: the number of responses in each bucket of `Durations`. */
    buckets: "text",
  },

  /** An alarm that a person works on, so it is not shown as open. */
  alarm_acknowledgement: {
    name: "text key",
    actor: "text",
    at: "bigint",
    /** When the alarm counts as open again. */
    until: "bigint",
    note: "text",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;

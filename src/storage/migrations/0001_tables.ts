import type { ColumnKind } from "./columns.ts";

/** Every table with its columns, in an order that foreign keys allow. Times are milliseconds since 1970, money is whole kobo. */
export const allTables = {
  /** One row: recognises the tables with which this store was made. */
  baseline: { hash: "text key" },

  /** What needs no table of its own, such as when the last backup was made. */
  fact: { name: "text key", value: "text", created_at: "bigint" },

  account: {
    id: "text key",
    name: "text",
    email: "text",
    created_at: "bigint",
    suspended_at: "bigint?",
    /** JSON: kobo by kind of verification, where the account has a fee of its own. */
    fees: "text",
    answers: "text",
    /** JSON: limits of its own, caps, or that it is prepaid. */
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

  /** The lists of a revision. A revision without a row has those of the revision before it. */
  catalogue_document: {
    revision: "integer key",
    /** Compressed, in base64: the groups with the last change of each, and their entries. See `document-text.ts`. */
    content: "text",
  },

  /** Prices of an account or of a group since a revision. */
  catalogue_price_list: {
    /** The account's id, or a group as `group:agents`. */
    account: "text key",
    revision: "integer key",
    /** When it was published. Two changes of a list never share a second. */
    changed_at: "bigint",
    /** A line of JSON for each rule. Empty: the account has none any more. */
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

  /** A set of changes before and after its publication. */
  catalogue_draft: {
    id: "integer key",
    state: "text",
    /** Counts the differences that it had. An approval names the one that the person saw. */
    version: "integer",
    /** The revision that the draft changes. */
    base: "integer",
    author: "text",
    source: "text",
    note: "text",
    /** Null: at once. */
    holds_from: "bigint?",
    /** JSON: sentences that say why the guard stopped it. */
    reasons: "text",
    added: "integer",
    modified: "integer",
    removed: "integer",
    created_at: "bigint",
    decided_by: "text?",
    decided_at: "bigint?",
    /** Compressed, in base64: the groups that it changes, before and after. Null: it was rejected. */
    content: "text?",
  },

  /** One row, which names the history of the revisions. A restore gives it another id. */
  catalogue_history: {
    id: "text key",
    /** When it was restored: lists count as changed then at the earliest. 0: never. */
    restored_at: "bigint",
  },

  /** The last sync with each source of the catalogue. */
  catalogue_source: {
    source: "text key",
    /** When the last sync began. The process that sets this time does that sync. */
    begun_at: "bigint",
    /** Null while the sync runs. */
    ended_at: "bigint?",
    result: "text?",
    /** JSON: sentences about the result. */
    sentences: "text",
    /** When the last sync began after which the catalogue agreed with the source. */
    succeeded_at: "bigint?",
    /** The age that the source itself stated then for its lists. */
    source_as_of: "bigint?",
    /** 1: the source called its lists stale then. */
    source_is_stale: "integer",
    /** The source asked us not to call before this time. */
    not_before: "bigint?",
    /** Hash of the source's content when we last published it, stopped it or found no difference. */
    content: "text?",
    /** The draft that the guard stopped. */
    draft: "integer?",
  },

  /** Which entry of the catalogue is the one of a source, where the source's codes are not ours. */
  catalogue_mapping: {
    source: "text key",
    list: "text key",
    /** The codes of the source, in capitals. */
    code: "text key",
    /** `proposed`, `unclear` if several look alike, `approved`, or `never` served. */
    state: "text",
    /** Our code, below our entry that it belongs to. Null: nobody named one, or it is never served. */
    own: "text?",
    /** 1: the catalogue had nothing like it, so that our entry comes with this source. */
    is_new: "flag",
    /** How the source describes it. */
    about: "text",
    /** What a proposal is made of, or why a decision is in doubt, in a sentence. */
    why: "text",
    /** Size, validity and class of the source's entry when somebody decided, as JSON. */
    looks: "text?",
    /** The same as the source gives it now, if it disagrees with that. */
    seen: "text?",
    decided_by: "text?",
    decided_at: "bigint?",
  },

  /** One row per subject. Other processes poll the number to notice changes. */
  change_counter: { name: "text key", number: "bigint" },

  verification: {
    reference: "text key",
    account_id: "text",
    key_id: "text",
    mode: "text",
    /** `bvn` or `nin`. */
    kind: "text",
    state: "text",
    /** Why it is negative, failed or unknown: see `attemptReasons`. */
    reason: "text?",
    idempotency_hash: "text?",
    /** Recognises the request of an idempotency key. Kept as long as the key. */
    body_hash: "text?",
    subject_hash: "text",
    subject_last4: "text",
    /** Counts the runs, so that an outcome is only written to its own run. */
    run: "integer",
    /** Kobo, as the caller sent it. */
    amount: "bigint",
    /** Kobo, from the fee schedule. */
    fee: "bigint",
    charged: "flag",
    /** When the fee was first charged. It stays when an adjustment takes the charge back. */
    charged_at: "bigint?",
    /** New with each change of the charge. Only the process that wrote it may take the charge back. Empty: none may. */
    charge_mark: "text",
    amount_differs: "flag",
    consent_reference: "text?",
    /** The id of the request that began it. */
    request_id: "text",
    /** The period of `spending` that has its fee while it runs or is charged. Null: the account had no cap and no balance. */
    spends: "text?",
    /** Its key is in `record_key`. */
    sealed_record: "text?",
    owner: "text?",
    created_at: "bigint",
    started_at: "bigint",
    completed_at: "bigint?",
  },

  /** One attempt at a vendor, or what may have become one. It holds no personal data. */
  verification_attempt: {
    reference: "text key",
    /** The run that asked. A run that asked nobody has none. */
    number: "integer key",
    account_id: "text",
    mode: "text",
    kind: "text",
    vendor: "text",
    asked_at: "bigint",
    /** Null: no response came. */
    answered_at: "bigint?",
    /** `unknown` from before its request is sent until the response. */
    outcome: "text",
    reason: "text?",
    /** The vendor's name for its response, if it gave one. */
    vendor_reference: "text?",
    /** Kobo that the vendor bills for an attempt of this kind. Null: not configured. */
    price: "bigint?",
    /** `yes`, `no` or `unknown`, as the vendor says. Null: it says nothing. */
    billed: "text?",
    /** Kobo that the vendor bills for it, by its outcome and the prices of then. Null: not known. Until it ends, its price. */
    bill: "bigint?",
    /** 0: nobody knows whether the vendor bills it, so that it counts as billed. */
    bill_certain: "flag",
    /** The vendors before it that were passed over, each with the reason, such as `prembly=paused`. Null: none was. */
    why: "text?",
    /** The id of the request that asked. */
    request_id: "text",
  },

  /**
   * A charge that was taken back, or made again after that, or a correction by hand. The sums of a period are its charges and
   * its adjustments.
   */
  adjustment: {
    id: "text key",
    /** Null for a correction that concerns no single verification. */
    reference: "text?",
    account_id: "text",
    mode: "text",
    /** Of the verification. */
    kind: "text?",
    at: "bigint",
    /** -1: taken back. 1: made again. 0: a correction by hand. */
    charges: "integer",
    /** What it adds to the fees. */
    kobo: "bigint",
    reason: "text",
  },

  /** What happened to verifications, until the audit trail, the events and the sums have it. See `journal.ts`. */
  verification_journal: {
    number: "serial key",
    reference: "text",
    run: "integer",
    at: "bigint",
    /** What happened: see `Happening`. */
    what: "text",
    /** Of the verification, afterwards. */
    state: "text",
    reason: "text?",
    /** Whether it is charged, afterwards. */
    charged: "flag",
    /** What it added to the fees of its account. */
    kobo: "bigint",
    /** 1: callers were told before, or may have been, that the outcome is unknown. */
    told_unknown: "flag",
    /** The attempt that ended by it. */
    attempt: "integer?",
    /** The outcome of that attempt until then, if an earlier row named it. */
    attempt_was: "text?",
    /** Kobo by which the bill of that attempt changed. Null: not known. */
    bill: "bigint?",
  },

  /** What attempts came to, by the hour or day in which they were asked, and what was charged in it. */
  verification_sum: {
    /** `hour`, or `day` of the configured time zone. */
    span: "text key",
    begins_at: "bigint key",
    account_id: "text key",
    mode: "text key",
    kind: "text key",
    /** Empty: nobody was asked. */
    vendor: "text key",
    attempts: "integer",
    verified: "integer",
    /** Found nobody, or somebody else. */
    negative: "integer",
    failed: "integer",
    unknown: "integer",
    billed_kobo: "bigint",
    charges: "integer",
    charged_kobo: "bigint",
    /** Attempts by how long their response took. */
    within_250ms: "integer",
    within_500ms: "integer",
    within_1s: "integer",
    within_2s: "integer",
    within_5s: "integer",
    within_10s: "integer",
    later: "integer",
    /** Calls for which no vendor was asked. */
    refused: "integer",
  },

  /** The key of a verification's sealed record, encrypted with a key of the ring. See `record-keys.ts`. */
  record_key: { slot: "integer key", reference: "text key", sealed_key: "text" },

  /** The lease of a process that works on verifications, by the store's clock. On SQLite the process that serves has none. */
  verification_owner: {
    id: "text key",
    expires_at: "bigint",
    /** 0: a command, which serves nobody. */
    serves: "flag",
  },

  /** A process that charges, and until when it heard of all its charges: each was answered, or taken back. */
  charging_process: { id: "text key", heard_until: "bigint" },

  /** What each serving process goes by when it holds a change back. On SQLite the newest is that of the process that serves. */
  protection: {
    instance: "text key",
    /** JSON: the settings by their members. */
    said: "text",
    said_at: "bigint",
    /** What its start, or one before it, made less strict, and when. Null: nothing, or it is as strict again. */
    loosened: "text?",
    loosened_at: "bigint?",
  },

  /** How one serving process sees one upstream. */
  upstream_status: {
    instance: "text key",
    upstream: "text key",
    state: "text",
    alarm: "text?",
    last_answer_at: "bigint?",
    /** Kobo left at the vendor, as it said last. */
    balance: "bigint?",
    /** JSON. */
    last_failures: "text",
    /** JSON: the kinds of checks that the process asks it for. */
    kinds: "text",
    /** Since when it has an alarm, or is not ready. */
    ill_since: "bigint?",
    noted_at: "bigint",
  },

  /** An event of the audit trail. Only `batch` and `position` change, once, when it is sealed. */
  audit_entry: {
    // The time comes first in the key: new entries go to one end of the index, and reading back needs no other index.
    occurred_at: "bigint key",
    id: "text key",
    kind: "text",
    actor: "text",
    /** JSON. */
    facts: "text",
    /** Null until it is sealed. */
    batch: "bigint?",
    /** Place in the batch, from 1; 0 until it is sealed. */
    position: "integer",
  },

  /** The seal of a batch. It stays when retention removes the entries. */
  audit_seal: {
    batch: "bigint key",
    /** Hash of the seal before; empty for the first. */
    previous: "text",
    sealed_at: "bigint",
    /** The number of entries. */
    size: "integer",
    /** Hash of `list`. */
    content: "text",
    /** Id and digest of each entry in order, a line each; empty once the entries are removed. */
    list: "text",
    mac: "text",
  },

  /** Where the audit trail ends: one row. */
  audit_head: {
    id: "integer key",
    /** Random name of this store; empty until the first start signs the head. */
    store: "text",
    /** The newest batch; 0 before the first. */
    batch: "bigint",
    /** Hash of its seal. */
    hash: "text",
    /** The entries of all batches up to this one are removed. */
    removed: "bigint",
    mac: "text",
  },

  /** What the live verifications of an account take from a cap or a balance. The store refuses more than the maxima. */
  spending: {
    account_id: "text key",
    /** A month such as `2026-11`, or `prepaid`. */
    period: "text key",
    kobo: "bigint",
    verifications: "bigint",
    /** Of `prepaid`: all that was topped up. Of a month: the cap at the last verification. Null: none. */
    most_kobo: "bigint?",
    most_verifications: "bigint?",
  },

  /** Money that was added to an account's balance, or taken back if the amount is negative. Rows are never changed. */
  top_up: { id: "text key", account_id: "text", at: "bigint", kobo: "bigint", reason: "text", actor: "text" },

  /** Money that one person gave and that waits for a second one: what it is, its account and kobo are the id. */
  money_request: { id: "text key", actor: "text", at: "bigint" },

  /** Somebody who may use the console. */
  person: {
    id: "text key",
    /** In lower case. */
    email: "text",
    name: "text",
    role: "text",
    /** An actor of the audit trail. */
    invited_by: "text",
    created_at: "bigint",
    last_seen_at: "bigint?",
  },

  /** Every e-mail that a person has or had. It stays when the person is removed, so that nobody else gets it. */
  person_email_history: { email: "text key", person_id: "text", since: "bigint" },

  /** A link that registers a passkey, once. A person has one at most. */
  person_invitation: { person_id: "text key", secret_hash: "text", expires_at: "bigint" },

  /** The public half of a person's passkey. */
  passkey: {
    /** As the browser names it. */
    id: "text key",
    person_id: "text",
    /** CBOR in base64url. */
    public_key: "text",
    counter: "bigint",
    /** JSON. */
    transports: "text",
    /** By which the person tells it from others: "Laptop". */
    name: "text",
    created_at: "bigint",
    /** Null: not since it was registered. */
    used_at: "bigint?",
  },

  /** A challenge to a passkey, which is deleted with its response. */
  passkey_challenge: {
    challenge: "text key",
    /** `sign-in`, or what else it is for and for whom. */
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

  /** A form of the console that did its work, so that it does it once, or the answer of one that changed nothing. */
  sent_form: {
    id: "text key",
    person_id: "text",
    /** Of the person, when it was sent. */
    role: "text",
    /** The request that did it; empty if it changed nothing. */
    request: "text",
    /** Of its command. */
    path: "text",
    at: "bigint",
    /** JSON, without a secret. */
    answer: "text?",
  },

  /** Something that happened, for accounts or operators. It holds ids and states only, and never changes. */
  event: {
    /** In the order of the commits, without a gap. */
    number: "bigint key",
    /** Its public name. */
    id: "text",
    type: "text",
    /** An account, `accounts` or `operators`. */
    audience: "text",
    /** Null: it concerns both modes. */
    mode: "text?",
    /** Recognises the events about one subject. */
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
    /** Null: of operators. */
    mode: "text?",
    url: "text",
    /** JSON: the types of events that it wants. */
    types: "text",
    /** Sealed with a record key of the ring. */
    secret: "text",
    /** The secret before the last roll, which signs too until `former_ends_at`. */
    former_secret: "text?",
    former_ends_at: "bigint?",
    created_at: "bigint",
    /** Nothing is sent before this time. */
    next_at: "bigint",
    /** The process that sends to it now, and until when nobody else may. */
    lease_owner: "text?",
    leased_until: "bigint",
    /** Since when it gets nothing, because it answered 410 Gone. Null: it is on. */
    off_since: "bigint?",
  },

  /** An event for an endpoint. */
  event_delivery: {
    endpoint_id: "text key",
    /** Of the event. */
    number: "bigint key",
    /** In the endpoint's queue. */
    place: "bigint",
    state: "text",
    attempts: "integer",
    /** When a failure is the last one. */
    give_up_at: "bigint",
    tried_at: "bigint?",
    /** An HTTP status or a code of ours, never the receiver's text. */
    outcome: "text?",
  },

  /** A response to a caller with a key. Holds nothing of the request but its id. */
  api_request: {
    /** Of the process that answered, in its order. */
    serial: "text key",
    account_id: "text",
    mode: "text",
    written_at: "bigint",
    /** As the response named it. A caller may choose it, and repeat it. */
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

  /** Answers in one minute, by operation and outcome: `ok`, `not_modified` or the code of a failure. */
  minute_outcome: {
    minute: "bigint key",
    /** The process that counted. */
    instance: "text key",
    operation: "text key",
    outcome: "text key",
    answers: "integer",
  },

  /** How long the responses of one minute took. */
  minute_duration: {
    minute: "bigint key",
    instance: "text key",
    /** `look-ups` or `verifications`. */
    about: "text key",
    /** JSON: how many took so long, for each bucket of `Durations`. */
    buckets: "text",
  },

  /** Somebody works on an alarm, so that it need not be shown as open. */
  alarm_acknowledgement: {
    name: "text key",
    actor: "text",
    at: "bigint",
    /** When it is open again. */
    until: "bigint",
    note: "text",
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;

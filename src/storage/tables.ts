/**
 * The rows of every table, as both engines give them. Times are milliseconds since 1970, money is whole kobo, `Flag` is 0 or
 * 1, and columns named as JSON hold JSON text.
 */

export type Flag = 0 | 1;

/** One entry of the catalogue as it is served: a provider, a bundle, a price of an account's own. */
export interface CatalogueItemRow {
  list: string;
  /** Codes of the entry and of what it belongs to, in capitals, a space between two. */
  key: string;
  position: number;
  /** JSON. */
  content: string;
}

/** Which revision changed a group of entries last: the bundles of a provider, the add-ons of a product, an account's prices. */
export interface CatalogueGroupRow {
  list: string;
  /** Key of what the entries belong to; empty: the whole list. */
  key: string;
  revision: number;
  /** When that was published, to the second no other than after the change before. */
  changed_at: number;
}

/** What was published, in order. Its changes are those of its draft. */
export interface CatalogueRevisionRow {
  number: number;
  created_at: number;
  author: string;
  source: string;
  note: string;
  /** Null where the changes were not kept. */
  draft: number | null;
  added: number;
  modified: number;
  removed: number;
}

/** A set of changes on its way to be published, and what became of it. */
export interface CatalogueDraftRow {
  id: number;
  state: "staged" | "held" | "scheduled" | "published" | "rejected" | "void";
  /** Revision that its changes are told against. */
  base: number;
  author: string;
  source: string;
  note: string;
  /** Null: at once. */
  holds_from: number | null;
  /** JSON: sentences that say why it is held. */
  reasons: string;
  added: number;
  modified: number;
  removed: number;
  created_at: number;
  /** When its process last wrote to it. */
  touched_at: number;
  decided_by: string | null;
  decided_at: number | null;
}

/** Change of one entry; without an old one it is added, without a new one removed. */
export interface CatalogueChangeRow {
  draft: number;
  place: number;
  list: string;
  key: string;
  old_position: number | null;
  /** JSON. */
  old_content: string | null;
  new_position: number | null;
  /** JSON. */
  new_content: string | null;
}

/** One row, there from the start, that names the history which the revisions are of. */
export interface CatalogueHistoryRow {
  /** Another one after a restore. */
  id: string;
}

/** The last pull from one source of the catalogue, and what stays of those before. */
export interface CatalogueSourceRow {
  source: string;
  /** When the last pull began: whoever sets it makes that pull. */
  begun_at: number;
  /** Null while it is under way. */
  ended_at: number | null;
  result: string | null;
  /** JSON: sentences about the result. */
  sentences: string;
  /** When the last pull began that found, or made, the catalogue as the source has it. */
  succeeded_at: number | null;
  /** When the source's lists were then as at its own source, if it said so. */
  source_as_of: number | null;
  /** 1 if the source called its lists stale then. */
  source_is_stale: number;
  /** Until when the source asked to be left alone. */
  not_before: number | null;
  /** Hash of what the source had when it was last taken over, held or found to be so already. */
  content: string | null;
  /** The draft in which that is held, or was. */
  draft: number | null;
}

/** Counts the changes of one subject, so that other processes notice them by polling. Both rows exist from the start. */
export interface ChangeCounterRow {
  name: "access" | "catalogue";
  number: number;
}

export interface AccountRow {
  id: string;
  name: string;
  email: string;
  created_at: number;
  suspended_at: number | null;
  /** JSON: kobo by kind of verification, where the account has a fee of its own. */
  fees: string;
  answers: string;
}

export interface ApiKeyRow {
  id: string;
  account_id: string;
  mode: string;
  label: string;
  /** JSON. */
  scopes: string;
  /** JSON. */
  addresses: string;
  secret_hash: string;
  bootstrap: Flag;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface AccessTokenRow {
  secret_hash: string;
  key_id: string;
  created_at: number;
  expires_at: number;
}

export interface VerificationRow {
  reference: string;
  account_id: string;
  key_id: string;
  mode: string;
  /** Of which kind the number is: `bvn` or `nin`. */
  kind: string;
  state: string;
  idempotency_hash: string | null;
  /** Knows the request of an idempotency key again; kept as long as the key. */
  body_hash: string | null;
  subject_hash: string;
  subject_last4: string;
  /** The identity source that was asked last, or is being asked; null while none was. */
  upstream: string | null;
  /** Counts the runs of the verification, so that an outcome is written to its own run only. */
  run: number;
  /** Questions put to a source. The question under way counts, and is taken back if it turns out that it was not put. */
  attempts: number;
  /** Attempts whose outcome nobody learned. */
  unresolved: number;
  /** Attempts whose answer could not be trusted. */
  bad_answers: number;
  /** Kobo, as the caller sent it. */
  amount: number;
  /** Kobo, from the fee schedule. */
  fee: number;
  charged: Flag;
  /** When the fee was first charged. It stays when the charge is taken back, which is an adjustment of its own. */
  charged_at: number | null;
  /** Changes with each change of the charge; who wrote it may take the charge back. Empty: nobody may. */
  charge_mark: string;
  amount_differs: Flag;
  consent_reference: string | null;
  /** Its key is a `RecordKeyRow`. */
  sealed_record: string | null;
  owner: string | null;
  /** 1: the audit trail has yet to be told of the outcome. */
  audit_due: Flag;
  created_at: number;
  started_at: number;
  completed_at: number | null;
}

/** A charge taken back, or made again after that. Sums are the charges of a period and its adjustments. */
export interface AdjustmentRow {
  id: string;
  reference: string;
  account_id: string;
  mode: string;
  at: number;
  /** -1: a charge taken back. 1: made again. */
  charges: number;
  /** What that adds to the fees. */
  kobo: number;
  reason: string;
}

/** The key of a sealed record, wrapped by one of the key ring. See `record-keys.ts`. */
export interface RecordKeyRow {
  slot: number;
  /** Of the verification. */
  reference: string;
  sealed_key: string;
}

/** The lease of a process that works on verifications; on PostgreSQL only. */
export interface VerificationOwnerRow {
  id: string;
  /** By the database's clock. */
  expires_at: number;
}

/** How one serving process sees one upstream. */
export interface UpstreamStatusRow {
  instance: string;
  upstream: string;
  state: string;
  alarm: string | null;
  last_answer_at: number | null;
  /** JSON. */
  last_failures: string;
  noted_at: number;
}

export interface InstanceSecretRow {
  name: string;
  value: string;
  created_at: number;
}

/** An event of the audit trail. Only `batch` and `position` change, once, when it is sealed. */
export interface AuditEntryRow {
  id: string;
  occurred_at: number;
  kind: string;
  actor: string;
  /** JSON. */
  facts: string;
  /** Null until it is sealed. */
  batch: number | null;
  /** Place in the batch, from 1; 0 until it is sealed. */
  position: number;
}

/** The seal of a batch of audit entries, which stays when retention removes the entries. */
export interface AuditSealRow {
  batch: number;
  /** Hash of the seal before; empty for the first. */
  previous: string;
  sealed_at: number;
  /** How many entries were sealed. */
  size: number;
  /** Hash of `list`. */
  content: string;
  /** Id and digest of each entry in order, a line each; empty once the entries are removed. */
  list: string;
  mac: string;
}

/** Where the audit trail ends; one row, there from the start. */
export interface AuditHeadRow {
  id: 1;
  /** Random name of this store; empty until the first start signs the head. */
  store: string;
  /** The newest batch; 0 before the first. */
  batch: number;
  /** Hash of its seal. */
  hash: string;
  /** The entries of all batches up to this one are removed. */
  removed: number;
  mac: string;
}

export interface Tables {
  catalogue_item: CatalogueItemRow;
  catalogue_group: CatalogueGroupRow;
  catalogue_revision: CatalogueRevisionRow;
  catalogue_draft: CatalogueDraftRow;
  catalogue_change: CatalogueChangeRow;
  catalogue_history: CatalogueHistoryRow;
  catalogue_source: CatalogueSourceRow;
  change_counter: ChangeCounterRow;
  account: AccountRow;
  api_key: ApiKeyRow;
  access_token: AccessTokenRow;
  verification: VerificationRow;
  adjustment: AdjustmentRow;
  record_key: RecordKeyRow;
  verification_owner: VerificationOwnerRow;
  upstream_status: UpstreamStatusRow;
  instance_secret: InstanceSecretRow;
  audit_entry: AuditEntryRow;
  audit_seal: AuditSealRow;
  audit_head: AuditHeadRow;
}

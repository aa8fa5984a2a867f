import assert from "node:assert/strict";
import { hash } from "node:crypto";
import type { Kysely } from "kysely";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { StoreError } from "../../storage/errors.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";
import { copiedTables } from "./backup.ts";

export const madeAt = Date.UTC(2026, 0, 31);

/** Characters that are line ends only outside JSON, quotes of all kinds, and letters of more than one byte. */
const awkward = "line\u2028end\u2029 \"quoted\" 'and' \\ \t\r\n Ọlá 🙂";

export const verification: VerificationRow = {
  reference: "aaaaaa000000001",
  account_id: "acc_1",
  key_id: "key_1",
  mode: "live",
  kind: "bvn",
  state: "verified",
  reason: null,
  idempotency_hash: null,
  lasting_idempotency_hash: null,
  body_hash: "v1:body",
  subject_hash: "v1:subject",
  subject_last4: "0017",
  run: 1,
  amount: Number.MAX_SAFE_INTEGER,
  fee: 12_345,
  charged: 1,
  charged_at: madeAt,
  charge_mark: "",
  amount_differs: 1,
  consent_reference: awkward,
  request_id: "request-1",
  spends: null,
  sealed_record: "s1:r1:the-sealed-record",
  owner: null,
  created_at: madeAt,
  started_at: madeAt,
  completed_at: null,
};

export const accountRow = {
  id: "acc_1",
  name: awkward,
  email: "shop@example.com",
  created_at: madeAt,
  suspended_at: madeAt,
  fees: "{}",
  answers: "masked",
  terms: '{"capKobo":5000000}',
  address: awkward,
  tax_number: "20481234-0001",
};

export const apiKey = {
  id: "key_1",
  account_id: accountRow.id,
  mode: "live",
  label: "",
  scopes: "[]",
  addresses: "[]",
  secret_hash: "hash-of-key",
  bootstrap: 0 as 0 | 1,
  created_at: madeAt,
  expires_at: null,
  revoked_at: null,
};

const counts = { added: 1, modified: 0, removed: 0 };

export const revision: Tables["catalogue_revision"] = {
  number: 1,
  created_at: madeAt,
  author: "duba",
  source: "starter",
  note: "",
  draft: 1,
  ...counts,
};

export const draft: Tables["catalogue_draft"] = {
  id: 1,
  state: "published",
  version: 1,
  base: 0,
  author: "duba",
  source: "starter",
  note: awkward,
  holds_from: null,
  reasons: "[]",
  ...counts,
  created_at: madeAt,
  decided_by: null,
  decided_at: null,
  content: "e30=",
};

const spending: Tables["spending"] = {
  account_id: "acc_1",
  period: "prepaid",
  kobo: 25_000,
  verifications: 3,
  most_kobo: 30_000,
  most_verifications: null,
};

const topUp: Tables["top_up"] = {
  id: "top-up-1",
  account_id: "acc_1",
  at: madeAt,
  kobo: 30_000,
  reason: awkward,
  actor: "operator:ada",
};

const rows: { [Table in keyof Tables]?: Tables[Table][] } = {
  account: [accountRow],
  record_key: [{ slot: 0, reference: verification.reference, sealed_key: "s1:r1:the-wrapped-key" }],
  api_key: [apiKey],
  key_use: [{ key_id: apiKey.id, used_at: madeAt, address: "203.0.113.7" }],
  access_token: [{ secret_hash: "hash-of-token", key_id: apiKey.id, created_at: madeAt, expires_at: madeAt }],
  catalogue_document: [{ revision: 2, content: "e30=" }],
  catalogue_price_list: [{ account: accountRow.id, revision: 2, changed_at: madeAt, rules: awkward }],
  catalogue_draft: [draft],
  catalogue_source: [
    {
      source: "vtpass",
      begun_at: madeAt,
      ended_at: null,
      result: "held",
      sentences: "[]",
      succeeded_at: madeAt,
      source_as_of: null,
      source_is_stale: 1,
      not_before: 5,
      content: "hash",
      draft: 1,
    },
  ],
  catalogue_mapping: [
    {
      source: "vtpass",
      list: "data-bundles",
      code: "MTNDATA 1",
      state: "approved",
      own: "104",
      is_new: 0,
      about: awkward,
      why: "",
      looks: null,
      seen: null,
      decided_by: "operator:ada",
      decided_at: madeAt,
    },
  ],
  catalogue_revision: [{ ...revision, number: 2, source: "import" }],
  spending: [spending],
  top_up: [topUp],
  fact: [{ name: "keyring:hmac:1", value: "fingerprint", created_at: madeAt }],
  audit_entry: [
    { id: "a", occurred_at: madeAt, kind: "k", actor: "system", facts: "{}", batch: 1, position: 1 },
    { id: "b", occurred_at: madeAt, kind: "k", actor: "system", facts: "{}", batch: null, position: 0 },
  ],
  audit_seal: [{ batch: 1, previous: "", sealed_at: madeAt, size: 1, content: "c", list: "l", mac: "m" }],
};

/**
 * Puts rows into most of the tables that are copied. Verifications and audit entries get more rows than a page holds.
 */
export async function fill(db: Kysely<Tables>): Promise<void> {
  for (const [table, values] of Object.entries(rows))
    await db
      .insertInto(table as keyof Tables)
      .values(values as never)
      .execute();
  await db.updateTable("audit_head").set({ batch: 1, hash: "h", mac: "m" }).execute();
  for (let n = 0; n < 1100; n += 100) {
    const many = Array.from({ length: 100 }, (_, at) => n + at);
    const verifications = many.map((n) => ({ ...verification, reference: `ref-${n}`, fee: n }));
    await db.insertInto("verification").values(verifications).execute();
    const entries = many.map((n) => ({ ...rows.audit_entry![1]!, id: `entry-${n}`, occurred_at: madeAt + (n % 7) }));
    await db.insertInto("audit_entry").values(entries).execute();
  }
}

/**
 * Returns the number of rows, and a hash of them, for each table that is copied. The order of the rows does not depend
 * on the engine.
 */
export async function contentOf(db: Kysely<Tables>, blanks: readonly string[] = []): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const { table } of copiedTables) {
    const rows = await db.selectFrom(table).selectAll().execute();
    const columnsOf = (row: object) =>
      Object.entries(row).map(([name, value]) => [name, blanks.includes(name) ? null : value]);
    const texts = rows.map((row) => JSON.stringify(columnsOf(row).toSorted())).toSorted();
    content[table] = `${rows.length} ${hash("sha256", texts.join("\n"))}`;
  }
  return content;
}

/** The arguments of a backup or a restore, and the events that it recorded. */
export function audited(db: Kysely<Tables>) {
  const told: AuditEvent[] = [];
  const audit = async (_: unknown, ...events: AuditEvent[]) => void told.push(...events);
  return { db, audit, actor: "operator:ada", told };
}

/** The sentence of a `StoreError`. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => assert.fail("it was not refused"),
    (error: unknown) => error,
  );
  assert.ok(error instanceof StoreError, String(error));
  return error.message;
}

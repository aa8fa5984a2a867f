import type { Insertable, Kysely } from "kysely";
import { sql } from "kysely";
import { append, entryOf } from "../../src/audit/append.ts";
import type { Sign } from "../../src/audit/chain/seal.ts";
import { sealEntries } from "../../src/audit/seal-batch.ts";
import { publisherOf } from "../../src/catalogue/catalogue.fixture.ts";
import { publish } from "../../src/catalogue/revisions/publish.ts";
import { about, dearer } from "../../src/catalogue/revisions/publishing.fixture.ts";
import { loadStarter } from "../../src/catalogue/starter.ts";
import { accessTrail } from "../../src/declare/access-trail.ts";
import { newAttempt } from "../../src/ledger/attempts.ts";
import { storeRows, verifiedRow } from "../../src/ledger/ledger-rows.fixture.ts";
import { announce, lastEvent } from "../../src/storage/events/announce.ts";
import { slotAt } from "../../src/storage/record-keys.ts";
import type { Tables } from "../../src/storage/tables.ts";

/** The two ages of test rows: `old` rows are due for deletion. */
export type Age = "old" | "young";

/**
 * One case of a retention rule: `put` stores a row that ends at `at`, and `left` returns the remaining ages in each
 * table.
 */
export interface RetentionCase {
  put(db: Kysely<Tables>, age: Age, at: number): Promise<unknown>;
  left(db: Kysely<Tables>): Promise<string[][]>;
}

/** Returns the ages in a table: the last word of a column. */
async function agesIn(
  db: Kysely<Tables>,
  table: keyof Tables,
  column: string,
  only = sql<boolean>`1 = 1`,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select ${sql.ref(column)} as name from ${sql.table(table)} where ${only} order by 1`.execute(db);
  return rows.flatMap(({ name }) => /(?:old|young)$/.exec(name) ?? []);
}

function rowsOf<Table extends keyof Tables>(
  table: Table,
  column: keyof Tables[Table] & string,
  row: (age: Age, at: number) => Insertable<Tables[Table]>,
  only?: ReturnType<typeof sql<boolean>>,
): RetentionCase {
  return {
    put: (db, age, at) =>
      db
        .insertInto(table)
        .values(row(age, at) as never)
        .execute(),
    left: async (db) => [await agesIn(db, table, column, only)],
  };
}

/** Stores a verification with an attempt, and with a record key if it has a sealed record. */
function verification(of: string, columns: (at: number) => Parameters<typeof verifiedRow>[2]) {
  return async (db: Kysely<Tables>, age: Age, at: number) => {
    const [row] = await storeRows(db, verifiedRow(of, at, { reference: `${of}-${age}`, ...columns(at) }));
    await db
      .insertInto("verification_attempt")
      .values(newAttempt(row!, { vendor: "v", at, requestId: "r", price: 1 }))
      .execute();
    if (row!.sealed_record !== null)
      await db
        .insertInto("record_key")
        .values({ slot: slotAt(row!.completed_at!), reference: row!.reference, sealed_key: "k" })
        .execute();
  };
}

const sumsOf = (span: "hour" | "day") =>
  rowsOf(
    "verification_sum",
    "vendor",
    (age, at) => ({
      ...{ span, begins_at: at, account_id: "a", mode: "live", kind: "bvn", vendor: age },
      ...{ attempts: 1, verified: 1, negative: 0, failed: 0, unknown: 0, charges: 1, charged_kobo: 1 },
      ...{ made_verified: 1, made_refused: 0, made_not_found: 0, made_phone_mismatch: 0, made_blocked: 0 },
      ...{ not_found: 0, phone_mismatch: 0, blocked: 0, billed_kobo: 0, unsure_kobo: 0, unpriced: 0 },
      ...{
        within_250ms: 1,
        within_500ms: 0,
        within_1s: 0,
        within_2s: 0,
        within_5s: 0,
        within_10s: 0,
        later: 0,
        refused: 0,
      },
    }),
    sql`span = ${span}`,
  );

const useSumsOf = (span: "hour" | "day") =>
  rowsOf(
    "use_sum",
    "name",
    (age, at) => ({
      span,
      begins_at: at,
      about: "key",
      name: age,
      mode: "live",
      attempts: 1,
      verified: 1,
      negative: 0,
      failed: 0,
      unknown: 0,
      refused: 0,
      billed_kobo: 0,
      charges: 1,
      charged_kobo: 1,
    }),
    sql`span = ${span}`,
  );

/** The catalogue entry whose price the revision of each age changes. */
const dearerAt = { old: "MTNDATA 104", young: "MTNDATA 113" };

/** Cases by the name of the rule. Call `addOwners` first. */
export function retentionCases(sign: Sign): Record<string, RetentionCase> {
  return {
    "idempotency keys": {
      put: async (db, age, at) =>
        verification("keys", () => ({ idempotency_hash: age, body_hash: age, sealed_record: "sealed" }))(db, age, at),
      left: async (db) => [
        await agesIn(db, "verification", "idempotency_hash"),
        await agesIn(db, "verification", "body_hash"),
        await agesIn(db, "record_key", "reference", sql`reference like 'keys-%'`),
      ],
    },
    "sealed records": {
      put: verification("records", (at) => ({ sealed_record: "sealed", completed_at: at })),
      left: async (db) => [
        await agesIn(db, "verification", "reference", sql`account_id = 'records' and sealed_record is not null`),
        await agesIn(db, "record_key", "reference", sql`reference like 'records-%'`),
      ],
    },
    verifications: {
      put: verification("rows", (at) => ({ charged_at: at })),
      left: async (db) => [
        await agesIn(db, "verification", "reference", sql`account_id = 'rows'`),
        await agesIn(db, "verification_attempt", "reference", sql`account_id = 'rows'`),
      ],
    },
    adjustment: rowsOf("adjustment", "id", (id, at) => ({
      ...{ id, reference: null, account_id: "a", mode: "live", kind: null, at, charges: 0, kobo: 1, reason: "r" },
    })),
    money_request: rowsOf("money_request", "id", (id, at) => ({ id, actor: "person:per_1", at })),
    "sums of hours": sumsOf("hour"),
    "sums of days": sumsOf("day"),
    "sums of use of hours": useSumsOf("hour"),
    "sums of use of days": useSumsOf("day"),
    upstream_status: rowsOf("upstream_status", "instance", (instance, noted_at) => ({
      ...{
        instance,
        upstream: "v",
        state: "ready",
        alarm: null,
        last_answer_at: null,
        balance: null,
        kinds: "[]",
        last_failures: "{}",
        noted_at,
      },
    })),
    "audit entries": {
      async put(db, age, at) {
        const event = accessTrail.keyRevoked("system", { key: age });
        await db
          .insertInto("audit_entry")
          .values({ ...entryOf(event, at), id: age })
          .execute();
        await sealEntries(db, sign, () => at);
      },
      left: async (db) => [await agesIn(db, "audit_entry", "id")],
    },
    "catalogue history": {
      async put(db, age, at) {
        const publisher = publisherOf(db, { audit: append, now: () => at });
        await loadStarter(publisher);
        await publish(publisher, dearer(dearerAt[age]), { ...about, note: age });
      },
      async left(db) {
        return [await agesIn(db, "catalogue_revision", "note"), await agesIn(db, "catalogue_draft", "note")];
      },
    },
    events: {
      async put(db, age, at) {
        const data = { key: age, revoked_at: new Date(at).toISOString() };
        await announce(db, { type: "key.revoked", audience: "a", mode: "test", about: age, at, data });
        const delivery = { endpoint_id: age, number: await lastEvent(db), place: 1, state: "delivered" } as const;
        await db
          .insertInto("event_delivery")
          .values({ ...delivery, attempts: 1, give_up_at: at, tried_at: at, outcome: "204" })
          .execute();
      },
      left: async (db) => [await agesIn(db, "event", "about"), await agesIn(db, "event_delivery", "endpoint_id")],
    },
    api_request: rowsOf("api_request", "serial", (serial, written_at) => ({
      ...{ serial, account_id: "a", mode: "live", written_at, request_id: "r", key_id: "k", operation: "o" },
      ...{ status: 200, code: null, duration: 1, reference: null, answered_at: written_at },
    })),
    access_token: rowsOf("access_token", "secret_hash", (age, expires_at) => ({
      ...{ secret_hash: age, key_id: age, created_at: 0, expires_at },
    })),
    console_session: rowsOf("console_session", "person_id", (age, created_at) => ({
      ...{ secret_hash: age, person_id: age, browser: "", created_at, seen_at: created_at },
    })),
    person_invitation: rowsOf("person_invitation", "person_id", (age, expires_at) => ({
      ...{ person_id: age, secret_hash: age, expires_at },
    })),
    passkey_challenge: rowsOf("passkey_challenge", "challenge", (challenge, expires_at) => ({
      ...{ challenge, purpose: "sign-in", expires_at },
    })),
    minute_outcome: rowsOf("minute_outcome", "instance", (instance, minute) => ({
      ...{ minute, instance, operation: "o", outcome: "ok", answers: 1 },
    })),
    minute_duration: rowsOf("minute_duration", "instance", (instance, minute) => ({
      ...{ minute, instance, about: "look-ups", buckets: "[]" },
    })),
    sent_form: rowsOf("sent_form", "id", (id, at) => ({
      ...{ id, person_id: id, role: "viewer", request: "r", path: "/keys/create", at, answer: null },
    })),
    alarm_acknowledgement: rowsOf("alarm_acknowledgement", "name", (name, until) => ({
      ...{ name, actor: "system", at: 0, until, note: "" },
    })),
  };
}

/** Stores a person, a key and an endpoint of each age, to which rows of the cases belong. */
export async function addOwners(db: Kysely<Tables>): Promise<void> {
  const account = { id: "a", name: "a", email: "a@example.com", created_at: 0, suspended_at: null };
  await db
    .insertInto("account")
    .values({ ...account, fees: "{}", answers: "full", terms: "{}" })
    .execute();
  for (const id of ["old", "young"]) {
    const person = { id, email: `${id}@example.com`, name: id, role: "viewer", invited_by: "system" } as const;
    await db
      .insertInto("person")
      .values({ ...person, created_at: 0, last_seen_at: null })
      .execute();
    const key = { id, account_id: "a", mode: "test", label: "", scopes: "[]", addresses: "[]", secret_hash: id };
    await db
      .insertInto("api_key")
      .values({ ...key, bootstrap: 0, created_at: 0, expires_at: null, revoked_at: null })
      .execute();
    const endpoint = { id, audience: "nobody", mode: "test", url: "", types: "[]", secret: "" } as const;
    await db
      .insertInto("event_endpoint")
      .values({ ...endpoint, former_secret: null, former_ends_at: null, created_at: 0, next_at: 0, leased_until: 0 })
      .execute();
  }
}

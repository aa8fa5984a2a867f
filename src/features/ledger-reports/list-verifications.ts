import { type RawBuilder, sql } from "kysely";
import type { CheckKind } from "../../declare/check-kind.ts";
import type { Mode } from "../../declare/operation.ts";
import type { Row } from "../../ledger/ledger.ts";
import { type PublicState, storedState } from "../../ledger/public-state.ts";
import { notVerified } from "../../ledger/transitions.ts";
import { isSqlite } from "../../storage/engine.ts";
import type { Db } from "../../storage/tables.ts";

/** The verifications to find. They meet all members that are set. Times are milliseconds since 1970. */
export interface LedgerFilter {
  reference?: string | undefined;
  accountId?: string | undefined;
  mode?: Mode | undefined;
  state?: PublicState | undefined;
  kind?: CheckKind | undefined;
  /** A vendor that got an attempt. */
  vendor?: string | undefined;
  /** Made at this time or later. */
  from?: number | undefined;
  /** Made before this time. */
  to?: number | undefined;
  /** The last four digits of the number. */
  last4?: string | undefined;
  /** The keyed hashes that the idempotency key may have. */
  idempotencyHashes?: readonly string[] | undefined;
  consent?: string | undefined;
  /** The id of the request that started the verification or caused an attempt. */
  requestId?: string | undefined;
}

/** One verification of a list. */
export type ListedVerification = Pick<Row, (typeof columns)[number]>;

/** The position of a row in the list, newest first. */
export type LedgerPlace = Pick<Row, "created_at" | "reference">;

export interface LedgerPage {
  rows: ListedVerification[];
  /** The start of the next page; null at the end of the ledger. */
  next: LedgerPlace | null;
  /** True if the search stopped at its limit before it filled the page. */
  isPartial: boolean;
}

const columns = [
  "reference",
  "account_id",
  "key_id",
  "mode",
  "kind",
  "state",
  "reason",
  "subject_last4",
  "fee",
  "charged",
  "consent_reference",
  "created_at",
  "completed_at",
] as const satisfies (keyof Row)[];

/** The most rows of an index that a search reads, so that every page takes less than 200 ms. */
const mostRead = 30_000;

type Condition = RawBuilder<unknown>;

const always = sql`1 = 1`;

/**
 * The newest verifications that match the filter, after a place. One index returns them newest first, and the
 * conditions outside that index are checked on its rows.
 */
export async function listVerifications(
  db: Db,
  filter: LedgerFilter,
  { after, size, most = mostRead }: { after?: LedgerPlace | undefined; size: number; most?: number },
): Promise<LedgerPage> {
  const { indexed, others } = conditionsOf(filter, after, isSqlite(db));
  const within = between(filter, after);
  const newest = (count: number) => newestOf(indexed, within, count);
  if (others.length === 0) return pageOf(await rowsOf(db, newest(size + 1), others, size), size, undefined);
  // Most searches fill a page from a few rows.
  for (const step of [most / 100, most / 10, most]) {
    const rows = await rowsOf(db, newest(step), others, size);
    const last = rows.length > size ? undefined : await placeAt(db, newest(step), step);
    if (rows.length > size || last === undefined) return pageOf(rows, size, undefined);
    if (step === most) return pageOf(rows, size, last);
  }
  throw new Error("A search has no steps");
}

/** The condition and the order of an index, newest first. */
interface Indexed {
  holds: Condition;
  order: Condition;
}

/**
 * Chooses the index that matches the fewest rows. Returns the one or two conditions by which this index is read in
 * order, and the conditions that it does not cover.
 */
function conditionsOf(
  filter: LedgerFilter,
  after: LedgerPlace | undefined,
  onSqlite: boolean,
): { indexed: Indexed[]; others: Condition[] } {
  const { reference, accountId, mode, kind, vendor, last4, consent, requestId } = filter;
  const { state, reasons } = filter.state ? storedState(filter.state) : { state: undefined, reasons: [] };
  const is = (column: keyof Row, value: string | undefined) =>
    value === undefined ? undefined : sql`${sql.ref(column)} = ${value}`;
  const given = {
    reference: is("reference", reference),
    request: requestId === undefined ? undefined : ofRequest(requestId),
    last4: is("subject_last4", last4),
    consent: is("consent_reference", consent),
    // The state is a literal, like the limits, so that PostgreSQL plans each state separately: states differ much in
    // their number of rows. PostgreSQL finds the index by this literal, and `notVerified` would make it underestimate
    // the rows.
    state: state && sql`state = ${sql.lit(state)} and ${onSqlite && state !== "verified" ? notVerified : always}`,
    reason: reasons.length === 0 ? undefined : sql`reason in (${sql.join(reasons)})`,
    account: is("account_id", accountId),
    mode: is("mode", mode),
    kind: is("kind", kind),
    vendor: vendor === undefined ? undefined : hasAttemptAt(vendor),
  };
  // Most verifications are verified, so the account matches fewer rows.
  const leading = [
    "reference",
    "request",
    "last4",
    "consent",
    ...(state === "verified" ? [] : ["state" as const]),
    "account",
  ] as const;
  const keyed = filter.idempotencyHashes && ofKey(filter.idempotencyHashes, onSqlite);
  const first = keyed ? undefined : leading.find((name) => given[name] !== undefined);
  const known: readonly string[] = first === "account" ? ["account", "mode"] : [first ?? ""];
  const others = Object.entries(given).flatMap(([name, condition]) =>
    !condition || known.includes(name) ? [] : condition,
  );
  if (keyed) return { indexed: keyed.map((holds) => ({ holds, order: newestFirst })), others };
  if (first !== "account") return { indexed: [{ holds: first ? given[first]! : always, order: newestFirst }], others };
  // The index by account is in the order of time only within one mode.
  const modes = mode === undefined ? (["test", "live"] as const) : [mode];
  return { indexed: modes.map((each) => ofAccount(accountId!, each, filter, after)), others };
}

/**
 * Compares and sorts by all columns of the account's index, so that only this index fits. With equality conditions,
 * PostgreSQL may use the index by time, and read the whole ledger for an account without rows in a mode.
 */
function ofAccount(accountId: string, mode: Mode, { from = 0, to }: LedgerFilter, after?: LedgerPlace): Indexed {
  const at = (time: number) => sql`(${accountId}, ${mode}, ${sql.lit(time)})`;
  const last = Math.min(to ?? Number.MAX_SAFE_INTEGER, after?.created_at ?? Number.MAX_SAFE_INTEGER);
  return {
    holds: sql`(account_id, mode, created_at) >= ${at(from)} and (account_id, mode, created_at) <= ${at(last)}`,
    order: sql`order by account_id desc, mode desc, created_at desc, reference desc`,
  };
}

/**
 * Matches the idempotency keys in force and the expired ones: each kind has an index of its own. There are hashes for
 * every account, so all hashes are one parameter.
 */
function ofKey(hashes: readonly string[], onSqlite: boolean): Condition[] {
  const any = onSqlite
    ? sql`in (select value from json_each(${JSON.stringify(hashes)}))`
    : sql`= any(${[...hashes]}::text[])`;
  return [sql`idempotency_hash ${any}`, sql`idempotency_hash is null and lasting_idempotency_hash ${any}`];
}

/** A row without an attempt is found by the request that started it. */
function ofRequest(id: string): Condition {
  return sql`reference in (
    select reference from verification_attempt where request_id = ${id}
    union all select reference from verification where request_id = ${id} and state in ('refused', 'failed'))`;
}

function hasAttemptAt(vendor: string): Condition {
  return sql`exists (select 1 from verification_attempt as asked
    where asked.reference = newest.reference and asked.vendor = ${vendor})`;
}

function between({ from, to }: LedgerFilter, after: LedgerPlace | undefined): Condition {
  const conditions = [always];
  if (from !== undefined) conditions.push(sql`created_at >= ${from}`);
  if (to !== undefined) conditions.push(sql`created_at < ${to}`);
  if (after)
    conditions.push(
      sql`created_at <= ${after.created_at} and (created_at < ${after.created_at} or reference < ${after.reference})`,
    );
  return sql.join(conditions, sql` and `);
}

const newestFirst = sql`order by created_at desc, reference desc`;

function newestOf(indexed: readonly Indexed[], within: Condition, count: number): Condition {
  const all = sql.join(columns.map((column) => sql.ref(column)));
  const each = indexed.map(
    ({ holds, order }, at) => sql`select * from (
      select ${all} from verification where ${holds} and ${within} ${order} limit ${sql.lit(count)}
    ) as part_${sql.raw(String(at))}`,
  );
  return each.length === 1 ? each[0]! : sql`${sql.join(each, sql` union all `)} ${newestFirst} limit ${sql.lit(count)}`;
}

async function rowsOf(
  db: Db,
  newest: Condition,
  others: readonly Condition[],
  size: number,
): Promise<ListedVerification[]> {
  const fits = sql.join([always, ...others], sql` and `);
  const all = sql.join(columns.map((column) => sql.ref(column)));
  const { rows } = await sql<ListedVerification>`
    select ${all} from (${newest}) as newest where ${fits} ${newestFirst} limit ${size + 1}`.execute(db);
  return rows;
}

/** The place of the last of `count` rows; undefined if there are fewer. */
async function placeAt(db: Db, newest: Condition, count: number): Promise<LedgerPlace | undefined> {
  const { rows } = await sql<LedgerPlace>`
    select created_at, reference from (${newest}) as newest ${newestFirst} limit 1 offset ${sql.lit(count - 1)}`.execute(
    db,
  );
  return rows[0];
}

function pageOf(rows: ListedVerification[], size: number, searchedTo: LedgerPlace | undefined): LedgerPage {
  const shown = rows.slice(0, size);
  const next = rows.length > size ? shown.at(-1)! : (searchedTo ?? null);
  return { rows: shown, next, isPartial: searchedTo !== undefined };
}

/** A place as the text of a cursor. */
export function cursorOf({ created_at, reference }: LedgerPlace): string {
  return `${created_at.toString(36)}.${reference}`;
}

/** Undefined if the text is not a cursor. */
export function readCursor(text: string): LedgerPlace | undefined {
  const [, time, reference] = /^([0-9a-z]{1,9})\.([0-9A-Za-z]{1,40})$/.exec(text) ?? [];
  return time === undefined ? undefined : { created_at: Number.parseInt(time, 36), reference: reference! };
}

import { type Expression, type SqlBool, sql } from "kysely";
import { pageOf, pagesOf } from "../storage/queries/pieces.ts";
import type { Db } from "../storage/tables.ts";
import type { Seal, SealedColumns } from "./chain/seal.ts";

const sealsAtOnce = 100;
const entriesAtOnce = 1000;

/** Reads a column as text, so that a changed value is reported and does not make the query fail. */
const asText = (column: string) => sql<string>`cast(${sql.ref(column)} as text)`;

export interface Range {
  above?: string;
  upTo?: string;
}

/** The columns that a seal covers. */
export const entryColumns = [
  "audit_entry.id",
  asText("audit_entry.occurred_at").as("occurred_at"),
  "audit_entry.kind",
  "audit_entry.actor",
  "audit_entry.facts",
] as const;

export const sealColumns = [
  asText("audit_seal.batch").as("batch"),
  "previous",
  asText("audit_seal.sealed_at").as("sealed_at"),
  asText("audit_seal.size").as("size"),
  "content",
  asText("audit_seal.list").as("list"),
  "mac",
] as const;

export interface StoredSeal extends Seal {
  batch: string;
  sealed_at: string;
  size: string;
  list: string;
  mac: string;
}

export interface StoredEntry extends SealedColumns {
  batch: string;
  position: string;
}

/** The seals of a range of batches, in order, page by page. */
export function sealPages(db: Db, range: Range): AsyncGenerator<StoredSeal[]> {
  const seals = db.selectFrom("audit_seal").select(sealColumns).where(inRange("audit_seal.batch", range));
  return pagesOf(seals, ["audit_seal.batch"], sealsAtOnce);
}

/** The entries of a range of batches, by batch and position, page by page. */
export function entryPages(db: Db, range: Range): AsyncGenerator<StoredEntry[]> {
  const entries = db
    .selectFrom("audit_entry")
    .select([...entryColumns, asText("audit_entry.batch").as("batch"), asText("audit_entry.position").as("position")])
    .where(inRange("audit_entry.batch", range));
  return pagesOf(entries, ["audit_entry.batch", "audit_entry.position", "audit_entry.id"], entriesAtOnce);
}

/** An entry without a batch is in no range. */
function inRange(column: string, { above, upTo }: Range): Expression<SqlBool> {
  const conditions = [sql`${sql.ref(column)} is not null`];
  if (above !== undefined) conditions.push(sql`${sql.ref(column)} > ${above}`);
  if (upTo !== undefined) conditions.push(sql`${sql.ref(column)} <= ${upTo}`);
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

export interface Entry {
  id: string;
  /** Milliseconds since 1970. */
  occurred_at: number;
  kind: string;
  actor: string;
  /** JSON text, unless it was tampered with. */
  facts: string;
  /** Null until the entry is sealed. */
  batch: number | null;
}

export interface TailRequest {
  most: number;
  /** Milliseconds since 1970, as `until`, which is not included. */
  since?: number;
  until?: number;
  kind?: string;
  /** A kind to leave out. */
  without?: string;
  /** Only entries whose first fact is this name of a verification or an account. */
  reference?: string;
  /** The time and the id of an entry. Only older entries are returned. */
  before?: readonly [occurredAt: number, id: string] | undefined;
}

/** The newest entries, oldest first. They are not verified. */
export async function tail(db: Db, { most, before, ...request }: TailRequest): Promise<Entry[]> {
  const { rows } = await pageOf(fitting(db, request), placeInTrail, most, before, "desc");
  return rows.reverse().map(withTime);
}

/** Yields all entries that match, in pages, newest first. */
export async function* wholeTail(db: Db, request: Omit<TailRequest, "most" | "before">): AsyncGenerator<Entry[]> {
  for await (const rows of pagesOf(fitting(db, request), placeInTrail, entriesAtOnce, "desc")) yield rows.map(withTime);
}

const placeInTrail = ["audit_entry.occurred_at", "audit_entry.id"];
const withTime = <Row extends { occurred_at: unknown }>(entry: Row) => ({
  ...entry,
  occurred_at: Number(entry.occurred_at),
});

function fitting(db: Db, { since, until, kind, without, reference }: Omit<TailRequest, "most" | "before">) {
  let query = db.selectFrom("audit_entry").select([...entryColumns, "batch"]);
  if (since !== undefined) query = query.where("audit_entry.occurred_at", ">=", since);
  if (until !== undefined) query = query.where("audit_entry.occurred_at", "<", until);
  if (kind !== undefined) query = query.where("kind", "=", kind);
  if (without !== undefined) query = query.where("kind", "<>", without);
  // These expressions must equal those of the indexes.
  if (kind !== undefined && !kind.startsWith("verification."))
    query = query.where(sql<SqlBool>`substr(kind, 1, 13) <> 'verification.'`);
  if (reference !== undefined)
    query = query
      .where(sql<SqlBool>`substr(facts, 1, 14) = '{"reference":"'`)
      .where(sql<SqlBool>`substr(facts, 15, 15) = ${reference.slice(0, 15)}`)
      .where("facts", "like", `{"reference":"${reference}"%`);
  return query;
}

/**
 * Yields the entries of these kinds before `until`, sorted by kind, then oldest first. The kinds must not be about
 * verifications.
 */
export async function* entriesOf(db: Db, kinds: readonly string[], until: number): AsyncGenerator<Entry> {
  const entries = db
    .selectFrom("audit_entry")
    .select(["id", "occurred_at", "kind", "actor", "facts", "batch"])
    .where("kind", "in", kinds)
    .where("occurred_at", "<", until)
    .where(sql<SqlBool>`substr(kind, 1, 13) <> 'verification.'`);
  for await (const page of pagesOf(entries, ["kind", "occurred_at", "id"], entriesAtOnce)) yield* page;
}

/** Removes the signed text of a passkey from an entry, because people do not read it. */
export function withoutConfirmation(entry: Entry): Entry {
  if (!entry.facts.includes('"confirmation":{')) return entry;
  const { confirmation, ...facts } = JSON.parse(entry.facts);
  return { ...entry, facts: JSON.stringify(facts) };
}

/**
 * The facts of an entry, or none if somebody changed them to a text that is not JSON, which `duba audit verify`
 * reports.
 */
export function factsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Entries that no seal covers yet; `oldest` in milliseconds since 1970, null if there is none. */
export function unsealedEntries(db: Db): Promise<{ count: number; oldest: number | null }> {
  return db
    .selectFrom("audit_entry")
    .select([sql<number>`count(*)`.as("count"), sql<number | null>`min(occurred_at)`.as("oldest")])
    .where("batch", "is", null)
    .executeTakeFirstOrThrow();
}

import { type Expression, type Kysely, type SqlBool, sql } from "kysely";
import { pagesOf } from "../storage/queries/pieces.ts";
import type { Tables } from "../storage/tables.ts";
import type { Seal, SealedColumns } from "./chain/seal.ts";

const sealsAtOnce = 100;
const entriesAtOnce = 1000;

/** As text: a changed value must be reported and must not make the query fail. */
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
export function sealPages(db: Kysely<Tables>, range: Range): AsyncGenerator<StoredSeal[]> {
  const seals = db.selectFrom("audit_seal").select(sealColumns).where(inRange("audit_seal.batch", range));
  return pagesOf(seals, ["audit_seal.batch"], sealsAtOnce);
}

/** The entries of a range of batches, by batch and position, page by page. */
export function entryPages(db: Kysely<Tables>, range: Range): AsyncGenerator<StoredEntry[]> {
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

import { type Kysely, type SqlBool, sql } from "kysely";
import type { Tables } from "../storage/tables.ts";
import { entryColumns } from "./read.ts";

export interface Entry {
  id: string;
  /** Milliseconds since 1970. */
  occurredAt: number;
  kind: string;
  actor: string;
  /** JSON text, unless it was tampered with. */
  facts: string;
  /** Null until it is sealed. */
  batch: number | null;
}

export interface TailRequest {
  most: number;
  /** Milliseconds since 1970, as `until`, which is not included. */
  since?: number;
  until?: number;
  kind?: string;
  /** Only entries whose first fact is this name of a verification or an account. */
  reference?: string;
}

/** The newest entries, oldest first. They are not verified. */
export async function tail(db: Kysely<Tables>, { most, since, until, kind, reference }: TailRequest): Promise<Entry[]> {
  let query = db
    .selectFrom("audit_entry")
    .select([...entryColumns, "batch"])
    .orderBy("audit_entry.occurred_at", "desc")
    .orderBy("audit_entry.id", "desc")
    .limit(most);
  if (since !== undefined) query = query.where("audit_entry.occurred_at", ">=", since);
  if (until !== undefined) query = query.where("audit_entry.occurred_at", "<", until);
  if (kind !== undefined) query = query.where("kind", "=", kind);
  // These expressions are those of the indexes.
  if (kind !== undefined && !kind.startsWith("verification."))
    query = query.where(sql<SqlBool>`substr(kind, 1, 13) <> 'verification.'`);
  if (reference !== undefined)
    query = query
      .where(sql<SqlBool>`substr(facts, 1, 14) = '{"reference":"'`)
      .where(sql<SqlBool>`substr(facts, 15, 15) = ${reference.slice(0, 15)}`)
      .where("facts", "like", `{"reference":"${reference}"%`);
  const found = await query.execute();
  return found.reverse().map(({ occurred_at, ...entry }) => ({ ...entry, occurredAt: Number(occurred_at) }));
}

/** An entry without what a passkey signed, which nobody reads. */
export function withoutConfirmation(entry: Entry): Entry {
  if (!entry.facts.includes('"confirmation":{')) return entry;
  const { confirmation, ...facts } = JSON.parse(entry.facts);
  return { ...entry, facts: JSON.stringify(facts) };
}

import type { Kysely, TableNode } from "kysely";
import type { Tables } from "../../storage/tables.ts";
import type { VerificationRequest } from "../verification/request.ts";
import type { Row } from "./ledger.ts";
import { newReference } from "./reference.ts";

/** The ledger's rows of a request's account, oldest first. */
export async function ledgerRows(
  db: Kysely<Tables>,
  { accountId }: Pick<VerificationRequest, "accountId">,
): Promise<Row[]> {
  const rows = await db
    .selectFrom("verification")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at")
    .orderBy("reference")
    .execute();
  return rows as Row[];
}

export async function onlyRow(db: Kysely<Tables>, account: Pick<VerificationRequest, "accountId">): Promise<Row> {
  const [row, ...more] = await ledgerRows(db, account);
  if (!row || more.length > 0) throw new Error(`There are ${row ? more.length + 1 : 0} rows`);
  return row;
}

/** Writes so many more rows like this one, under other references and without an idempotency key. */
export async function copyRow(db: Kysely<Tables>, row: Row, count: number): Promise<void> {
  const copies = Array.from({ length: count }, () => ({
    ...row,
    reference: newReference(),
    idempotency_hash: null,
  }));
  await db.insertInto("verification").values(copies).execute();
}

/** The wrapped keys of all held records, by reference. */
export async function wrappedKeys(db: Kysely<Tables>): Promise<Map<string, string>> {
  const rows = await db.selectFrom("record_key").selectAll().execute();
  return new Map(rows.map(({ reference, sealed_key }) => [reference, sealed_key]));
}

/** Puts another wrapped key in the place of a record's own. */
export async function replaceWrappedKey(db: Kysely<Tables>, reference: string, sealed_key: string): Promise<void> {
  await db.updateTable("record_key").set({ sealed_key }).where("reference", "=", reference).execute();
}

/** Runs `work` while the ledger can neither be read nor written. */
export async function withoutLedger<Value>(db: Kysely<Tables>, work: () => Promise<Value>): Promise<Value> {
  await db.schema.alterTable("verification").renameTo("verification_away").execute();
  try {
    return await work();
  } finally {
    await db.schema.alterTable("verification_away").renameTo("verification").execute();
  }
}

/** A handle on `db`, and when nothing that it does to the ledger is under way, nor about to be. */
export function quietly(db: Kysely<Tables>): { db: Kysely<Tables>; quiet(): Promise<void> } {
  const running = new Set<unknown>();
  const watched = db.withPlugin({
    transformQuery({ node, queryId }) {
      // An outcome may be a part of another statement, which passes `executeQuery` below.
      if (node.kind === "UpdateQueryNode" && node.returning?.selections.length === 2) return node;
      const { into, table, from } = node as { into?: unknown; table?: unknown; from?: { froms: unknown[] } };
      const of = (into ?? table ?? from?.froms[0]) as TableNode | undefined;
      const name = of?.table.identifier.name;
      // A key is written along with its record, and read by itself.
      if (name === "verification" || (name === "record_key" && from !== undefined)) running.add(queryId);
      return node;
    },
    async transformResult({ result, queryId }) {
      running.delete(queryId);
      return result;
    },
  });
  const execute = watched.executeQuery;
  // A prepared query passes the plugin when it is written only.
  watched.executeQuery = (query, options) => {
    const work = execute.call(watched, query, options) as ReturnType<typeof watched.executeQuery<never>>;
    const over = () => running.delete(work);
    running.add(work);
    work.then(over, over);
    return work;
  };
  return {
    db: watched,
    async quiet() {
      // The answers of one commit come back one per event-loop tick.
      for (let turns = 0; turns < 30; turns = running.size === 0 ? turns + 1 : 0)
        await new Promise<void>((resolve) => setImmediate(resolve));
    },
  };
}

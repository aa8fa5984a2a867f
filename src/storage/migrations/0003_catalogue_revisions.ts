import { type Kysely, sql } from "kysely";

type Row = Record<string, string | number>;

interface Item {
  list: string;
  key: string;
  position: number;
  content: string;
}

interface Change {
  draft: number;
  place: number;
  list: string;
  key: string;
  new_position: number;
  new_content: string;
}

interface Schema {
  catalogue_revision: {
    number: number;
    created_at: number;
    author: string;
    source: string;
    note: string;
    draft: number | null;
    added: number;
  };
  catalogue_draft: Row;
  catalogue_item: Item;
  catalogue_change: Change;
}

/** Tables of before: the list that each becomes, and the columns that name a row. Kobo, codes and text stay as they are. */
const lists = [
  { table: "data_provider", list: "data-providers", key: ["type"], renamed: {} },
  { table: "data_bundle", list: "data-bundles", key: ["type", "code"], renamed: {} },
  { table: "corporate_bundle", list: "corporate-bundles", key: ["code"], renamed: {} },
  { table: "cable_provider", list: "cable-providers", key: ["type"], renamed: {} },
  { table: "cable_product", list: "cable-products", key: ["type", "code"], renamed: {} },
  {
    table: "cable_add_on",
    list: "cable-add-ons",
    key: ["type", "product_code", "code"],
    renamed: { code: "add_on_product_code" } as Record<string, string>,
  },
];

/** Room between two neighbours, so that a row can come between them without moving others. */
const GAP = 2 ** 20;
const BATCH = 500;

export async function up(db: Kysely<Schema>): Promise<void> {
  await makeTables(db);
  await carryOver(db);
  for (const { table } of lists) await db.schema.dropTable(table).execute();
}

async function makeTables({ schema }: Kysely<Schema>): Promise<void> {
  await schema
    .createTable("catalogue_item")
    .addColumn("list", "text", (it) => it.notNull())
    .addColumn("key", "text", (it) => it.notNull())
    .addColumn("position", "bigint", (it) => it.notNull())
    .addColumn("content", "text", (it) => it.notNull())
    .addPrimaryKeyConstraint("catalogue_item_primary", ["list", "key"])
    .execute();
  await schema
    .createTable("catalogue_draft")
    .addColumn("id", "integer", (it) => it.notNull())
    .addColumn("state", "text", (it) => it.notNull())
    .addColumn("base", "integer", (it) => it.notNull())
    .addColumn("author", "text", (it) => it.notNull())
    .addColumn("source", "text", (it) => it.notNull())
    .addColumn("note", "text", (it) => it.notNull())
    .addColumn("holds_from", "bigint")
    .addColumn("reasons", "text", (it) => it.notNull())
    .addColumn("added", "integer", (it) => it.notNull())
    .addColumn("modified", "integer", (it) => it.notNull())
    .addColumn("removed", "integer", (it) => it.notNull())
    .addColumn("created_at", "bigint", (it) => it.notNull())
    .addColumn("touched_at", "bigint", (it) => it.notNull())
    .addColumn("decided_by", "text")
    .addColumn("decided_at", "bigint")
    .addPrimaryKeyConstraint("catalogue_draft_primary", ["id"])
    .execute();
  await schema.createIndex("catalogue_draft_by_state").on("catalogue_draft").column("state").execute();
  await schema
    .createTable("catalogue_change")
    .addColumn("draft", "integer", (it) => it.notNull())
    .addColumn("place", "integer", (it) => it.notNull())
    .addColumn("list", "text", (it) => it.notNull())
    .addColumn("key", "text", (it) => it.notNull())
    .addColumn("old_position", "bigint")
    .addColumn("old_content", "text")
    .addColumn("new_position", "bigint")
    .addColumn("new_content", "text")
    .addPrimaryKeyConstraint("catalogue_change_primary", ["draft", "place"])
    .execute();
  const counts = ["added", "modified", "removed", "folded_to"];
  await schema.alterTable("catalogue_revision").addColumn("draft", "integer").execute();
  for (const column of counts)
    await schema
      .alterTable("catalogue_revision")
      .addColumn(column, "integer", (it) => it.notNull().defaultTo(0))
      .execute();
  // What is there already is in the items from here on.
  await schema
    .alterTable("catalogue_revision")
    .addColumn("folded", "integer", (it) => it.notNull().defaultTo(1))
    .execute();
}

/** The rows of before become items, and the changes of the newest revision: those of older ones were never kept. */
async function carryOver(db: Kysely<Schema>): Promise<void> {
  const items: Item[] = [];
  for (const each of lists) items.push(...(await itemsOf(db, each)));
  const newest = await db
    .selectFrom("catalogue_revision")
    .selectAll()
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  for (let from = 0; from < items.length; from += BATCH) {
    const batch = items.slice(from, from + BATCH);
    await db.insertInto("catalogue_item").values(batch).execute();
    if (newest === undefined) continue;
    const changes = batch.map(({ list, key, position, content }, place) => ({
      ...{ draft: 1, place: from + place + 1, list, key },
      ...{ new_position: position, new_content: content },
    }));
    await db.insertInto("catalogue_change").values(changes).execute();
  }
  if (newest === undefined) return;
  const { number, created_at, author, source, note } = newest;
  const facts = { id: 1, state: "published", base: number - 1, author, source, note, reasons: "[]" };
  const counts = { added: items.length, modified: 0, removed: 0 };
  await db
    .insertInto("catalogue_draft")
    .values({ ...facts, ...counts, created_at, touched_at: created_at })
    .execute();
  await db
    .updateTable("catalogue_revision")
    .set({ draft: 1, added: items.length })
    .where("number", "=", number)
    .execute();
}

async function itemsOf(db: Kysely<Schema>, { table, list, key, renamed }: (typeof lists)[number]): Promise<Item[]> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)} order by position`.execute(db);
  return rows.map(({ position, ...members }) => ({
    list,
    key: key.map((name) => folded(String(members[name]))).join(" "),
    position: Number(position) * GAP,
    content: JSON.stringify(
      Object.fromEntries(Object.entries(members).map(([name, value]) => [renamed[name] ?? name, value])),
    ),
  }));
}

function folded(code: string): string {
  return code.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

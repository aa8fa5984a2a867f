import type { Kysely } from "kysely";
import type {
  CableAddOnRow,
  CableProductRow,
  CableProviderRow,
  CorporateBundleRow,
  DataBundleRow,
  DataProviderRow,
  Tables,
} from "../storage/tables.ts";
import type { CatalogueRows } from "./snapshot.ts";
import { readRows, type StarterRow } from "./starter-file.ts";

const shipped = new URL("../../data/starter/", import.meta.url);

const note = "The starter catalogue. Its prices are historical samples, not a tariff: import your own before you sell.";

function readProvider(row: StarterRow, position: number): DataProviderRow & CableProviderRow {
  const type = row.code("type");
  row.only(type);
  const id = row.id("id");
  return { type, position, id, name: row.text("name"), narration: row.text("narration"), image: row.text("image") };
}

/** Reads the starter files. Throws `StarterFault`, which names the file and row, for what no catalogue may hold. */
export async function readStarter(directory: URL = shipped): Promise<CatalogueRows> {
  const dataProviders = await readRows(directory, "data-providers.json", readProvider);
  const dataBundles = await readRows(directory, "data-bundles.json", (row, position): DataBundleRow => {
    const type = row.code("type");
    const code = row.code("code");
    row.under(dataProviders.keys, "data-providers.json", type);
    row.only(type, code);
    return {
      type,
      code,
      position,
      description: row.text("description"),
      amount: row.kobo("amount"),
      price: row.kobo("price"),
      value: row.text("value"),
      duration: row.text("duration"),
    };
  });
  const corporateBundles = await readRows(directory, "corporate-bundles.json", (row, position): CorporateBundleRow => {
    const code = row.code("code");
    row.only(code);
    return { code, position, description: row.text("description") };
  });
  const cableProviders = await readRows(directory, "cable-providers.json", readProvider);
  const cableProducts = await readRows(directory, "cable-products.json", (row, position): CableProductRow => {
    const type = row.code("type");
    const code = row.code("code");
    row.under(cableProviders.keys, "cable-providers.json", type);
    row.only(type, code);
    return {
      type,
      code,
      position,
      id: position + 1,
      name: row.text("name"),
      description: row.text("description"),
      price: row.kobo("price"),
      amount: row.kobo("amount"),
    };
  });
  const cableAddOns = await readRows(directory, "cable-add-ons.json", (row, position): CableAddOnRow => {
    const type = row.code("type");
    const product_code = row.code("product_code");
    const code = row.code("add_on_product_code");
    row.under(cableProducts.keys, "cable-products.json", type, product_code);
    row.only(type, product_code, code);
    return { type, product_code, code, position, name: row.text("name"), price: row.kobo("price") };
  });
  return {
    dataProviders: dataProviders.rows,
    dataBundles: dataBundles.rows,
    corporateBundles: corporateBundles.rows,
    cableProviders: cableProviders.rows,
    cableProducts: cableProducts.rows,
    cableAddOns: cableAddOns.rows,
  };
}

async function isEmpty(db: Kysely<Tables>): Promise<boolean> {
  return (await db.selectFrom("catalogue_revision").select("number").limit(1).executeTakeFirst()) === undefined;
}

/**
 * Makes the starter catalogue revision 1 of a store that has none; any other store is left alone. Several processes may do
 * it at once: one of them loads it, the others wait for that one.
 */
export async function loadStarter(db: Kysely<Tables>, now: () => number, directory?: URL): Promise<void> {
  if (!(await isEmpty(db))) return;
  const starter = await readStarter(directory);
  await db.transaction().execute(async (transaction) => {
    if (!(await isEmpty(transaction))) return;
    const revision = { number: 1, created_at: now(), author: "duba", source: "starter", note };
    // On PostgreSQL this is where a second process waits for the first.
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto("catalogue_revision")
      .values(revision)
      .onConflict((conflict) => conflict.column("number").doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows !== 1n) return;
    const fill = async <Table extends keyof Tables>(table: Table, rows: Tables[Table][]) => {
      if (rows.length > 0)
        await transaction
          .insertInto(table)
          .values(rows as never)
          .execute();
    };
    await fill("data_provider", starter.dataProviders);
    await fill("data_bundle", starter.dataBundles);
    await fill("corporate_bundle", starter.corporateBundles);
    await fill("cable_provider", starter.cableProviders);
    await fill("cable_product", starter.cableProducts);
    await fill("cable_add_on", starter.cableAddOns);
    await transaction
      .updateTable("change_counter")
      .set((row) => ({ number: row("number", "+", 1) }))
      .where("name", "=", "catalogue")
      .execute();
  });
}

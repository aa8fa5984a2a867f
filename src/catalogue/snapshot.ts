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

export type DataProvider = Readonly<DataProviderRow> & { readonly bundles: readonly Readonly<DataBundleRow>[] };
export type CableProduct = Readonly<CableProductRow> & { readonly addOns: readonly Readonly<CableAddOnRow>[] };
export type CableProvider = Readonly<CableProviderRow> & { readonly products: readonly CableProduct[] };

/** All that one revision offers, every list in its order. Money is whole kobo. Never changed once it is read. */
export interface Snapshot {
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
  /** The catalogue's change counter when this was read: another number in the store means that this is old. */
  readonly changes: number;
  readonly dataProviders: readonly DataProvider[];
  readonly corporateBundles: readonly Readonly<CorporateBundleRow>[];
  readonly cableProviders: readonly CableProvider[];
}

/** The rows of a whole catalogue, every list in its order. */
export interface CatalogueRows {
  dataProviders: DataProviderRow[];
  dataBundles: DataBundleRow[];
  corporateBundles: CorporateBundleRow[];
  cableProviders: CableProviderRow[];
  cableProducts: CableProductRow[];
  cableAddOns: CableAddOnRow[];
}

/** Gives each provider its bundles or products, and each product its add-ons. */
export function snapshotOf(
  rows: CatalogueRows,
  revision: Pick<Snapshot, "revision" | "publishedAt" | "changes">,
): Snapshot {
  const bundles = Map.groupBy(rows.dataBundles, ({ type }) => type);
  const products = Map.groupBy(rows.cableProducts, ({ type }) => type);
  const addOns = Map.groupBy(rows.cableAddOns, ({ type, product_code }) => `${type}\n${product_code}`);
  return {
    ...revision,
    dataProviders: rows.dataProviders.map((provider) => ({ ...provider, bundles: bundles.get(provider.type) ?? [] })),
    corporateBundles: rows.corporateBundles,
    cableProviders: rows.cableProviders.map((provider) => ({
      ...provider,
      products: (products.get(provider.type) ?? []).map((product) => ({
        ...product,
        addOns: addOns.get(`${product.type}\n${product.code}`) ?? [],
      })),
    })),
  };
}

/** How often the catalogue was changed. */
export async function readChanges(db: Kysely<Tables>): Promise<number> {
  const row = await db
    .selectFrom("change_counter")
    .select("number")
    .where("name", "=", "catalogue")
    .executeTakeFirstOrThrow();
  return row.number;
}

/** The newest revision, all of it from one moment. The store must hold a revision. */
export async function readSnapshot(db: Kysely<Tables>): Promise<Snapshot> {
  // At the default isolation PostgreSQL would let each statement see a different moment.
  const view = db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
  return await view.execute(async (moment) => {
    const changes = await readChanges(moment);
    const revision = await moment
      .selectFrom("catalogue_revision")
      .selectAll()
      .orderBy("number", "desc")
      .limit(1)
      .executeTakeFirstOrThrow();
    const rows = {
      dataProviders: await moment.selectFrom("data_provider").selectAll().orderBy("position").execute(),
      dataBundles: await moment.selectFrom("data_bundle").selectAll().orderBy("position").execute(),
      corporateBundles: await moment.selectFrom("corporate_bundle").selectAll().orderBy("position").execute(),
      cableProviders: await moment.selectFrom("cable_provider").selectAll().orderBy("position").execute(),
      cableProducts: await moment.selectFrom("cable_product").selectAll().orderBy("position").execute(),
      cableAddOns: await moment.selectFrom("cable_add_on").selectAll().orderBy("position").execute(),
    };
    return snapshotOf(rows, { revision: revision.number, publishedAt: revision.created_at, changes });
  });
}

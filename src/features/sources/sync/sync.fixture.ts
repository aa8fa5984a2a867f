import { starterRows } from "../../../catalogue/catalogue.fixture.ts";
import { silent } from "../../../runtime/log.ts";
import { json, LocalVendor } from "../../../vendors/local-vendor.fixture.ts";
import { VendorClient } from "../../../vendors/vendor-client.ts";
import type { Pull } from "../vendors/catalogue-source.ts";
import { peerCatalogue } from "../vendors/peer/index.ts";
import type { SyncSource } from "./offer.ts";

/** What the tests of pulls share. */

type Row = Record<string, string | number>;

const authorized = {
  success: true,
  data: { token: { access_token: "duba_at_invented", expires_at: "2099-01-31 09:30:00" } },
};

/** A server in place of a source. It sells the starter catalogue until a test changes its lists. */
export class Shop {
  readonly lists: Record<string, Row[]> = {
    providers: starterRows("data-providers.json"),
    bundles: starterRows("data-bundles.json"),
    corporate: starterRows("corporate-bundles.json"),
    cables: starterRows("cable-providers.json"),
    products: starterRows("cable-products.json").map((row, at) => ({ id: at + 1, ...row })),
    addOns: starterRows("cable-add-ons.json"),
  };
  /** Headers of its responses. */
  headers: Record<string, string> = {};
  readonly vendor: LocalVendor;
  readonly source: SyncSource;
  readonly #http: VendorClient;

  private constructor(vendor: LocalVendor, http: VendorClient, pull: Pull) {
    this.vendor = vendor;
    this.#http = http;
    this.source = {
      name: peerCatalogue.name,
      covers: peerCatalogue.covers,
      pull,
    };
    vendor.behaviour = (response, received) => {
      const { pathname, searchParams } = new URL(received.path, vendor.url);
      const path = pathname.replace("/api/v2/", "");
      if (path === "catalogue/changes") return json(404, {})(response, received);
      json(200, this.#answer(path, searchParams), this.headers)(response, received);
    };
  }

  static async open(): Promise<Shop> {
    const vendor = await LocalVendor.start();
    const http = new VendorClient({ timeout: 1_000, connections: 1, keepAlive: true, log: silent });
    const account = { url: vendor.url, email: "shop@example.com", key: "duba_live_of_ours" };
    return new Shop(vendor, http, await peerCatalogue.open(account, { http, log: silent }));
  }

  /** How often a pull requested everything. */
  get pulls(): number {
    return this.vendor.received.filter(({ path }) => path.endsWith("/corporate-data/list")).length;
  }

  price(code: string, price: string): void {
    const row = this.lists.bundles!.find((row) => row.code === code)!;
    row.price = price;
  }

  async close(): Promise<void> {
    await this.#http.close();
    await this.vendor.close();
  }

  #answer(path: string, query: URLSearchParams): object {
    const { providers, bundles, corporate, cables, products, addOns } = this.lists;
    const of = (rows: Row[], type: string) => rows.filter((row) => row.type === query.get(type));
    switch (path) {
      case "merchant/authorization":
        return authorized;
      case "internet/data/fetch-providers":
        return { success: true, billers: providers };
      case "internet/data/lookup":
        return { success: true, data: { data: of(bundles!, "provider") } };
      case "corporate-data/list":
        return { success: true, data: corporate };
      case "cable-tv/fetch-providers":
        return { success: true, billers: cables };
      case "cable-tv/fetch-billers":
        return { success: true, plans: of(products!, "type") };
      default:
        return {
          success: true,
          data: of(addOns!, "type").filter((row) => row.product_code === query.get("productCode")),
        };
    }
  }
}

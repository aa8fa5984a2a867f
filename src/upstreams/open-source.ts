import type { Log } from "../runtime/log.ts";
import { HttpClient } from "./http-client.ts";
import type { CatalogueSource, Pull } from "./ports/catalogue-source.ts";
import type { VendorValues } from "./ports/vendor.ts";
import { catalogueSources } from "./registry.ts";

/** Milliseconds for one request. */
const timeout = 15_000;

/** An open source. */
export interface LiveSource extends Pick<CatalogueSource, "name" | "covers"> {
  pull: Pull;
  /** Ends all requests and closes all connections. */
  close(): Promise<void>;
}

/** Opens the source of this name with the values of its settings. */
export function openSource(wanted: string, values: VendorValues, log: Log): LiveSource {
  const source = catalogueSources.find(({ name }) => name === wanted);
  if (!source) throw new Error(`No catalogue source is called ${wanted}`);
  const http = new HttpClient({ timeout, connections: 1, keepAlive: true, log });
  const { name, covers } = source;
  return { name, covers, pull: source.open(values, { http, log }), close: () => http.close() };
}

import { type Log, withLogFields } from "../../../runtime/log.ts";
import type { VendorValues } from "../../../vendors/ports/vendor.ts";
import { VendorClient } from "../../../vendors/vendor-client.ts";
import type { CatalogueSource, Pull } from "./catalogue-source.ts";
import { sourceOf } from "./every-source.ts";

/** Milliseconds for one request to a catalogue source. */
const sourceTimeout = 15_000;

/** An open source. */
export interface LiveSource extends Pick<CatalogueSource, "name" | "covers"> {
  pull: Pull;
  /** Ends all requests and closes all connections. */
  close(): void;
}

/**
 * Opens the source of this name with the values of its settings. A rehearsal may follow a stand-in or the source
 * itself, because its lists name no person.
 */
export async function openSource(
  wanted: string,
  values: VendorValues,
  log: Log,
  isRehearsal = false,
): Promise<LiveSource> {
  const source = sourceOf(wanted);
  const standIns = isRehearsal && "either";
  const http = new VendorClient({ timeout: sourceTimeout, connections: 1, keepAlive: true, standIns, log });
  const { name, covers } = source;
  const pull = await source.open(values, { http, log });
  return {
    name,
    covers,
    pull: (...asked) => withLogFields({ vendor: name }, () => pull(...asked)),
    close: () => http.close(),
  };
}

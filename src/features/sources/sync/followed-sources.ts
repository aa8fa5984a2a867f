import type { Log } from "../../../runtime/log.ts";
import type { VendorValues } from "../../../vendors/ports/vendor.ts";
import type { SyncSource } from "./offer.ts";
import type { FollowedSource } from "./sync-settings.ts";

export interface OpenSource extends SyncSource {
  /** Ends all requests and closes all connections. */
  close(): void;
}

/** The settings that open sources. */
export interface OpenSettings {
  /** The values of each source's own settings. */
  readonly sources: Readonly<Record<string, VendorValues>>;
  readonly upstream: { readonly standIns: boolean };
}

/** Opens a source with the lists that it supplies here. */
export async function openFollowed(
  { name, covers }: FollowedSource,
  { sources, upstream }: OpenSettings,
  log: Log,
): Promise<OpenSource> {
  const { openSource } = await import("../../../vendors/open-vendors.ts");
  return { ...(await openSource(name, sources[name]!, log, upstream.standIns)), covers };
}

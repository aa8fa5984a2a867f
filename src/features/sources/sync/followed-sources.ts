import type { Config } from "../../../config/read-config.ts";
import type { Log } from "../../../runtime/log.ts";
import { sourceOf, valuesOfSource } from "../vendors/every-source.ts";
import type { SyncSource } from "./offer.ts";
import type { FollowedSource } from "./sync-settings.ts";

export interface OpenSource extends SyncSource {
  /** Ends all requests and closes all connections. */
  close(): void;
}

/** The settings that open sources. */
export type OpenSettings = Pick<Config, "ofFeatures"> & { readonly upstream: { readonly standIns: boolean } };

/** Opens a source with the lists that this source supplies here. */
export async function openFollowed(
  { name, covers }: FollowedSource,
  config: OpenSettings,
  log: Log,
): Promise<OpenSource> {
  const { openSource } = await import("../vendors/open-source.ts");
  const values = valuesOfSource(sourceOf(name), config);
  return { ...(await openSource(name, values, log, config.upstream.standIns)), covers };
}

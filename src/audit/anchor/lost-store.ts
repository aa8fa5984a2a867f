import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { keyringPath } from "../../keyring/file.ts";
import { StoreError } from "../../storage/errors.ts";
import { anchorPath } from "./anchor.ts";

/**
 * Throws a `StoreError` if the data directory has no store although live vendors are set and the key ring belongs to a
 * store. That missing store holds verifications and charges. Without live vendors, the audit trail's alarm must do.
 */
export function refuseLostStore(config: {
  dataDirectory: string;
  databaseUrl: string | undefined;
  keyring: string;
  upstreams: readonly string[];
}): void {
  const { dataDirectory, databaseUrl, upstreams } = config;
  if (databaseUrl || upstreams.length === 0 || existsSync(join(dataDirectory, "duba.db"))) return;
  const anchor = anchorPath(keyringPath(config));
  if (!existsSync(anchor)) return;
  throw new StoreError(
    `${resolve(dataDirectory)} holds no store, but the key ring belongs to one, as its anchor ${anchor} says: put the store back, or restore a backup. To begin with an empty store: duba serve --new-store.`,
  );
}

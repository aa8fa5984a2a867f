import { stat } from "node:fs/promises";
import type { Log } from "../runtime/log.ts";
import { reportingNewFailures } from "../runtime/reporting-new-failures.ts";
import { codeOf } from "../storage/errors.ts";
import type { Db } from "../storage/tables.ts";
import { openKeyring, readKeyring } from "./file.ts";
import { type CurrentKeyring, type Keyring, KeyringError, keyringReasonOf, matchKeyring } from "./keyring.ts";

/** The key ring of a serving process, reloaded when its file changes. */
export interface WatchedKeyring extends CurrentKeyring {
  /** Whether this start created the file. */
  readonly made: boolean;
  /** Reads the file again if it changed. An unusable ring is reported, and the previous ring stays. */
  look(): Promise<void>;
}

/**
 * After this many checks of an unchanged file, the ring is compared with the store as well, because the file on another
 * machine may have changed.
 */
const checkEvery = 10;

/**
 * Opens the ring for serving. A changed ring replaces the current one if it is valid and belongs to this store.
 * Otherwise the log says why, and the current one stays. Throws `KeyringError` as `openKeyring` and `matchKeyring` do.
 */
export async function watchKeyring({
  path,
  db,
  log,
  now = Date.now,
}: {
  path: string;
  db: Db;
  log: Log;
  now?: () => number;
}): Promise<WatchedKeyring> {
  /** Retries if the file changed during the read: the store may already know the keys of the next ring. */
  const matched = async <Read extends { keyring: Keyring }>(read: () => Promise<Read>) => {
    for (;;) {
      const state = await stateOf(path);
      try {
        const found = await read();
        await matchKeyring(db, found.keyring, now());
        return { ...found, state };
      } catch (error) {
        if ((await stateOf(path)) === state) throw error;
      }
    }
  };
  const opened = await matched(() => openKeyring(path, db));
  let { state: seen } = opened;
  let looks = 0;

  const follow = reportingNewFailures(
    async (isChanged: boolean) => {
      const read = await matched(async () => ({ keyring: await readKeyring(path) })).catch((error: unknown) => {
        // If the file is unchanged and only the store is away, the current ring is still right, so there is nothing to
        // report.
        if (!isChanged && !(error instanceof KeyringError)) return undefined;
        throw error;
      });
      if (!read) return;
      if (read.state !== seen) watched.current = read.keyring;
      seen = read.state;
    },
    keyringReasonOf,
    (reason) => log.error({ reason }, "The changed key ring is not used: the ring that was read before stays in use"),
  );
  const watched = {
    current: opened.keyring,
    made: opened.made,
    async look() {
      looks += 1;
      const isChanged = (await stateOf(path)) !== seen;
      if (isChanged || looks % checkEvery === 0) await follow.run(isChanged);
    },
  };
  return watched;
}

/** Returns a text that differs whenever the file does. */
async function stateOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(" ");
  } catch (error) {
    return `${codeOf(error)}`;
  }
}

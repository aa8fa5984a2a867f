import { stat } from "node:fs/promises";
import type { Kysely } from "kysely";
import { every, reportingNewFailures } from "../runtime/every.ts";
import type { Log } from "../runtime/log.ts";
import { codeOf } from "../storage/errors.ts";
import type { Tables } from "../storage/tables.ts";
import { openKeyring, readKeyring } from "./file.ts";
import { type CurrentKeyring, type Keyring, keyringReasonOf, matchKeyring } from "./keyring.ts";

/** The key ring of a serving process, reloaded when its file changes. */
export interface WatchedKeyring extends CurrentKeyring {
  /** Whether this start created the file. */
  readonly made: boolean;
  /** Stops watching the file; the ring stays usable. */
  stop(): Promise<void>;
}

/** Every so many checks we compare an unchanged file with the store too: the file on another machine may have changed. */
const checkEvery = 10;

/**
 * Opens the ring for serving and checks its file for changes each second. A changed ring replaces the current one if it is valid
 * and belongs to this store; otherwise the log says why not, and the current one stays. Throws `KeyringFault` as `openKeyring`
 * and `matchKeyring` do.
 */
export async function watchKeyring({
  path,
  db,
  log,
  now = Date.now,
  lookEvery = 1000,
}: {
  path: string;
  db: Kysely<Tables>;
  log: Log;
  now?: () => number;
  lookEvery?: number;
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
  let { state: seen, keyring: current } = opened;
  let looks = 0;

  const follow = reportingNewFailures(
    async () => {
      const read = await matched(async () => ({ keyring: await readKeyring(path) }));
      if (read.state !== seen) current = read.keyring;
      seen = read.state;
    },
    keyringReasonOf,
    (reason) => log.error({ reason }, "The changed key ring is not used: the ring that was read before stays in use"),
  );
  const looking = every(lookEvery, async () => {
    looks += 1;
    if ((await stateOf(path)) !== seen || looks % checkEvery === 0) await follow.run();
  });

  return {
    get current() {
      return current;
    },
    made: opened.made,
    stop: () => looking.stop(),
  };
}

/** Differs when the file does. */
async function stateOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(" ");
  } catch (error) {
    return `${codeOf(error)}`;
  }
}

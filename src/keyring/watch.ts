import { stat } from "node:fs/promises";
import type { Kysely } from "kysely";
import { every, reportingNewFailures } from "../runtime/every.ts";
import type { Log } from "../runtime/log.ts";
import { codeOf } from "../storage/errors.ts";
import type { Tables } from "../storage/tables.ts";
import { openKeyring, readKeyring } from "./file.ts";
import { type CurrentKeyring, type Keyring, keyringReasonOf, matchKeyring } from "./keyring.ts";

/** The ring of a process that serves, which follows its file. */
export interface WatchedKeyring extends CurrentKeyring {
  /** Whether this start made the file. */
  readonly made: boolean;
  /** Resolves when nothing of it runs any more; the ring stays. */
  stop(): Promise<void>;
}

/** So many looks in between, the file is held against the store although it has not changed: another machine's may have. */
const checkEvery = 10;

/**
 * Opens the ring for serving and looks each second whether its file has changed. A changed ring is taken over if it is whole
 * and this store's; else the log says why not, and the ring from before stays. Throws `KeyringFault` as `openKeyring` and
 * `matchKeyring` do.
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
  /** A fault is only one if the file is still the one that was read: the store may know the next one's keys already. */
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
    (reason) => log.error({ reason }, "The key ring's file is not taken over: what was read of it before stays in use"),
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

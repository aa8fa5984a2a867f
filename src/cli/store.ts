import { userInfo } from "node:os";
import { readConfig } from "../config/read-config.ts";
import type { Audited } from "../storage/audited.ts";
import type { Io } from "./terminal/io.ts";
import { overridden } from "./terminal/options.ts";

/**
 * Opens the store that the settings (or `--data`) name, beside a process that may be serving it, and closes it after use.
 * `serving` keeps a service from running beside it, and makes a store that is missing; without it a missing one is a
 * `StoreFault`. With `patient` no statement of a transaction has to be done in time. Changes are recorded on the audit trail
 * as done by the user of this machine, or by `author`; a serving process seals them.
 */
export async function withStore<Result>(
  io: Io,
  data: string | undefined,
  use: (store: Audited) => Promise<Result>,
  { author, ...opening }: { serving?: boolean; patient?: boolean; author?: string | undefined } = {},
): Promise<Result> {
  const { dataDirectory, databaseUrl } = readConfig(overridden(io.environment, { DUBA_DATA: data }));
  const [{ openStore }, { append }] = await Promise.all([import("../storage/store.ts"), import("../audit/append.ts")]);
  const { serving = false } = opening;
  const store = await openStore({ dataDirectory, databaseUrl, serving, mustExist: !serving, ...opening });
  try {
    return await use({ db: store.db, audit: append, actor: operatorNamed(author ?? userName()) });
  } finally {
    await store.close();
  }
}

/** The key of the audit trail's seals and the path of its anchor, by the key ring that the settings (or `--data`) name. */
export async function trailOf(io: Io, data: string | undefined): Promise<{ sealKey: Buffer; anchor: string }> {
  const config = readConfig(overridden(io.environment, { DUBA_DATA: data }));
  const [{ keyringPath, readKeyring }, { anchorPath }] = await Promise.all([
    import("../keyring/file.ts"),
    import("../audit/anchor/anchor.ts"),
  ]);
  const path = keyringPath(config);
  return { sealKey: (await readKeyring(path)).audit, anchor: anchorPath(path) };
}

/** An actor of the audit trail. A name that is a number could be anything, so it is left out. */
function operatorNamed(given: string): string {
  const name = given.replace(/[^!-~]/g, "_").slice(0, 64);
  return name === "" || /^\d+$/.test(name) ? "operator" : `operator:${name}`;
}

/** Empty where the machine has no name for this user. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "";
  }
}

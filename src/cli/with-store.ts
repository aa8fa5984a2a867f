import { userInfo } from "node:os";
import { readConfig } from "../config/read-config.ts";
import type { Audited } from "../storage/audited.ts";
import type { Io } from "./terminal/io.ts";
import { withOverrides } from "./terminal/options.ts";

/**
 * Opens the store that the settings (or `--data`) name, and closes it after use. A service may run on the same store. With
 * `serving`, no service may run on it, and a missing store is created; without it, a missing store is a `StoreFault`.
 * `patient` turns the time-outs of statements off. The audit trail names `author`, or the user of this machine.
 */
export async function withStore<Result>(
  io: Io,
  data: string | undefined,
  use: (store: Audited) => Promise<Result>,
  { author, ...opening }: { serving?: boolean; patient?: boolean; author?: string | undefined } = {},
): Promise<Result> {
  const { dataDirectory, databaseUrl } = readConfig(withOverrides(io.environment, { DUBA_DATA: data }));
  const [{ openStore }, { append }] = await Promise.all([import("../storage/store.ts"), import("../audit/append.ts")]);
  const { serving = false } = opening;
  const store = await openStore({ dataDirectory, databaseUrl, serving, mustExist: !serving, ...opening });
  try {
    return await use({ db: store.db, audit: append, actor: operatorActor(author ?? userName()) });
  } finally {
    await store.close();
  }
}

/** Reads the key of the audit trail's seals and the path of its anchor from the key ring that the settings (or `--data`) name. */
export async function auditKeys(io: Io, data: string | undefined): Promise<{ sealKey: Buffer; anchor: string }> {
  const config = readConfig(withOverrides(io.environment, { DUBA_DATA: data }));
  const [{ keyringPath, readKeyring }, { anchorPath }] = await Promise.all([
    import("../keyring/file.ts"),
    import("../audit/anchor/anchor.ts"),
  ]);
  const path = keyringPath(config);
  return { sealKey: (await readKeyring(path)).audit, anchor: anchorPath(path) };
}

/** An actor of the audit trail. A name of digits only may be a BVN or a phone number, so we omit it. */
function operatorActor(given: string): string {
  const name = given.replace(/[^!-~]/g, "_").slice(0, 64);
  return name === "" || /^\d+$/.test(name) ? "operator" : `operator:${name}`;
}

/** Empty if the machine has no name for this user. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "";
  }
}

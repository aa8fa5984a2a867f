import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Kysely } from "kysely";
import type { Tables } from "../storage/tables.ts";

/** Why the key ring cannot be used: one sentence for people, which never holds a key. The process ends with `exitCode`. */
export class KeyringFault extends Error {
  override readonly name = "KeyringFault";
  readonly exitCode = 1;
}

export interface Keyring {
  /** For keyed hashes, oldest first: the last one is current. */
  readonly hmac: readonly { readonly version: number; readonly key: Buffer }[];
  /** For sealing records, oldest first: the last one is current. */
  readonly records: readonly { readonly id: string; readonly key: Buffer }[];
}

const keyBytes = 32;
const keyText = /^[A-Za-z0-9+/]{43}=$/;
const recordId = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * Opens the key ring of a file, and makes both on the first start: mode 0600, whole or not at all, once however many
 * processes start together. Throws `KeyringFault` if the file cannot be read, is damaged or cannot be made.
 */
export async function openKeyring(path: string): Promise<{ keyring: Keyring; made: boolean }> {
  const found = await textOf(path);
  if (found !== undefined) return { keyring: parse(found, path), made: false };
  const made = await make(path);
  const text = await textOf(path);
  if (text === undefined) throw new KeyringFault(`The key ring ${path} was taken away while it was being read.`);
  return { keyring: parse(text, path), made };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") return undefined;
    throw new KeyringFault(`The key ring ${path} cannot be read (${code}): check its path and who owns it.`);
  }
}

function newRing(): string {
  const key = () => randomBytes(keyBytes).toString("base64");
  const ring = { hmac: [{ version: 1, key: key() }], records: [{ id: "r1", key: key() }] };
  return `${JSON.stringify(ring, null, 2)}\n`;
}

/** True if this process made the file, false if another was faster. */
async function make(path: string): Promise<boolean> {
  const own = `${path}.${randomBytes(6).toString("hex")}.new`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(own, "wx", 0o600);
    try {
      await file.writeFile(newRing());
      await file.sync();
    } finally {
      await file.close();
    }
    // A link appears whole and never replaces: of two processes one wins, and the other reads the winner's.
    await link(own, path);
    await syncDirectory(dirname(path));
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EEXIST") return false;
    throw new KeyringFault(`The key ring ${path} cannot be made (${code}): give its directory to the service's user.`);
  } finally {
    await rm(own, { force: true });
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function parse(text: string, path: string): Keyring {
  const fault = (what: string) =>
    new KeyringFault(
      `The key ring ${path} is damaged: ${what}. Restore it from your copy; a new one cannot replace it.`,
    );
  let ring: { hmac?: unknown; records?: unknown } | null;
  try {
    ring = JSON.parse(text);
  } catch {
    throw fault("it is not JSON");
  }
  const list = (name: "hmac" | "records"): Record<string, unknown>[] => {
    const entries = ring?.[name];
    if (!Array.isArray(entries) || entries.length === 0) throw fault(`it has no list "${name}"`);
    return entries.map((entry) => Object(entry));
  };
  const keyOf = (entry: Record<string, unknown>, name: string): Buffer => {
    if (typeof entry.key !== "string" || !keyText.test(entry.key)) throw fault(`a key of "${name}" is not 32 bytes`);
    return Buffer.from(entry.key, "base64");
  };
  const hmac = list("hmac").map((entry) => {
    if (!Number.isInteger(entry.version) || Number(entry.version) < 1) throw fault("an hmac key has no version");
    return { version: Number(entry.version), key: keyOf(entry, "hmac") };
  });
  const records = list("records").map((entry) => {
    if (typeof entry.id !== "string" || !recordId.test(entry.id)) throw fault("a record key has no id");
    return { id: entry.id, key: keyOf(entry, "records") };
  });
  if (new Set(hmac.map((one) => one.version)).size < hmac.length) throw fault("two hmac keys have one version");
  if (new Set(records.map((one) => one.id)).size < records.length) throw fault("two record keys have one id");
  return { hmac, records };
}

/** What the store remembers of each key: enough to know it again, nothing to rebuild it from. */
function fingerprintsOf({ hmac, records }: Keyring): Map<string, string> {
  const fingerprint = (key: Buffer) => createHmac("sha256", key).update("duba key ring").digest("base64url");
  return new Map([
    ...hmac.map(({ version, key }) => [`keyring:hmac:${version}`, fingerprint(key)] as const),
    ...records.map(({ id, key }) => [`keyring:records:${id}`, fingerprint(key)] as const),
  ]);
}

/**
 * Notes new keys in the store and holds the ring against those it already knows. Throws `KeyringFault` if a key differs
 * or is missing: with another ring no idempotency key would be known again and no record could be opened.
 */
export async function matchKeyring(db: Kysely<Tables>, keyring: Keyring, now: number): Promise<void> {
  const own = fingerprintsOf(keyring);
  const read = () =>
    db.selectFrom("instance_secret").select(["name", "value"]).where("name", "like", "keyring:%").execute();
  refuseOther(own, await read());
  await db
    .insertInto("instance_secret")
    .values([...own].map(([name, value]) => ({ name, value, created_at: now })))
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  refuseOther(own, await read());
}

function refuseOther(own: Map<string, string>, known: readonly { name: string; value: string }[]): void {
  for (const { name, value } of known) {
    const mine = own.get(name);
    if (mine !== undefined && timingSafeEqual(Buffer.from(mine), Buffer.from(value.padEnd(mine.length)))) continue;
    const which = name.replace("keyring:", "").replace(":", " ");
    throw new KeyringFault(
      mine === undefined
        ? `The key ring lacks the key ${which} that this store was written with: put the ring back that has it.`
        : `The key ring is not the one of this store (key ${which} differs): put the store's own ring back.`,
    );
  }
}

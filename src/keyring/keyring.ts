import { createHmac, timingSafeEqual } from "node:crypto";
import { ErrorWithMends } from "../declare/command/mend.ts";
import { codeOf } from "../storage/errors.ts";
import { insertIfNew } from "../storage/queries/upsert.ts";
import type { Db } from "../storage/tables.ts";

/** The key ring cannot be used. `message` is one sentence without any key. The process ends with `exitCode`. */
export class KeyringError extends ErrorWithMends {
  override readonly name = "KeyringError";
  readonly exitCode = 1;
}

/** A sentence for the log that says why the ring could not be read or changed. */
export function keyringReasonOf(error: unknown): string {
  return error instanceof KeyringError ? error.message : `The store did not answer (${codeOf(error)}).`;
}

export interface RingKey {
  readonly key: Buffer;
  /** When the key becomes current, in milliseconds since 1970. Absent: the key is current from the beginning. */
  readonly from?: number;
}

export interface HmacKey extends RingKey {
  readonly version: number;
}

export interface RecordKey extends RingKey {
  readonly id: string;
}

export interface Keyring {
  /** For keyed hashes, oldest first. */
  readonly hmac: readonly HmacKey[];
  /** For sealing records, oldest first. */
  readonly records: readonly RecordKey[];
  /** The key of the audit trail's seals. This key never changes, because another key could not verify earlier seals. */
  readonly audit: Buffer;
}

/** The ring in use. Read `current` at each use: the file may change while the service runs. */
export interface CurrentKeyring {
  readonly current: Keyring;
}

/** The key to write with at `now`: the last one that has started. The others only open and recognise. */
export function currentOf<Key extends RingKey>(keys: readonly Key[], now: number): Key {
  let current = keys[0]!;
  for (const key of keys) if ((key.from ?? 0) <= now) current = key;
  return current;
}

const keyText = /^[A-Za-z0-9+/]{43}=$/;
const recordId = /^[A-Za-z0-9_-]{1,32}$/;

/** Reads a ring's text. Throws a `KeyringError` that names `path` for a damaged text. */
export function parseKeyring(text: string, path: string): Keyring {
  const problem = (what: string) =>
    new KeyringError(
      `The key ring ${path} is damaged: ${what}. Restore it from your copy; a new one cannot replace it.`,
    );
  let ring: { hmac?: unknown; records?: unknown; audit?: unknown } | null;
  try {
    ring = JSON.parse(text);
  } catch {
    throw problem("it is not JSON");
  }
  const list = (name: "hmac" | "records"): Record<string, unknown>[] => {
    const entries = ring?.[name];
    if (!Array.isArray(entries) || entries.length === 0) throw problem(`it has no list "${name}"`);
    return entries.map((entry) => Object(entry));
  };
  const bytesOf = (key: unknown, where: string): Buffer => {
    if (typeof key !== "string" || !keyText.test(key)) throw problem(`a key of "${where}" is not 32 bytes`);
    const bytes = Buffer.from(key, "base64");
    if (bytes.every((byte) => byte === 0)) throw problem(`a key of "${where}" is all zeros`);
    return bytes;
  };
  const keyOf = ({ key, from }: Record<string, unknown>, where: string): RingKey => {
    if (from !== undefined && !Number.isSafeInteger(from)) throw problem(`a time of "${where}" is not in milliseconds`);
    return { key: bytesOf(key, where), ...(from === undefined ? {} : { from: Number(from) }) };
  };
  const hmac = list("hmac").map((entry) => {
    if (!Number.isInteger(entry.version) || Number(entry.version) < 1) throw problem("an hmac key has no version");
    return { version: Number(entry.version), ...keyOf(entry, "hmac") };
  });
  const records = list("records").map((entry) => {
    if (typeof entry.id !== "string" || !recordId.test(entry.id)) throw problem("a record key has no id");
    return { id: entry.id, ...keyOf(entry, "records") };
  });
  if (new Set(hmac.map((one) => one.version)).size < hmac.length) throw problem("two hmac keys have one version");
  if (new Set(records.map((one) => one.id)).size < records.length) throw problem("two record keys have one id");
  const audit = bytesOf(ring?.audit, "audit");
  const keys = [...hmac.map(({ key }) => key), ...records.map(({ key }) => key), audit];
  if (new Set(keys.map((key) => key.toString("base64"))).size < keys.length) throw problem("two of its keys are equal");
  return { hmac, records, audit };
}

/** The text of a ring's file. */
export function keyringText({ hmac, records, audit }: Keyring): string {
  const written = <Key extends RingKey>(keys: readonly Key[]) =>
    keys.map((entry) => ({ ...entry, key: entry.key.toString("base64") }));
  const ring = { hmac: written(hmac), records: written(records), audit: audit.toString("base64") };
  return `${JSON.stringify(ring, null, 2)}\n`;
}

export const hmacName = (version: number) => `keyring:hmac:${version}`;
export const recordsName = (id: string) => `keyring:records:${id}`;

/**
 * A key for records or hashes, with its name in commands, such as `r1` or `v1`, and the name of its fingerprint in the
 * store.
 */
export interface NamedKey extends RingKey {
  readonly use: "records" | "hashes";
  readonly name: string;
  readonly fact: string;
}

export function namedKeys({ records, hmac }: Keyring): NamedKey[] {
  return [
    ...records.map(({ id, ...key }) => ({ ...key, use: "records" as const, name: id, fact: recordsName(id) })),
    ...hmac.map(({ version, ...key }) => ({
      ...key,
      use: "hashes" as const,
      name: `v${version}`,
      fact: hmacName(version),
    })),
  ];
}

/** Replaces the fingerprint of a retired key in the store: a ring may have the key or not. */
export const retired = "retired";

/** The store's fingerprint of each key, which recognises the key without revealing it. */
function fingerprintsOf(ring: Keyring): Map<string, string> {
  const fingerprint = (key: Buffer) => createHmac("sha256", key).update("duba key ring").digest("base64url");
  return new Map([
    ...namedKeys(ring).map(({ fact, key }) => [fact, fingerprint(key)] as const),
    ["keyring:audit", fingerprint(ring.audit)],
  ]);
}

/** The fingerprints in the store, by name. */
export async function knownKeys(db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom("fact").select(["name", "value"]).where("name", "like", "keyring:%").execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/**
 * The start of use of a record key, in milliseconds since 1970; undefined: no process has opened the store with this
 * key.
 */
export async function inUseSince(db: Db, { id, from }: RecordKey): Promise<number | undefined> {
  if (from !== undefined) return from;
  const noted = db.selectFrom("fact").select("created_at").where("name", "=", recordsName(id));
  return (await noted.executeTakeFirst())?.created_at;
}

/**
 * Adds the fingerprints of new keys to the store and compares existing ones. Throws `KeyringError` if a key differs or
 * is missing: with another ring Duba could recognise no idempotency key and open no record.
 */
export async function matchKeyring(db: Db, keyring: Keyring, now: number): Promise<void> {
  const own = fingerprintsOf(keyring);
  refuseOther(own, await knownKeys(db));
  for (const [name, value] of own) await insertIfNew(db, "fact", { name }, { value, created_at: now });
  refuseOther(own, await knownKeys(db));
}

function refuseOther(own: Map<string, string>, known: ReadonlyMap<string, string>): void {
  for (const [name, value] of known) {
    if (value === retired) continue;
    const mine = own.get(name);
    if (mine !== undefined && timingSafeEqual(Buffer.from(mine), Buffer.from(value.padEnd(mine.length)))) continue;
    const which = name.replace("keyring:", "").replace(":", " ");
    throw new KeyringError(
      mine === undefined
        ? `The key ring lacks the key ${which} that this store was written with: put the ring back that has it.`
        : `The key ring is not the one of this store (key ${which} differs): put the store's own ring back.`,
    );
  }
}

import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import type { Tables } from "../storage/tables.ts";
import { keyUsage } from "./key-usage.ts";
import {
  currentOf,
  hmacName,
  type Keyring,
  KeyringFault,
  knownKeys,
  matchKeyring,
  recordsName,
  retired,
} from "./keyring.ts";
import { changeKeyring } from "./keyring-file.ts";

/** A ring's file, and the store that it belongs to. */
export interface Place {
  path: string;
  db: Kysely<Tables>;
}

/** A process may still write what it made under the key before: for so long, in milliseconds, no such key is retired. */
const settling = 5 * 60_000;

/**
 * Adds a record key, a hash key or both, which become current at `from` (milliseconds since 1970). Gives their names.
 * Throws `KeyringFault` if the ring is not the store's or cannot be changed.
 */
export async function rotate(
  { path, db }: Place,
  { records, hashes, from, now }: { records: boolean; hashes: boolean; from: number; now: number },
): Promise<string[]> {
  const added: string[] = [];
  await changeKeyring(path, async (ring) => {
    await matchKeyring(db, ring, now);
    const used = [...(await knownKeys(db)).keys()];
    const next = (name: (number: number) => string) => {
      let number = 1;
      while (used.includes(name(number))) number += 1;
      return number;
    };
    const entry = () => ({ key: randomBytes(32), from });
    const id = `r${next((number) => recordsName(`r${number}`))}`;
    const version = next(hmacName);
    if (records) added.push(id);
    if (hashes) added.push(`v${version}`);
    return {
      ...ring,
      records: records ? [...ring.records, { id, ...entry() }] : ring.records,
      hmac: hashes ? [...ring.hmac, { version, ...entry() }] : ring.hmac,
    };
  });
  return added;
}

/**
 * Removes a key that nothing needs any more, `r1` or `v1`, from the ring and from what the store demands of a ring. Throws
 * `KeyringFault` if a verification needs it, or if it is or may become current.
 */
export async function retire({ path, db }: Place, name: string, now: number): Promise<void> {
  await changeKeyring(path, async (ring) => {
    await matchKeyring(db, ring, now);
    const { left, known, used } = without(ring, name, now);
    const count = used(await keyUsage(db)) ?? 0;
    if (count > 0) throw new KeyringFault(needed(name, count));
    // The store first: no process then takes a ring without the key for a damaged one.
    await db.updateTable("instance_secret").set({ value: retired }).where("name", "=", known).execute();
    return left;
  });
}

type Used = (usage: Awaited<ReturnType<typeof keyUsage>>) => number | undefined;

/** The ring without a key, the key's name in the store, and how to find out what needs it. */
function without(ring: Keyring, name: string, now: number): { left: Keyring; known: string; used: Used } {
  if (ring.records.some(({ id }) => id === name)) {
    refuseNewest(ring.records, ({ id }) => id === name, name, now);
    const left = { ...ring, records: ring.records.filter(({ id }) => id !== name) };
    return { left, known: recordsName(name), used: ({ records }) => records.get(name) };
  }
  const entry = ring.hmac.find(({ version }) => `v${version}` === name);
  if (!entry) throw new KeyringFault(`The key ring has no such key; it has ${namesOf(ring).join(", ")}.`);
  refuseNewest(ring.hmac, (one) => one === entry, name, now);
  const left = { ...ring, hmac: ring.hmac.filter((one) => one !== entry) };
  return { left, known: hmacName(entry.version), used: ({ hashes }) => hashes.get(entry.version) };
}

function refuseNewest<Key extends { key: Buffer; from?: number }>(
  keys: readonly Key[],
  isMeant: (key: Key) => boolean,
  name: string,
  now: number,
): void {
  const current = currentOf(keys, now);
  if (keys.findIndex(isMeant) >= keys.indexOf(current))
    throw new KeyringFault(`The key ${name} is current or will be: rotate the ring first.`);
  const settled = (current.from ?? 0) + settling;
  if (settled > now)
    throw new KeyringFault(
      `The key ${name} may still be in use: its successor is current for less than 5 minutes. Try again after ${new Date(settled).toISOString()}.`,
    );
}

function needed(name: string, count: number): string {
  if (name.startsWith("v")) return `${count} verifications on the ledger are hashed with ${name}: it must stay.`;
  return `${count} records are sealed under ${name}: run duba keyring rewrap first.`;
}

/** The names of all keys, as commands take them. */
export function namesOf({ records, hmac }: Keyring): string[] {
  return [...records.map(({ id }) => id), ...hmac.map(({ version }) => `v${version}`)];
}

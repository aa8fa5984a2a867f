import { randomBytes } from "node:crypto";
import { mend } from "../../declare/command/mend.ts";
import { changeKeyring } from "../../keyring/file.ts";
import {
  currentOf,
  hmacName,
  type Keyring,
  KeyringError,
  knownKeys,
  matchKeyring,
  type NamedKey,
  namedKeys,
  recordsName,
  retired,
} from "../../keyring/keyring.ts";
import { type Audited, inTransaction } from "../../storage/audited.ts";
import { keyringTrail } from "./keyring-trail.ts";
import { usageOf } from "./usage.ts";

/** A ring's file, its store, and the actor of changes. */
export interface RingPlace extends Audited {
  path: string;
}

/** For this many milliseconds after a rotation, a process may still write rows made with the old key. */
export const settling = 5 * 60_000;

/**
 * Adds a record key, a hash key or both. The new keys become current `wait` milliseconds after they are written.
 * Returns their names and that time, in milliseconds since 1970. With `after`, adds keys only if `after` is still the
 * newest record key. Throws `KeyringError` if the ring is not the store's or cannot be changed.
 */
export async function rotate(
  { path, db, audit, actor }: RingPlace,
  {
    records,
    hashes,
    wait,
    now,
    after,
  }: { records: boolean; hashes: boolean; wait: number; now: () => number; after?: string },
): Promise<{ added: string[]; from: number }> {
  const added: string[] = [];
  let from = 0;
  await changeKeyring(path, async (ring) => {
    await matchKeyring(db, ring, now());
    if (after !== undefined && ring.records.at(-1)!.id !== after) return ring;
    const known = await knownKeys(db);
    /** The first number that no key has ever used. */
    const free = (nameOf: (number: number) => string, number = 1): number =>
      known.has(nameOf(number)) ? free(nameOf, number + 1) : number;
    // The clock must be read here, because the store may have taken long to answer.
    from = now() + wait;
    const entry = () => ({ key: randomBytes(32), from });
    const id = `r${free((number) => recordsName(`r${number}`))}`;
    const version = free(hmacName);
    if (records) added.push(id);
    if (hashes) added.push(`v${version}`);
    // Audit before we write the file, so that the ring never has a key that is missing from the audit trail.
    await audit(db, keyringTrail.rotated(actor, { keys: added.join(" ") }));
    return {
      ...ring,
      records: records ? [...ring.records, { id, ...entry() }] : ring.records,
      hmac: hashes ? [...ring.hmac, { version, ...entry() }] : ring.hmac,
    };
  });
  return { added, from };
}

/**
 * Removes an unused key, such as `r1` or `v1`, from the ring. The store then accepts a ring without this key. Throws
 * `KeyringError` if the ring lacks the key, a verification or the secret of an endpoint needs it, it is or may become
 * current, or the current key began less than 5 minutes ago.
 */
export async function retire({ path, db, audit, actor }: RingPlace, name: string, now: number): Promise<void> {
  await changeKeyring(path, async (ring) => {
    await matchKeyring(db, ring, now);
    const keys = namedKeys(ring);
    const meant = findKey(keys, name);
    refuseNewest(
      keys.filter(({ use }) => use === meant.use),
      meant,
      now,
    );
    const count = (await usageOf[meant.use](db)).get(name);
    if (count !== undefined)
      throw meant.use === "records"
        ? new KeyringError(
            `The key ${name} must stay: ${count} of the held records and secrets are sealed under it.`,
            mend("Seal them under the current key first", "keyring.rewrap"),
          )
        : new KeyringError(
            `The key ${name} must stay: ${count} of the ledger's verifications are hashed with it, and go after 24 months.`,
          );
    // Change the store first: otherwise a process could reject the ring without this key as damaged.
    await inTransaction(db, async (trx) => {
      await trx.updateTable("fact").set({ value: retired }).where("name", "=", meant.fact).execute();
      await audit(trx, keyringTrail.retired(actor, { key: name }));
    });
    return {
      ...ring,
      records: ring.records.filter(({ key }) => key !== meant.key),
      hmac: ring.hmac.filter(({ key }) => key !== meant.key),
    };
  });
}

/** Returns the key of a ring with this name. Throws `KeyringError` if the ring has none. */
export function findKey(keys: readonly NamedKey[], name: string): NamedKey {
  const found = keys.find((each) => each.name === name);
  if (!found) throw new KeyringError(`The key ring has no such key; it has ${keys.map((key) => key.name).join(", ")}.`);
  return found;
}

function refuseNewest(keys: readonly NamedKey[], meant: NamedKey, now: number): void {
  const { name } = meant;
  const current = currentOf(keys, now);
  if (keys.indexOf(meant) >= keys.indexOf(current))
    throw new KeyringError(`The key ${name} is current or will be: rotate the ring first.`);
  const settled = (current.from ?? 0) + settling;
  if (settled > now) {
    const minutes = Math.ceil((settled - now) / 60_000);
    throw new KeyringError(
      `The key ${name} may still be in use: its successor is current for less than 5 minutes. ` +
        `Try again in ${minutes === 1 ? "1 minute" : `${minutes} minutes`}.`,
    );
  }
}

/** The names of all keys, in the form of commands. */
export function namesOf(ring: Keyring): string[] {
  return namedKeys(ring).map(({ name }) => name);
}

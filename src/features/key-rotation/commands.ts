import { setTimeout } from "node:timers/promises";
import { list, orNull, reference, state, time } from "../../declare/command/answer-schema.ts";
import { mend } from "../../declare/command/mend.ts";
import { flag, formed, InputError } from "../../declare/command/read-texts.ts";
import { command } from "../../declare/command.ts";
import { timeFrom } from "../../declare/duration.ts";
import Type from "../../declare/schema/type.ts";
import { currentOf, type Keyring, namedKeys } from "../../keyring/keyring.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Audited, WithClock } from "../../storage/audited.ts";
import { keyringTrail } from "./keyring-trail.ts";

interface Room extends Audited, WithClock {
  keyring(): Promise<{ ring: Keyring; path: string }>;
  progress: (done: number, all: number) => void;
  config: { timeZone: TimeZone };
}

const keyFacts = {
  key: reference,
  for: Type.Enum(["records", "hashes"]),
  from: orNull({ ...time, none: "the start" }),
  state: state(["current", "waiting", "old"]),
};

const listKeyring = command({
  id: "keyring.list",
  title: "Key ring",
  summary: "List the keys: what each is for, when it starts, and whether Duba uses it for new records.",
  role: "viewer",
  kind: "read",
  answer: Type.Array(Type.Object(keyFacts)),
  run: async (_, room: Room) => keysOf((await room.keyring()).ring, room.now()),
});

const showKeyring = command({
  id: "keyring.show",
  title: "What needs each key",
  summary: "List the keys with the number of verifications and event endpoints that need each key.",
  description: "It reads the whole ledger.",
  role: "viewer",
  kind: "read",
  store: "untimed",
  answer: Type.Array(Type.Object({ ...keyFacts, needed_by: Type.Integer() })),
  view: (keys) => {
    const idle = keys.filter(({ state, needed_by }) => state === "old" && needed_by === 0).map(({ key }) => key);
    const note = `Nothing needs ${idle.join(", ")} any more.`;
    const retire = idle.map((key) => mend(`Retire ${key}`, "keyring.retire", { key }));
    return idle.length === 0 ? [list] : [list, { note, mends: retire }];
  },
  run: async (_, { db, now, keyring }: Room) => {
    const { usageOf } = await import("./usage.ts");
    const { ring } = await keyring();
    const usage = { hashes: await usageOf.hashes(db), records: await usageOf.records(db) };
    return keysOf(ring, now()).map((key) => ({ ...key, needed_by: usage[key.for].get(key.key) ?? 0 }));
  },
});

function keysOf(ring: Keyring, now: number) {
  const current = [currentOf(ring.records, now), currentOf(ring.hmac, now)].map(({ key }) => key);
  return namedKeys(ring).map(({ name, use, key, from }) => {
    const state: "current" | "waiting" | "old" = current.includes(key)
      ? "current"
      : (from ?? 0) > now
        ? "waiting"
        : "old";
    return { key: name, for: use, from: from ?? null, state };
  });
}

const rotateKeyring = command({
  id: "keyring.rotate",
  title: "Rotate",
  summary: "Add a record key and a hash key to the key ring.",
  description:
    "They become current after a delay, so that all processes know them before one uses them. " +
    "If you have several machines, copy the file to all of them before that time.",
  role: "officer",
  kind: "change",
  gives: "authority",
  only: "terminal",
  input: Type.Object({
    records: flag("Add only a record key. It encrypts records."),
    hashes: flag("Add only a hash key. It hashes BVNs, request bodies and idempotency keys."),
    // Serving processes read the file each second. A longer wait leaves time to copy the file to other machines.
    in: formed(timeFrom("5s"), {
      description: "Time until the new keys become current. Minimum: 5s.",
      placeholder: "time",
      default: "10s",
    }),
  }),
  answer: Type.Object({ added: Type.Array(Type.String()), from: time, path: Type.String() }),
  view: ({ added, from, path }, { at }) => [
    `${added.join(" and ")} will be current from ${at(from, true)}.`,
    { note: `Copy ${path} to a safe place now. You cannot read later records without it.` },
  ],
  records: [keyringTrail.rotated],
  examples: [{}, { records: true, in: "10min" }],
  run: async ({ records, hashes, in: wait }, { keyring, ...store }: Room) => {
    const { rotate } = await import("./rotate.ts");
    const which = { records: records ?? !hashes, hashes: hashes ?? !records };
    const { path } = await keyring();
    const { added, from } = await rotate({ ...store, path }, { ...which, wait, now: store.now });
    return { added, from, path };
  },
});

const rewrapKeys = command({
  id: "keyring.rewrap",
  title: "Rewrap",
  summary:
    "Encrypt the key of each stored record, and the secrets of event endpoints, with the current record key, " +
    "so that you can retire older keys.",
  description:
    "It waits for a new key that becomes current within 15 seconds. You may stop the command and run it again.",
  onTerminal: "The exit code is 1 if Duba cannot open a record or a secret.",
  role: "officer",
  kind: "change",
  gives: "authority",
  only: "terminal",
  counts: "records",
  answer: Type.Object({
    records: Type.Integer(),
    key: Type.String(),
    a_second: Type.Integer(),
    unreadable: Type.Array(Type.String()),
  }),
  view: ({ records, key, a_second, unreadable }) => [
    `${records} ${records === 1 ? "record was" : "records were"} moved to ${key}, ${a_second} a second.`,
    ...(unreadable.length === 0
      ? []
      : [{ note: `This key ring cannot open these, so they did not change: ${unreadable.join(", ")}` }]),
  ],
  isWell: ({ unreadable }) => unreadable.length === 0,
  records: [keyringTrail.rewrapped],
  run: async (_, { db, audit, actor, now: time, keyring, progress, config }: Room) => {
    const { ring } = await keyring();
    await becomeCurrent(ring, time, config.timeZone);
    const now = time();
    const { countOutdated, rewrap } = await import("./rewrap.ts");
    const key = currentOf(ring.records, now).id;
    const all = await countOutdated(db, ring, now);
    const begun = performance.now();
    const { rows, unreadable } = await rewrap(db, ring, { now, progress: (rows) => progress(rows, all) });
    await audit(db, keyringTrail.rewrapped(actor, { key, records: rows }));
    const a_second = Math.round((rows / Math.max(1, performance.now() - begun)) * 1000);
    return { records: rows, key, a_second, unreadable };
  },
});

const retireKey = command({
  id: "keyring.retire",
  title: "Retire",
  summary: "Remove a key that no verification needs.",
  description:
    "Duba refuses if a verification needs it, and in the first 5 minutes of its successor. " +
    "If you have several machines, copy the file to the others afterwards.",
  role: "officer",
  kind: "danger",
  gives: "authority",
  only: "terminal",
  store: "untimed",
  target: ["key"],
  input: Type.Object({ key: Type.String({ description: "Name of the key in `duba keyring show`." }) }),
  answer: Type.Object({ key: Type.String() }),
  view: ({ key }) => [`The key ${key} is retired.`],
  records: [keyringTrail.retired],
  guide: {
    heading: "What to know:",
    items: [
      [
        "Copies",
        "Old copies of the key ring still contain the key. With one of them, a person can open the records in an " +
          "old copy of the database.",
      ],
    ],
  },
  examples: [{ key: "r1" }],
  effect: async ({ key }, { keyring }: Room) => {
    const { findKey } = await import("./rotate.ts");
    findKey(namedKeys((await keyring()).ring), key);
    return { says: [] };
  },
  run: async ({ key }, { keyring, ...store }: Room) => {
    const { retire } = await import("./rotate.ts");
    await retire({ ...store, ...(await keyring()) }, key, store.now());
    return { key };
  },
});

export const rotationCommands = [listKeyring, showKeyring, rotateKeyring, rewrapKeys, retireKey];

/** More than the usual wait of `keyring rotate`. */
const longestWait = 15_000;

/** Waits for a record key that becomes current within 15 seconds. Throws an `InputError` if one takes longer. */
async function becomeCurrent({ records }: Keyring, now: () => number, zone: TimeZone): Promise<void> {
  for (;;) {
    const waiting = records.findLast(({ from = 0 }) => from > now());
    if (!waiting) return;
    const rest = waiting.from! - now();
    if (rest > longestWait) {
      const from = zone.textOf(waiting.from!, true);
      throw new InputError(`The key ${waiting.id} becomes current at ${from}. Run rewrap after that.`);
    }
    await setTimeout(rest);
  }
}

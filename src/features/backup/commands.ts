import type { Config } from "../../config/read-config.ts";
import { orNull, time } from "../../declare/command/answer-schema.ts";
import { flag } from "../../declare/command/read-texts.ts";
import { command } from "../../declare/command.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import type { Audited } from "../../storage/audited.ts";
import { endpointTrail } from "../../storage/events/endpoint-trail.ts";
import { backupTrail } from "./backup-trail.ts";

interface Room extends Audited {
  config: Config;
  progress: (rows: number, all: number) => void;
}

const Unchecked = Type.Object({
  why: Type.String({ description: "Why the key ring checked nothing." }),
  keys: Type.Array(Type.String(), { description: "The keys that the store was written with." }),
  sealed_batches: Type.Integer({ description: "Batches of the audit trail whose seals nobody checked." }),
  sealed_entries: Type.Integer({ description: "Entries in them." }),
  hashed_verifications: Type.Integer({ description: "Verifications that nobody recognises again." }),
  sealed_secrets: Type.Integer({ description: "Webhook endpoints whose secrets nobody opens." }),
});

const backupStore = command({
  id: "backup",
  title: "Back up",
  summary: "Write the store to a file, without identity records.",
  description:
    "The new file holds accounts, API keys, catalogue, ledger and audit trail, all as of one moment. " +
    "It contains no identity records and no keys of records. The service may run meanwhile.",
  role: "officer",
  kind: "change",
  only: "terminal",
  store: "untimed",
  target: ["file"],
  input: Type.Object({
    file: Type.String({ description: "The new file. Only its owner can read it." }),
    check: flag("Write nothing, but read this file of an earlier backup to its end, as a restore would."),
  }),
  answer: Type.Object({
    file: Type.String(),
    rows: Type.Integer(),
    sha256: Type.String(),
    bytes: Type.Integer(),
    as_of: orNull(time),
  }),
  view: ({ file, rows, bytes, sha256, as_of }, { at }) => [
    `${rows} rows are in ${file} (${bytes} bytes).`,
    ...(as_of === null ? [] : [`The file is whole, as of ${at(as_of, true)}. This version can restore it.`]),
    `SHA-256: ${sha256}`,
    { note: "Keep a copy of the key ring in another place. A restored store does not work without it." },
  ],
  records: [backupTrail.backedUp],
  guide: {
    heading: "What to know:",
    items: [
      ["Key ring", "The backup does not contain it. The restored store needs the same key ring."],
      [
        "Changes",
        "Duba signs the file with the key ring, so a restore detects changes. " +
          "The audit trail has an entry for each backup.",
      ],
      ["Records", "After a restore, retries of older verifications receive 410 record_no_longer_held."],
      [
        "Keep it safe",
        "The file contains e-mails of accounts, hashes of API keys, and keyed hashes and last digits of BVNs.",
      ],
    ],
  },
  examples: [{ file: "duba-2026-11-01.jsonl" }, { file: "duba-2026-11-01.jsonl", check: true }],
  run: async ({ file, check }, { progress, config, ...store }: Room) => {
    const { ofBackup } = await import("./backup-options.ts");
    const options = await ofBackup(config);
    if (check) {
      const { checkBackup } = await import("./restore.ts");
      const { madeAt, ...found } = await checkBackup(file, options.sign);
      return { file, ...found, as_of: Date.parse(madeAt) };
    }
    const { backup } = await import("./backup.ts");
    return { file, ...(await backup(store, file, { ...options, progress })), as_of: null };
  },
});

const restoreStore = command({
  id: "restore",
  title: "Restore",
  summary: "Restore a backup into an empty store.",
  description:
    "On SQLite or PostgreSQL. The command restores everything or nothing. " +
    "The store must be new or unused, and no service may run on it. Before you start, put the key ring of the " +
    "original store in its place.",
  role: "officer",
  kind: "change",
  only: "terminal",
  store: "own",
  target: ["file"],
  input: Type.Object({
    file: Type.String({ description: "The file that `duba backup` wrote." }),
    without_keyring: flag(
      "Restore although the key ring is lost. Duba cannot check then whether somebody changed the backup, " +
        "and says what it did not check. If the key ring is there after all, Duba checks with it.",
    ),
    without_endpoints: flag(
      "For a rehearsal: leave out the webhook endpoints, so that a service on this store sends no event to a client.",
    ),
  }),
  answer: Type.Object({
    rows: Type.Integer(),
    made_at: time,
    endpoints: Type.Integer({ description: "Webhook endpoints to which a service on this store sends events." }),
    found_keyring: orNull(Type.String({ description: "The key ring that was there although it was called lost." })),
    unchecked: orNull(Unchecked),
  }),
  view: ({ rows, made_at, endpoints, found_keyring, unchecked }, { at }) => [
    `${rows} rows are restored, as of ${at(made_at, true)}. The counts agree with the backup.`,
    ...(endpoints === 0
      ? []
      : [
          `A service on this store sends events to its webhook endpoints (${endpoints}). In a rehearsal they get false events: restore with --without-endpoints.`,
        ]),
    ...(found_keyring === null ? [] : [`The key ring ${found_keyring} is there, so Duba checked everything with it.`]),
    ...(unchecked === null ? [] : saidOf(unchecked)),
  ],
  records: [backupTrail.restored, endpointTrail.endpointRemoved],
  guide: {
    heading: "What to do after a restore:",
    items: [
      [
        "Erased persons",
        "Erase persons again if you erased them after the backup. The backup contains hashes and last digits of " +
          "their BVNs, but no records.",
      ],
      ["Keys", "Revoke keys and suspend accounts again if you did so after the backup. They are active again."],
      [
        "Events",
        "Deliveries that waited are not sent, and cursors of GET /api/v2/events are refused: " +
          "receivers read after=0 once. A service on the restored store sends new events to the same endpoints.",
      ],
    ],
  },
  examples: [{ file: "duba-2026-11-01.jsonl" }, { file: "duba-2026-11-01.jsonl", without_endpoints: true }],
  run: async ({ file, without_keyring, without_endpoints }, { progress, config, ...store }: Room) => {
    const { ofRestore } = await import("./backup-options.ts");
    const { restore } = await import("./restore.ts");
    const { options, done, ring, ofRing } = await ofRestore(config, file, without_keyring === true);
    const more = { withoutEndpoints: without_endpoints === true, progress };
    const { rows, madeAt, endpoints } = await restore(store, file, { ...options, ...more });
    await done(store.db);
    return {
      rows,
      endpoints,
      made_at: Date.parse(madeAt),
      found_keyring: without_keyring && "path" in ring ? ring.path : null,
      unchecked: "why" in ring ? { why: ring.why, ...(await ofRing(store.db)) } : null,
    };
  },
});

function saidOf(unchecked: Static<typeof Unchecked>): string[] {
  const { why, keys, sealed_batches, sealed_entries, hashed_verifications, sealed_secrets } = unchecked;
  return [
    `Not checked: ${why}`,
    "- The signature of the file: whoever had it could change each row.",
    `- The seals of the audit trail: ${sealed_entries} entries in ${sealed_batches} batches.`,
    `- The keys of the store: ${keys.join(", ")}. No service starts on it without them.`,
    `Without them nobody recognises ${hashed_verifications} verifications by their number or idempotency key, or opens the secrets of ${sealed_secrets} webhook endpoints.`,
  ];
}

export const backupCommands = [backupStore, restoreStore];

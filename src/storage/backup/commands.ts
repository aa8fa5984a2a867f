import type { Kysely } from "kysely";
import { orNull, time } from "../../operation/command/answer-schema.ts";
import { flag } from "../../operation/command/read-texts.ts";
import { command } from "../../operation/command.ts";
import Type from "../../operation/schema/type.ts";
import type { Audited } from "../audited.ts";
import type { Tables } from "../tables.ts";
import type { BackupOptions } from "./backup.ts";
import type { RestoreOptions } from "./restore.ts";

interface Room extends Audited {
  progress: (rows: number, all: number) => void;
  backups: {
    /** What a backup needs from other rooms. */
    ofBackup(): Promise<Pick<BackupOptions, "madeBy" | "sign" | "figures">>;
    /**
     * What a restore needs from other rooms, and what to do after it. Without the key ring, a restore checks no
     * signature.
     */
    ofRestore(isRingLost: boolean): Promise<{ options: RestoreOptions; done(db: Kysely<Tables>): Promise<void> }>;
  };
}

const backupStore = command({
  id: "backup",
  title: "Back up",
  summary: "Write the store to a file, without identity records.",
  description:
    "The new file holds accounts, API keys, catalogue, ledger and audit trail, all as of one moment. It contains no identity records " +
    "and no keys of records. The service may run meanwhile.",
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
  records: ["store.backed_up"],
  guide: {
    heading: "What to know:",
    items: [
      ["Key ring", "The backup does not contain it. The restored store needs the same key ring."],
      [
        "Changes",
        "Duba signs the file with the key ring, so a restore detects changes. The audit trail has an entry for each backup.",
      ],
      ["Records", "After a restore, retries of older verifications receive 410 record_no_longer_held."],
      [
        "Keep it safe",
        "The file contains e-mails of accounts, hashes of API keys, and keyed hashes and last digits of BVNs.",
      ],
    ],
  },
  examples: [{ file: "duba-2026-11-01.jsonl" }, { file: "duba-2026-11-01.jsonl", check: true }],
  run: async ({ file, check }, { progress, backups, ...store }: Room) => {
    const options = await backups.ofBackup();
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
    "On SQLite or PostgreSQL. The command restores everything or nothing. The store must be new or unused, and no service may run on it. " +
    "Before you start, put the key ring of the original store in its place.",
  role: "officer",
  kind: "change",
  only: "terminal",
  store: "own",
  target: ["file"],
  input: Type.Object({
    file: Type.String({ description: "The file that `duba backup` wrote." }),
    without_keyring: flag(
      "Restore although the key ring is lost. Duba cannot check then whether somebody changed the backup.",
    ),
  }),
  answer: Type.Object({ rows: Type.Integer(), made_at: time }),
  view: ({ rows, made_at }, { at }) => [
    `${rows} rows are restored, as of ${at(made_at, true)}. The counts agree with the backup.`,
  ],
  records: ["store.restored"],
  guide: {
    heading: "What to do after a restore:",
    items: [
      [
        "Erased persons",
        "Erase persons again if you erased them after the backup. The backup contains hashes and last digits of their BVNs, but no records.",
      ],
      ["Keys", "Revoke keys and suspend accounts again if you did so after the backup. They are active again."],
      [
        "Events",
        "Deliveries that waited are not sent, and cursors of GET /api/v2/events are refused: receivers read after=0 once.",
      ],
    ],
  },
  examples: [{ file: "duba-2026-11-01.jsonl" }],
  run: async ({ file, without_keyring }, { progress, backups, ...store }: Room) => {
    const { restore } = await import("./restore.ts");
    const { options, done } = await backups.ofRestore(without_keyring === true);
    const { rows, madeAt } = await restore(store, file, { ...options, progress });
    await done(store.db);
    return { rows, made_at: Date.parse(madeAt) };
  },
});

export const backupCommands = [backupStore, restoreStore];

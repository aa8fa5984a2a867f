import type { Command } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { readConfig } from "../../config/read-config.ts";
import { settings } from "../../config/settings.ts";
import { summary, type VerificationSummary } from "../../identity/ledger/summary.ts";
import { keyringPath, readKeyring } from "../../keyring/file.ts";
import { type Keyring, matchKeyring } from "../../keyring/keyring.ts";
import type { Verifier } from "../../storage/backup/restore.ts";
import { examples, section, subcommand } from "../terminal/help.ts";
import type { Io } from "../terminal/io.ts";
import { settingOption, withOverrides } from "../terminal/options.ts";
import { progressBar } from "../terminal/progress.ts";
import { auditKeys, withStore } from "../with-store.ts";

interface Options {
  withoutKeyring?: true;
  data?: string;
}

/** `duba backup`. */
export function addBackup(program: Command, io: Io): void {
  const about =
    "Write the store to a new file: accounts, API keys, catalogue, ledger and audit trail, all as of one moment. The file " +
    "contains no identity records and no keys of records. The service may run meanwhile.";
  const command = subcommand(program, "backup", about)
    .summary("Write the store to a file, without identity records.")
    .argument("<file>", "The new file. Only its owner can read it.")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async (path: string, { data }: Options) => {
      const progress = progressBar(io, "rows");
      const made = await withStore(
        io,
        data,
        async (store) => {
          const { sealKey } = await auditKeys(io, data);
          const [{ backup }, { signer }] = await Promise.all([
            import("../../storage/backup/backup.ts"),
            import("../../audit/chain/seal.ts"),
          ]);
          const figures = (snapshot: typeof store.db) => sumsOf(snapshot);
          const sign = signer(sealKey, "backup");
          return backup(store, path, { madeBy: manifest.version, sign, figures, progress: progress.update });
        },
        { patient: true },
      ).finally(progress.clear);
      io.out(`${made.rows} rows are in ${path} (${made.bytes} bytes).\nSHA-256: ${made.sha256}\n`);
      io.err("Keep a copy of the key ring in another place. A restored store does not work without it.\n");
    });
  section(command, "What to know:", [
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
  ]);
  examples(command, "duba backup duba-2026-11-01.jsonl");
}

/** `duba restore`. */
export function addRestore(program: Command, io: Io): void {
  const about =
    "Restore a backup into an empty store, on SQLite or PostgreSQL. The command restores everything or nothing. The store must " +
    "be new or unused, and no service may run on it. Before you start, put the key ring of the original store in its place.";
  const command = subcommand(program, "restore", about)
    .summary("Restore a backup into an empty store.")
    .argument("<file>", "The file that `duba backup` wrote.")
    .option(
      "--without-keyring",
      "Restore although the key ring is lost. Duba cannot check then whether somebody changed the backup.",
    )
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async (path: string, { data, withoutKeyring }: Options) => {
      const progress = progressBar(io, "rows");
      const restored = await withStore(
        io,
        data,
        async (store) => {
          const { restore } = await import("../../storage/backup/restore.ts");
          if (withoutKeyring)
            return restore(store, path, { sign: null, verifiers: [sameSums], progress: progress.update });
          const file = keyringPath(readConfig(withOverrides(io.environment, { DUBA_DATA: data })));
          const ring = await readKeyring(file);
          const [{ anchorPath, replaceAnchor }, { signer }] = await Promise.all([
            import("../../audit/anchor/anchor.ts"),
            import("../../audit/chain/seal.ts"),
          ]);
          const anchor = await replaceAnchor(anchorPath(file), signer(ring.audit));
          const verifiers = [sameSums, ...(await verifiersOf(ring))];
          const facts = { anchor: anchor.before };
          const sign = signer(ring.audit, "backup");
          const restored = await restore(store, path, { sign, verifiers, facts, progress: progress.update });
          await anchor.write(store.db);
          return restored;
        },
        { patient: true, serving: true },
      ).finally(progress.clear);
      io.out(`${restored.rows} rows are restored, as of ${restored.madeAt}. The counts agree with the backup.\n`);
    });
  section(command, "What to do after a restore:", [
    [
      "Erased persons",
      "Erase persons again if you erased them after the backup. The backup contains hashes and last digits of their BVNs, but no records.",
    ],
    ["Keys", "Revoke keys and suspend accounts again if you did so after the backup. They are active again."],
  ]);
  examples(command, "duba restore duba-2026-11-01.jsonl --data /var/lib/duba");
}

/** What was counted and charged, of each account and mode, in an order that is the same on both engines. */
async function sumsOf(db: Parameters<typeof summary>[0]): Promise<VerificationSummary[]> {
  const sums = await summary(db, { from: 0, to: Number.MAX_SAFE_INTEGER });
  const nameOf = ({ accountId, mode }: VerificationSummary) => `${accountId} ${mode}`;
  return sums.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

class RestoreFault extends Error {
  readonly exitCode = 1;
}

const sameSums: Verifier = async (restored, figures) => {
  if (JSON.stringify(await sumsOf(restored)) === JSON.stringify(figures)) return;
  throw new RestoreFault("The sums of the ledger differ from the backup. Nothing was restored.");
};

/** The key ring must be the restored store's, and the audit trail whole under it. */
async function verifiersOf(ring: Keyring): Promise<Verifier[]> {
  const { verify } = await import("../../audit/verify-chain.ts");
  return [
    (restored) => matchKeyring(restored, ring, Date.now()),
    async (restored) => {
      // At no time is an entry late: those of the backup's last second wait to be sealed ever since.
      const { faults } = await verify(restored, ring.audit, { found: () => {}, now: 0 });
      if (faults === 0) return;
      throw new RestoreFault(`The audit trail of the backup has ${faults} faults. Nothing was restored.`);
    },
  ];
}

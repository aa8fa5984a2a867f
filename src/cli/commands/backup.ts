import type { Command } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { readConfig } from "../../config/read-config.ts";
import { settings } from "../../config/settings.ts";
import { summary, type VerificationSummary } from "../../identity/ledger/summary.ts";
import { keyringPath, readKeyring } from "../../keyring/file.ts";
import { type Keyring, matchKeyring } from "../../keyring/keyring.ts";
import type { Verifier } from "../../storage/backup/restore.ts";
import { trailOf, withStore } from "../store.ts";
import { examples, section, subcommand } from "../terminal/help.ts";
import type { Io } from "../terminal/io.ts";
import { overridden, settingOption } from "../terminal/options.ts";
import { progressBar } from "../terminal/progress.ts";

interface Options {
  withoutKeyring?: true;
  data?: string;
}

/** `duba backup` and `duba restore`. */
export function addBackup(program: Command, io: Io): void {
  addMake(program, io);
  addRestore(program, io);
}

function addMake(program: Command, io: Io): void {
  const about =
    "Write all that the store holds at one moment into a new file, beside a service that runs: accounts, keys, catalogue, " +
    "ledger and audit trail, but no identity record and no key of one.";
  const command = subcommand(program, "backup", about)
    .summary("Write all that the store holds, but for identity records, into a file.")
    .argument("<file>", "The file to make; its owner alone may read it.")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async (path: string, { data }: Options) => {
      const progress = progressBar(io, "rows");
      const made = await withStore(
        io,
        data,
        async (store) => {
          const { sealKey } = await trailOf(io, data);
          const [{ backup }, { signer }] = await Promise.all([
            import("../../storage/backup/backup.ts"),
            import("../../audit/chain/seal.ts"),
          ]);
          const figures = (snapshot: typeof store.db) => sumsOf(snapshot);
          const sign = signer(sealKey, "backup");
          return backup(store, path, { madeBy: manifest.version, sign, figures, progress: progress.tell });
        },
        { patient: true },
      ).finally(progress.clear);
      io.out(`${made.rows} rows are in ${path} (${made.bytes} bytes).\nSHA-256: ${made.sha256}\n`);
      io.err("Keep a copy of the key ring elsewhere: a restored store is of no use without it.\n");
    });
  section(command, "What to know:", [
    ["Key ring", "It is not in the backup. The restored store needs the ring of this one."],
    ["Changes", "A hash under the key ring shows whether the file was changed. The audit trail notes each backup."],
    ["Records", "Replays of verifications from before are answered that the record is no longer held (410)."],
    ["Keep it safe", "It holds e-mails of accounts, hashes of API keys, keyed hashes and last digits of BVNs."],
  ]);
  examples(command, "duba backup duba-2026-11-01.jsonl");
}

function addRestore(program: Command, io: Io): void {
  const about =
    "Fill an empty store, on SQLite or PostgreSQL, with what a backup holds: all of it or nothing. The store must be new, " +
    "or as a first start left it, and no service may run on it. The key ring of the store that the backup is of must be in " +
    "its place.";
  const command = subcommand(program, "restore", about)
    .summary("Fill an empty store with what a backup holds.")
    .argument("<file>", "What `duba backup` made.")
    .option(
      "--without-keyring",
      "Restore a backup whose key ring is lost: nobody can tell then whether it was changed.",
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
            return restore(store, path, { sign: null, verifiers: [sameSums], progress: progress.tell });
          const file = keyringPath(readConfig(overridden(io.environment, { DUBA_DATA: data })));
          const ring = await readKeyring(file);
          const [{ anchorPath, replaceAnchor }, { signer }] = await Promise.all([
            import("../../audit/anchor/anchor.ts"),
            import("../../audit/chain/seal.ts"),
          ]);
          const anchor = await replaceAnchor(anchorPath(file), signer(ring.audit));
          const verifiers = [sameSums, ...(await verifiersOf(ring))];
          const facts = { anchor: anchor.before };
          const sign = signer(ring.audit, "backup");
          const restored = await restore(store, path, { sign, verifiers, facts, progress: progress.tell });
          await anchor.write(store.db);
          return restored;
        },
        { patient: true, serving: true },
      ).finally(progress.clear);
      io.out(`${restored.rows} rows are restored, as they were at ${restored.madeAt}. They were counted and agree.\n`);
    });
  section(command, "What was done since the backup:", [
    ["Erased persons", "Erase them again: the backup holds hashes and last digits of their BVNs, but no record."],
    ["Keys", "API keys that were revoked and accounts that were suspended since are in force again."],
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
  throw new RestoreFault("The ledger's sums are not those of the backup: nothing was restored.");
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
      throw new RestoreFault(`The audit trail of the backup has ${faults} faults: nothing was restored.`);
    },
  ];
}

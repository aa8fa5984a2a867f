import type { Config } from "../../config/read-config.ts";
import { CommandError } from "../../declare/command.ts";
import type { VerificationSummary } from "../../ledger/reports/summary.ts";
import { version } from "../../runtime/version.ts";
import type { Db } from "../../storage/tables.ts";
import type { BackupOptions } from "./backup.ts";
import type { Verifier } from "./restore.ts";

/** The parts of a backup that come from the ledger and the key ring: the ledger's sums, and a signature. */
export async function ofBackup(config: Config): Promise<Pick<BackupOptions, "madeBy" | "sign" | "figures">> {
  const { ring, signer } = await sealing(config);
  return { madeBy: version, sign: signer(ring.audit, "backup"), figures: sumsOf };
}

/**
 * Returns the checks of a restore: the sums must equal those of the backup, and the audit trail must be whole under the
 * store's own key ring. Without that key ring, only the sums are compared.
 */
export async function ofRestore(config: Config, file: string, isRingLost: boolean) {
  const why = isRingLost ? await whyRingIsLost(config, file) : undefined;
  if (why !== undefined)
    return { options: { sign: null, verifiers: [sameSums] }, done: async () => {}, ring: { why }, ofRing };
  const { ring, path, signer } = await sealing(config);
  const [{ anchorPath, replaceAnchor }, { verify }, { matchKeyring }] = await Promise.all([
    import("../../audit/anchor/anchor.ts"),
    import("../../audit/verify-chain.ts"),
    import("../../keyring/keyring.ts"),
  ]);
  const anchor = await replaceAnchor(anchorPath(path), signer(ring.audit));
  const wholeTrail: Verifier = async (restored) => {
    // At time 0 no entry counts as late: the entries of the backup's last second have waited for their seal ever since.
    const { problems } = await verify(restored, ring.audit, { found: () => {}, now: 0 });
    if (problems > 0)
      throw new CommandError(`The audit trail of the backup is broken (problems: ${problems}). Nothing was restored.`);
  };
  const ownRing: Verifier = (restored) => matchKeyring(restored, ring, Date.now());
  return {
    options: {
      sign: signer(ring.audit, "backup"),
      verifiers: [sameSums, ownRing, wholeTrail],
      facts: { anchor: anchor.before },
    },
    done: async (db: Db) => {
      await anchor.write(db);
    },
    ring: { path },
    ofRing,
  };
}

/** Says why no key ring can check the file. Undefined if the key ring in its usual place can do so. */
async function whyRingIsLost(config: Config, file: string): Promise<string | undefined> {
  const [{ KeyringError }, { isOfRing }] = await Promise.all([
    import("../../keyring/keyring.ts"),
    import("./restore.ts"),
  ]);
  try {
    const { ring, path, signer } = await sealing(config);
    if (await isOfRing(file, signer(ring.audit, "backup"))) return undefined;
    return `The key ring ${path} is another than the one of the backup.`;
  } catch (error) {
    if (error instanceof KeyringError) return error.message;
    throw error;
  }
}

/** Counts the data that nobody can check or use without the key ring of a restored store. */
async function ofRing(db: Db) {
  const [{ knownKeys, retired }, { countRows }] = await Promise.all([
    import("../../keyring/keyring.ts"),
    import("./backup.ts"),
  ]);
  const { entries } = await db
    .selectFrom("audit_entry")
    .select(({ fn }) => fn.countAll<number>().as("entries"))
    .where("batch", "is not", null)
    .executeTakeFirstOrThrow();
  const keys = [...(await knownKeys(db))].filter(([, value]) => value !== retired);
  return {
    keys: keys.map(([name]) => name.replace("keyring:", "").replace(":", " ")).toSorted(),
    sealed_batches: await countRows(db, "audit_seal"),
    sealed_entries: Number(entries),
    hashed_verifications: await countRows(db, "verification"),
    sealed_secrets: await countRows(db, "event_endpoint"),
  };
}

async function sealing(config: Config) {
  const [{ keyringPath, readKeyring }, { signer }] = await Promise.all([
    import("../../keyring/file.ts"),
    import("../../audit/chain/seal.ts"),
  ]);
  const path = keyringPath(config);
  return { path, ring: await readKeyring(path), signer };
}

/** Sums up verifications and charges. The result is equal on both engines. */
async function sumsOf(db: Db): Promise<VerificationSummary[]> {
  const { summary } = await import("../../ledger/reports/summary.ts");
  return summary(db, { from: 0, to: Number.MAX_SAFE_INTEGER });
}

const sameSums: Verifier = async (restored, figures) => {
  if (JSON.stringify(await sumsOf(restored)) === JSON.stringify(figures)) return;
  throw new CommandError("The sums of the ledger differ from the backup. Nothing was restored.");
};

import type { Config } from "../config/read-config.ts";
import type { VerificationSummary } from "../identity/ledger/reports/summary.ts";
import { CommandError } from "../operation/command.ts";
import { version } from "../runtime/version.ts";
import type { BackupOptions } from "../storage/backup/backup.ts";
import type { RestoreOptions, Verifier } from "../storage/backup/restore.ts";
import type { Db } from "../storage/tables.ts";

/** What a backup needs of identity, audit and keyring: the sums of the ledger, and a signature under the key ring. */
export async function ofBackup(config: Config): Promise<Pick<BackupOptions, "madeBy" | "sign" | "figures">> {
  const { ring, signer } = await sealing(config);
  return { madeBy: version, sign: signer(ring.audit, "backup"), figures: sumsOf };
}

/** What a restore needs of them: the sums must be those of the backup, and the audit trail whole under the store's own key ring. */
export async function ofRestore(
  config: Config,
  isRingLost: boolean,
): Promise<{ options: RestoreOptions; done(db: Db): Promise<void> }> {
  if (isRingLost) return { options: { sign: null, verifiers: [sameSums] }, done: async () => {} };
  const { ring, path, signer } = await sealing(config);
  const [{ anchorPath, replaceAnchor }, { verify }, { matchKeyring }] = await Promise.all([
    import("../audit/anchor/anchor.ts"),
    import("../audit/verify-chain.ts"),
    import("../keyring/keyring.ts"),
  ]);
  const anchor = await replaceAnchor(anchorPath(path), signer(ring.audit));
  const wholeTrail: Verifier = async (restored) => {
    // At no time is an entry late: those of the backup's last second wait to be sealed ever since.
    const { problems } = await verify(restored, ring.audit, { found: () => {}, now: 0 });
    if (problems > 0)
      throw new CommandError(`The audit trail of the backup has ${problems} problems. Nothing was restored.`);
  };
  const ownRing: Verifier = (restored) => matchKeyring(restored, ring, Date.now());
  return {
    options: {
      sign: signer(ring.audit, "backup"),
      verifiers: [sameSums, ownRing, wholeTrail],
      facts: { anchor: anchor.before },
    },
    done: async (db) => {
      await anchor.write(db);
    },
  };
}

async function sealing(config: Config) {
  const [{ keyringPath, readKeyring }, { signer }] = await Promise.all([
    import("../keyring/file.ts"),
    import("../audit/chain/seal.ts"),
  ]);
  const path = keyringPath(config);
  return { path, ring: await readKeyring(path), signer };
}

/** What was counted and charged: the same on both engines. */
async function sumsOf(db: Db): Promise<VerificationSummary[]> {
  const { summary } = await import("../identity/ledger/reports/summary.ts");
  return summary(db, { from: 0, to: Number.MAX_SAFE_INTEGER });
}

const sameSums: Verifier = async (restored, figures) => {
  if (JSON.stringify(await sumsOf(restored)) === JSON.stringify(figures)) return;
  throw new CommandError("The sums of the ledger differ from the backup. Nothing was restored.");
};

import type { CheckSubject } from "../../checks/check.ts";
import { type AnsweredRecord, type CheckRecord, subjectParts } from "../../checks/index.ts";
import type { Mode } from "../../declare/operation.ts";
import { unseal } from "../../keyring/envelope-encryption.ts";
import type { KeyedHashes } from "../../keyring/keyed-hash.ts";
import type { CurrentKeyring } from "../../keyring/keyring.ts";
import { lastVendor, withAttempts } from "../../ledger/attempts.ts";
import { Ledger, type Row } from "../../ledger/ledger.ts";
import { publicState } from "../../ledger/public-state.ts";
import { randomText } from "../../runtime/random-text.ts";
import type { Audited } from "../../storage/audited.ts";
import type { ErasedRow } from "../../storage/erase-verifications.ts";
import { emptyLog } from "../../storage/sqlite/empty-log.ts";
import { everyTable } from "../../storage/tables/every-table.ts";
import { subjectTrail } from "./subject-trail.ts";

/** The counts of an erasure, which do not identify the person. */
export interface Erasure {
  /** A random id under which the audit trail records the erasure. */
  receipt: string;
  /** Milliseconds since 1970. */
  erasedAt: number;
  /** Ordered by account and mode. `records`: for how many of the verifications the record was still stored. */
  accounts: { accountId: string; mode: Mode; verifications: number; records: number }[];
  /** False if a reader prevented us from removing the erased data from the database's files. */
  isOffDisk: boolean;
}

/** All data stored about a person. Times are milliseconds since 1970. */
export type SubjectExport = Awaited<ReturnType<typeof exportSubject>>;

interface SubjectParts extends Audited {
  keyedHashes: KeyedHashes;
}

/** Counts the ledger's data about a person, which an erasure would erase. */
export async function countSubject(
  { db, keyedHashes }: Pick<SubjectParts, "db" | "keyedHashes">,
  subject: CheckSubject,
): Promise<Erasure["accounts"]> {
  const rows = await db
    .selectFrom("verification")
    .select(["account_id", "mode"])
    .select(({ fn }) => [fn.countAll<number>().as("verifications"), fn.count<number>("sealed_record").as("records")])
    .where("subject_hash", "in", keyedHashes.all("subject", subjectParts(subject)))
    .groupBy(["account_id", "mode"])
    .orderBy("account_id")
    .orderBy("mode")
    .execute();
  return rows.map(({ account_id: accountId, mode, verifications, records }) => ({
    accountId,
    mode: mode as Mode,
    verifications: Number(verifications),
    records: Number(records),
  }));
}

const batch = 500;
/** How long we wait for readers of the database's files, in milliseconds. */
const readerPatience = 30_000;

/**
 * Erases a person from all accounts and both modes: destroys each record under this number together with its key, and
 * removes all links between a verification and the person. The rest of the ledger row stays. A verification that runs
 * meanwhile gets its response but stores no record. Each batch commits with its audit entry, so a second run continues
 * an interrupted one. If `accounts` is empty, there was nothing to erase, and no entry has the receipt.
 */
export async function eraseSubject(
  { db, audit, actor, keyedHashes }: SubjectParts,
  subject: CheckSubject,
  now: number = Date.now(),
): Promise<Erasure> {
  const receipt = newReceipt();
  const hashes = keyedHashes.all("subject", subjectParts(subject));
  const counts = new Map<string, Erasure["accounts"][number]>();
  const erasures = Object.values(everyTable).flatMap(({ erasure }) => erasure ?? []);
  for (const erase of erasures.flatMap(({ rows }) => rows ?? [])) {
    let rows: ErasedRow[];
    do {
      rows = await db.transaction().execute(async (trx) => {
        const rows = await erase(trx, hashes, batch);
        const records = rows.filter(({ sealed_record }) => sealed_record !== null).length;
        const facts = { receipt, records, verifications: rows.length };
        if (rows.length > 0) await audit(trx, subjectTrail.erased(actor, facts));
        return rows;
      });
      for (const { account_id: accountId, mode, sealed_record } of rows) {
        const key = `${accountId} ${mode}`;
        const count = counts.get(key) ?? { accountId, mode: mode as Mode, verifications: 0, records: 0 };
        count.verifications += 1;
        if (sealed_record !== null) count.records += 1;
        counts.set(key, count);
      }
    } while (rows.length === batch);
  }
  let isOffDisk = true;
  for (const { finish } of erasures) if (finish) isOffDisk = (await finish(db, readerPatience)) && isOffDisk;
  isOffDisk = (await emptyLog(db, readerPatience)) && isOffDisk;
  const accounts = [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
  return { receipt, erasedAt: now, accounts, isOffDisk };
}

/** Returns all data stored about a person, for the person's own request, and records the export in the audit trail. */
export async function exportSubject(
  { db, audit, actor, keyedHashes, keyring }: SubjectParts & { keyring: CurrentKeyring },
  subject: CheckSubject,
  now: number = Date.now(),
) {
  const receipt = newReceipt();
  const rows = await db
    .selectFrom("verification")
    .selectAll()
    .where("subject_hash", "in", keyedHashes.all("subject", subjectParts(subject)))
    .orderBy("created_at")
    .orderBy("reference")
    .execute();
  const ledger = new Ledger(db);
  const verifications = await Promise.all(
    (await withAttempts(db, rows)).map((row) => heldIn(row as Row, ledger, keyring)),
  );
  const records = verifications.filter(({ record }) => record !== null).length;
  await audit(db, subjectTrail.exported(actor, { receipt, records, verifications: verifications.length }));
  return { receipt, exportedAt: now, verifications };
}

async function heldIn(row: Row, ledger: Ledger, keyring: CurrentKeyring) {
  return {
    reference: row.reference,
    accountId: row.account_id,
    mode: row.mode,
    kind: row.kind,
    state: publicState(row),
    upstream: lastVendor(row),
    consentReference: row.consent_reference,
    createdAt: row.created_at,
    completedAt: row.completed_at,
    lookUps: row.attempts.map(({ vendor, started_at: at, vendor_reference: reference }) => ({ vendor, at, reference })),
    record: await recordIn(row, ledger, keyring),
  };
}

/** The stored record; `unreadable` if it cannot be decrypted. */
async function recordIn(
  row: Row,
  ledger: Ledger,
  { current }: CurrentKeyring,
): Promise<AnsweredRecord | "unreadable" | null> {
  const { reference, account_id, sealed_record } = row;
  const sealed_key = sealed_record === null ? undefined : await ledger.recordKey(row);
  if (sealed_record === null || sealed_key === undefined) return null;
  try {
    const record = unseal(current, { accountId: account_id, reference }, { sealed_record, sealed_key });
    return { request_reference: reference, ...(record as CheckRecord) };
  } catch {
    return "unreadable";
  }
}

function newReceipt(): string {
  return `receipt-${randomText(12)}`;
}

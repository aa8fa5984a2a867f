import { randomBytes } from "node:crypto";
import type { Transaction } from "kysely";
import type { CheckSubject } from "../../checks/check.ts";
import { type AnsweredRecord, type CheckRecord, subjectParts } from "../../checks/index.ts";
import { unseal } from "../../keyring/envelope-encryption.ts";
import type { KeyedHashes } from "../../keyring/keyed-hash.ts";
import type { CurrentKeyring } from "../../keyring/keyring.ts";
import type { CheckKind } from "../../operation/check-kind.ts";
import type { Mode } from "../../operation/operation.ts";
import type { Audited } from "../../storage/audited.ts";
import { destroyStaleKeys, staleSlots } from "../../storage/record-keys.ts";
import { emptyLog } from "../../storage/sqlite/empty-log.ts";
import type { Tables } from "../../storage/tables.ts";

import { lastVendor, withAttempts } from "../ledger/attempts.ts";
import { Ledger, type Row } from "../ledger/ledger.ts";
import { type ToldState, toldState } from "../ledger/told-state.ts";
import { erased } from "../ledger/write-outcome.ts";

/** How much was erased about a person; it does not identify the person. */
export interface Erasure {
  /** Random; the audit trail names the erasure by it. */
  receipt: string;
  /** Milliseconds since 1970. */
  erasedAt: number;
  /** In the order of account and mode. `records`: how many of the verifications still held their record. */
  accounts: { accountId: string; mode: Mode; verifications: number; records: number }[];
  /** False if a reader kept us from removing the erased data from the database's files. */
  isOffDisk: boolean;
}

/** All data stored about a person. Times are milliseconds since 1970. */
export interface SubjectExport {
  receipt: string;
  exportedAt: number;
  verifications: ExportedVerification[];
}

export interface ExportedVerification {
  reference: string;
  accountId: string;
  mode: Mode;
  kind: CheckKind;
  state: ToldState;
  upstream: string | null;
  consentReference: string | null;
  createdAt: number;
  completedAt: number | null;
  /** `unreadable`: it is stored, but cannot be decrypted. */
  record: AnsweredRecord | "unreadable" | null;
}

interface SubjectParts extends Audited {
  keyedHashes: KeyedHashes;
}

/** What the ledger holds about a person: as much as an erasure would erase. */
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
    ...{ accountId, mode: mode as Mode },
    ...{ verifications: Number(verifications), records: Number(records) },
  }));
}

const batch = 500;
/** How long readers of the database's files are waited for, in milliseconds. */
const readerPatience = 30_000;

/**
 * Erases a person: destroys every record held under this number with its key, of all accounts and both modes, and what leads
 * from a verification to the person. The rest of the ledger row stays. A verification that runs meanwhile is answered, and
 * keeps nothing. Each batch commits with its entry on the audit trail; what is left when it breaks off is done by a second
 * run. No accounts: nothing was held, and no entry names the receipt.
 */
export async function eraseSubject(
  { db, audit, actor, keyedHashes }: SubjectParts,
  subject: CheckSubject,
  now: number = Date.now(),
): Promise<Erasure> {
  const receipt = newReceipt();
  const hashes = keyedHashes.all("subject", subjectParts(subject));
  const counts = new Map<string, Erasure["accounts"][number]>();
  for (;;) {
    const rows = await db.transaction().execute(async (trx) => {
      const rows = await eraseBatch(trx, hashes);
      const records = rows.filter(({ sealed_record }) => sealed_record !== null).length;
      const facts = { receipt, records, verifications: rows.length };
      if (rows.length > 0) await audit(trx, { kind: "subject.erased", actor, facts });
      return rows;
    });
    for (const { account_id: accountId, mode, sealed_record } of rows) {
      const key = `${accountId} ${mode}`;
      const count = counts.get(key) ?? { accountId, mode: mode as Mode, verifications: 0, records: 0 };
      count.verifications += 1;
      if (sealed_record !== null) count.records += 1;
      counts.set(key, count);
    }
    if (rows.length < batch) break;
  }
  const areKeysDestroyed = await destroyStaleKeys(db, await staleSlots(db), readerPatience);
  const isOffDisk = (await emptyLog(db, readerPatience)) && areKeysDestroyed;
  const accounts = [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
  return { receipt, erasedAt: now, accounts, isOffDisk };
}

/** Erases one batch; returns its rows with the sealed records they had before. */
async function eraseBatch(trx: Transaction<Tables>, hashes: readonly string[]) {
  // First lock the rows: an outcome written from now on keeps no record.
  const rows = await trx
    .updateTable("verification")
    .set({ subject_hash: erased, body_hash: null, subject_last4: erased, consent_reference: null })
    .where("reference", "in", (query) =>
      query.selectFrom("verification").select("reference").where("subject_hash", "in", hashes).limit(batch),
    )
    .returning(["reference", "account_id", "mode", "sealed_record"])
    .execute();
  const references = rows.map(({ reference }) => reference);
  if (references.length > 0)
    await trx.updateTable("verification").set({ sealed_record: null }).where("reference", "in", references).execute();
  return rows;
}

/** Returns all data stored about a person, for the person's own request, and records the export in the audit trail. */
export async function exportSubject(
  { db, audit, actor, keyedHashes, keyring }: SubjectParts & { keyring: CurrentKeyring },
  subject: CheckSubject,
  now: number = Date.now(),
): Promise<SubjectExport> {
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
  await audit(db, {
    kind: "subject.exported",
    actor,
    facts: { receipt, records, verifications: verifications.length },
  });
  return { receipt, exportedAt: now, verifications };
}

async function heldIn(row: Row, ledger: Ledger, keyring: CurrentKeyring): Promise<ExportedVerification> {
  return {
    reference: row.reference,
    accountId: row.account_id,
    mode: row.mode,
    kind: row.kind,
    state: toldState(row),
    upstream: lastVendor(row),
    consentReference: row.consent_reference,
    createdAt: row.created_at,
    completedAt: row.completed_at,
    record: await recordIn(row, ledger, keyring),
  };
}

async function recordIn(
  row: Row,
  ledger: Ledger,
  { current }: CurrentKeyring,
): Promise<ExportedVerification["record"]> {
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
  return `receipt-${randomBytes(12).toString("base64url")}`;
}

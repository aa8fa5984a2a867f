import { randomBytes } from "node:crypto";
import { sql, type Transaction } from "kysely";
import type { Db, Tables } from "../../storage/tables.ts";
import { sealColumns } from "../read.ts";
import { isSigned, type Sign, sealHash } from "./seal.ts";

/** Where the trail ends. */
export interface Head {
  /** Random name of the store. */
  store: string;
  /** The newest batch; 0 before the first. */
  batch: number;
  /** Hash of the newest batch's seal; empty before the first batch. */
  hash: string;
  /** The entries of all batches up to this one are removed. */
  removed: number;
}

/** The trail cannot be sealed or trusted. `message` is one sentence for people. */
export class AuditTrailError extends Error {
  override readonly name = "AuditTrailError";
  readonly exitCode = 1;
}

interface StoredHead extends Head {
  mac: string;
}

const columns = [
  "store",
  sql<string>`cast(audit_head.batch as text)`.as("batch"),
  "hash",
  sql<string>`cast(audit_head.removed as text)`.as("removed"),
  "mac",
] as const;

type Columns = Record<"store" | "batch" | "hash" | "removed" | "mac", string>;

const numbered = ({ batch, removed, ...rest }: Columns): StoredHead => ({
  ...rest,
  batch: Number(batch),
  removed: Number(removed),
});

const signed = ({ store, batch, hash, removed }: Head) => `head ${store} ${batch} ${hash} ${removed}`;

/** The head as stored, perhaps tampered with; undefined if it is missing. */
export async function storedHead(db: Db): Promise<StoredHead | undefined> {
  const row = await db.selectFrom("audit_head").select(columns).where("id", "=", 1).executeTakeFirst();
  return row && numbered(row);
}

/** The head, or undefined if it is missing or was not written with this key. */
export async function readHead(db: Db, sign: Sign): Promise<Head | undefined> {
  return genuine(await storedHead(db), sign);
}

function genuine(stored: StoredHead | undefined, sign: Sign): Head | undefined {
  if (stored === undefined) return undefined;
  const { mac, ...head } = stored;
  return isSigned(sign, signed(head), mac) ? head : undefined;
}

/**
 * Signs the head of an unused store, and names the store. In a used store an unsigned head stays unsigned, and nothing
 * is sealed: otherwise a person who can write the database could have the whole trail sealed again.
 */
export async function signFirstHead(db: Db, sign: Sign): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const stored = await lockStoredHead(trx);
    if (stored === undefined || stored.mac !== "" || stored.batch !== 0 || (await hasBegun(trx))) return;
    const head = { store: randomBytes(12).toString("base64url"), batch: 0, hash: "", removed: 0 };
    await moveHead(trx, sign, head);
  });
}

/** Whether a service has sealed, verified or started here. Commands may create accounts before the first start. */
async function hasBegun(trx: Transaction<Tables>): Promise<boolean> {
  const traces = [
    await trx.selectFrom("audit_seal").select("batch").limit(1).execute(),
    await trx.selectFrom("verification").select("reference").limit(1).execute(),
    await trx.selectFrom("audit_entry").select("id").where("kind", "=", "service.started").limit(1).execute(),
  ];
  return traces.some((rows) => rows.length > 0);
}

async function lockStoredHead(trx: Transaction<Tables>): Promise<StoredHead | undefined> {
  const row = await trx
    .updateTable("audit_head")
    .set((it) => ({ batch: it.ref("batch") }))
    .where("id", "=", 1)
    .returning(columns)
    .executeTakeFirst();
  return row && numbered(row);
}

/**
 * Locks the head until the transaction ends, and returns the head. Throws an `AuditTrailError` if the head or the
 * newest seal was changed, because a new seal would hide that change.
 */
export async function lockHead(trx: Transaction<Tables>, sign: Sign): Promise<Head> {
  const head = genuine(await lockStoredHead(trx), sign);
  if (head === undefined)
    throw new AuditTrailError("The head of the audit trail is missing, was changed, or is of another key.");
  if (head.batch === 0) return head;
  const newest = await trx
    .selectFrom("audit_seal")
    .select(sealColumns)
    .where("audit_seal.batch", "=", head.batch)
    .executeTakeFirst();
  if (newest === undefined || sealHash(newest) !== head.hash)
    throw new AuditTrailError(`The seal of the audit trail's newest batch, ${head.batch}, is missing or was changed.`);
  return head;
}

/** Moves the head that this transaction has locked. */
export async function moveHead(trx: Transaction<Tables>, sign: Sign, head: Head): Promise<void> {
  await trx
    .updateTable("audit_head")
    .set({ ...head, mac: sign(signed(head)) })
    .where("id", "=", 1)
    .execute();
}

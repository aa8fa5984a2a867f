import { randomBytes } from "node:crypto";
import { readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory, writeNew } from "../../runtime/private-files.ts";
import { codeOf } from "../../storage/errors.ts";
import type { Db } from "../../storage/tables.ts";
import type { KeptHead } from "../chain/chain.ts";
import { AuditTrailError, type Head, readHead } from "../chain/head.ts";
import { isSigned, type Sign, sealHash } from "../chain/seal.ts";
import { sealColumns } from "../read.ts";

/** A head of the trail in a file, out of reach of a person who can only write the database. */
export interface Anchor extends KeptHead {
  /** Random name of the store. */
  store: string;
  /** ISO 8601, UTC. */
  at: string;
}

/** Path of the anchor: beside the key ring. */
export function anchorPath(keyring: string): string {
  return `${keyring}.anchor`;
}

const signed = ({ store, batch, hash, at }: Anchor) => `anchor ${store} ${batch} ${hash} ${at}`;

/**
 * The anchor; undefined without an anchor file. Throws an `AuditTrailError` if the file is unreadable, was changed, or
 * is of another key.
 */
export async function readAnchor(path: string, sign: Sign): Promise<Anchor | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new AuditTrailError(`The audit trail's anchor ${path} cannot be read (${codeOf(error)}): check who owns it.`);
  }
  try {
    const { mac, ...anchor } = JSON.parse(text) as Anchor & { mac: string };
    if (isSigned(sign, signed(anchor), mac)) return anchor;
  } catch {
    // The text is not JSON that Duba wrote.
  }
  throw new AuditTrailError(
    `The audit trail's anchor ${path} was changed, or is of another key ring. ${whenItIsRight(path)}`,
  );
}

/** Replaces the anchor atomically and durably. Throws the system's error. */
export async function writeAnchor(path: string, sign: Sign, { store, batch, hash }: Head): Promise<void> {
  const anchor: Anchor = { store, batch, hash, at: new Date().toISOString() };
  const next = `${path}.${randomBytes(6).toString("hex")}.new`;
  try {
    await writeNew(next, `${JSON.stringify({ ...anchor, mac: sign(signed(anchor)) })}\n`);
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true }).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(path));
}

/**
 * Prepares to replace the anchor of a restored store. `before` is the old anchor as `batch:hash` for the audit trail;
 * null if there was none, and "unreadable" if it cannot be read or trusted. Call `write` after the restore has
 * committed.
 */
export async function replaceAnchor(path: string, sign: Sign) {
  const before = await readAnchor(path, sign).then(
    (anchor) => (anchor ? `${anchor.batch}:${anchor.hash}` : null),
    () => "unreadable",
  );
  return {
    before,
    async write(db: Db): Promise<void> {
      const head = await readHead(db, sign);
      if (head) await writeAnchor(path, sign, head);
    },
  };
}

/** Throws an `AuditTrailError` unless the trail contains the anchor. Read `head` after the anchor. */
export async function compareWithAnchor(db: Db, head: Head, anchor: Anchor, path: string): Promise<void> {
  const problem = (what: string) => new AuditTrailError(`The audit trail ${what}. ${whenItIsRight(path)}`);
  const named = `batch ${anchor.batch}, which its anchor of ${anchor.at} names`;
  if (anchor.store !== head.store) throw problem(`is of another store than its anchor of ${anchor.at}`);
  if (head.batch < anchor.batch) throw problem(`ends at batch ${head.batch}, before ${named}: it was put back`);
  if (anchor.batch === 0) return;
  const seal = await db
    .selectFrom("audit_seal")
    .select(sealColumns)
    .where("audit_seal.batch", "=", anchor.batch)
    .executeTakeFirst();
  if (seal === undefined || sealHash(seal) !== anchor.hash) throw problem(`has another ${named}: it was put back`);
}

function whenItIsRight(path: string): string {
  return `If somebody put the store or the key ring in place on purpose, remove ${path}: a new one is made and noted.`;
}

import { randomBytes } from "node:crypto";
import { after, before } from "node:test";
import { type Engine, engines } from "../../test/support/engines.ts";
import { type FreshStore, freshStore } from "../../test/support/fresh-store.ts";
import { accessTrail } from "../declare/access-trail.ts";
import type { AuditEvent } from "../declare/audit-kind.ts";
import { removeBatches } from "../storage/retention/retention-rule.ts";
import { openStore, type Store } from "../storage/store.ts";
import { auditTables } from "../storage/tables/audit-tables.ts";
import { rulesIn } from "../storage/tables/declared-table.ts";
import type { AuditEntryRow, Db, Tables } from "../storage/tables.ts";
import { append, entryOf } from "./append.ts";
import { signFirstHead } from "./chain/head.ts";
import { signer } from "./chain/seal.ts";
import { sealEntries } from "./seal-batch.ts";
import { trailTrimmer } from "./trim-trail.ts";
import { type ChainError, type VerifyOptions, verify } from "./verify-chain.ts";

export { engines };

export const sealKey = randomBytes(32);
export const sign = signer(sealKey);

/** A store with an empty trail. `beside` is another process's connection to the store. */
export interface TrailStore {
  readonly fresh: Pick<FreshStore, "settings">;
  readonly db: Db;
  readonly beside: Db;
}

/** Registers the hooks of a suite: one store on `engine`, removed when the suite ends. */
export function trailStore(engine: Engine): TrailStore {
  let fresh: FreshStore;
  let beside: Store;
  before(async () => {
    fresh = await freshStore(undefined, engine);
    await signFirstHead(fresh.store.db, sign);
    beside = await openStore({ ...fresh.settings, serving: false });
  });
  after(async () => {
    await beside.close();
    await fresh.close();
  });
  return {
    get fresh() {
      return fresh;
    },
    get db() {
      return fresh.store.db;
    },
    get beside() {
      return beside.db;
    },
  };
}

/** Appends distinguishable entries, a thousand at most. */
export async function appendSome(db: Db, count: number): Promise<void> {
  const event = (key: string) => accessTrail.keyRevoked("system", { key });
  const rows = Array.from({ length: count }, (_, index) => entryOf(event(`key-${index}`), Date.now()));
  await db.insertInto("audit_entry").values(rows).execute();
}

/** Appends an event of another time. */
export async function appendAt(db: Db, now: number, event: AuditEvent): Promise<void> {
  await db.insertInto("audit_entry").values(entryOf(event, now)).execute();
}

/** Appends and seals one batch of each size. */
export async function sealSome(db: Db, ...sizes: number[]): Promise<void> {
  for (const size of sizes) {
    await appendSome(db, size);
    await sealEntries(db, sign);
  }
}

/** Removes the batches that were sealed before this time, as retention does. */
export function removeOld(db: Db, before: number) {
  const [rule] = rulesIn(auditTables, { audit: append, trimTrail: trailTrimmer(sealKey) });
  return removeBatches(db, rule!, before);
}

export async function problemsIn(db: Db, options: Partial<VerifyOptions> = {}): Promise<ChainError[]> {
  const problems: ChainError[] = [];
  await verify(db, sealKey, { found: (problem) => problems.push(problem), ...options });
  return problems;
}

/** The problems that the audit finds after `tamper`, which is then undone. */
export async function problemsAfter(
  db: Db,
  tamper: (trx: Db) => Promise<unknown>,
  options: Partial<VerifyOptions> = {},
): Promise<ChainError[]> {
  const trx = await db.startTransaction().execute();
  try {
    await tamper(trx);
    return await problemsIn(trx, options);
  } finally {
    await trx.rollback().execute();
  }
}

export type Place = [batch: number | null, entry: string | null];

/** A trail of batches of 4, 3 and 5 entries. */
export class SealedTrail {
  readonly store: TrailStore;
  entries: AuditEntryRow[] = [];
  seals: Tables["audit_seal"][] = [];

  constructor(store: TrailStore) {
    this.store = store;
  }

  async make(): Promise<void> {
    await sealSome(this.store.db, 4, 3, 5);
    this.entries = await this.store.db
      .selectFrom("audit_entry")
      .selectAll()
      .orderBy("batch")
      .orderBy("position")
      .execute();
    this.seals = await this.store.db.selectFrom("audit_seal").selectAll().orderBy("batch").execute();
  }

  at(batch: number, position: number): AuditEntryRow {
    return this.entries.find((entry) => entry.batch === batch && entry.position === position)!;
  }

  /** Where something is found after `tamper`, which is undone. */
  async places(tamper: (trx: Db) => Promise<unknown>): Promise<Place[]> {
    const problems = await problemsAfter(this.store.db, tamper);
    return problems.map(({ batch, entry }) => [batch, entry]);
  }
}

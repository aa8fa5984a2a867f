import { inSnapshot } from "../storage/audited.ts";
import type { Db } from "../storage/tables.ts";
import type { Anchor } from "./anchor/anchor.ts";
import { lateness, SealedBatch } from "./chain/batch.ts";
import { Chain, type KeptHead, type Pin } from "./chain/chain.ts";
import { Confirmations } from "./chain/confirmations.ts";
import { type Head, readHead } from "./chain/head.ts";
import { batchSize, type Sign, signer } from "./chain/seal.ts";
import { entryPages, type Range, type StoredSeal, sealPages } from "./read.ts";

/**
 * Milliseconds that an entry may wait for its seal. A longer wait is a problem: either no service seals, or somebody
 * removed the entry from its batch.
 */
const longestWait = 10 * 60_000;

/**
 * Milliseconds by which a clock may be wrong: an hour, because a machine may be set to another time zone. If a seal is
 * dated earlier than its predecessor by more than this, its entries may be backdated.
 */
const clockError = 3_600_000 + lateness;

/** A batch whose seal is dated before that of the previous batch, so one of the two clocks was wrong. */
export interface ClockBack {
  batch: number;
  /** Milliseconds. */
  by: number;
}

/** A place where the trail was changed. */
export interface ChainError {
  /** Null for the head, and for an entry of no sealed batch. */
  batch: number | null;
  /** Null for the head, and for a batch or its seal. */
  entry: string | null;
  /** The problem without its subject, such as "was changed after it was sealed". */
  what: string;
}

export interface VerifyOptions {
  /** Receives each problem at once. */
  found: (problem: ChainError) => void;
  /** Receives the number of batches done, and of all batches. */
  progress?: (done: number, all: number) => void;
  /** A head that must be part of the trail. */
  kept?: KeptHead;
  /**
   * The anchor, which must be part of the trail and of its store. Read the anchor before the verification begins,
   * because the anchor may move meanwhile.
   */
  anchor?: Anchor;
  /** The kinds of entries that need a confirmation by a passkey if their actor is a person. */
  confirmed?: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  now?: number;
}

export interface ChainVerification {
  /** The number of all sealed batches, including those without entries after retention. */
  batches: number;
  removedBatches: number;
  /** The number of entries in the sealed batches. */
  entries: number;
  unsealed: number;
  problems: number;
  /**
   * Batches at which the clock of the seals went back by more than 5 and at most 65 minutes. Such a batch is no
   * problem.
   */
  clocksBack: ClockBack[];
  /** Null if the head is missing or was changed. */
  head: KeptHead | null;
}

/**
 * Reads the whole trail, page by page and as of one moment, and reports each entry and seal that differs from its
 * sealed form under `sealKey`. Other processes may append, seal and remove meanwhile.
 */
export async function verify(db: Db, sealKey: Buffer, options: VerifyOptions): Promise<ChainVerification> {
  const sign = signer(sealKey);
  return inSnapshot(db, async (snapshot) =>
    new Verification(snapshot, sign, await readHead(snapshot, sign), options).run(),
  );
}

function pinsOf({ kept, anchor }: VerifyOptions): Pin[] {
  return [
    ...(kept ? [{ ...kept, by: "the kept head" }] : []),
    ...(anchor && anchor.batch > 0 ? [{ ...anchor, by: "the anchor" }] : []),
  ];
}

class Verification {
  readonly #db: Db;
  readonly #head: Head | undefined;
  readonly #options: VerifyOptions;
  readonly #chain: Chain;
  readonly #result: ChainVerification;
  #confirmations: Confirmations | undefined;
  /** Everything committed until this time had been sealed, in milliseconds since 1970. */
  #sealedUntil = 0;

  constructor(db: Db, sign: Sign, head: Head | undefined, options: VerifyOptions) {
    this.#db = db;
    this.#head = head;
    this.#options = options;
    this.#chain = new Chain(sign, pinsOf(options));
    const newest = head === undefined ? null : { batch: head.batch, hash: head.hash };
    const removedBatches = head?.removed ?? 0;
    const none = { batches: 0, entries: 0, unsealed: 0, problems: 0, clocksBack: [] };
    this.#result = { ...none, removedBatches, head: newest };
  }

  async run(): Promise<ChainVerification> {
    const { anchor } = this.#options;
    if (this.#head === undefined) this.#note(null, null, "is missing, was changed, or is of another key");
    else if (anchor && anchor.store !== this.#head.store) this.#note(null, null, "is of another store than the anchor");
    // Without a genuine head every batch is read.
    this.#confirmations = await Confirmations.read(
      this.#db,
      this.#result.removedBatches > 0,
      this.#options.confirmed ?? new Set(),
    );
    const last = String(this.#head?.batch ?? Number.MAX_SAFE_INTEGER);
    await this.#sealed(last);
    for (const [batch, problem] of this.#chain.end(this.#head)) this.#note(batch, null, problem);
    for await (const seals of sealPages(this.#db, { above: last }))
      for (const { batch } of seals) this.#note(Number(batch), null, "has a seal, and the trail ends before it");
    await this.#compare({ above: last }, new Map());
    await this.#unsealed();
    return this.#result;
  }

  async #sealed(last: string): Promise<void> {
    let read: Range = {};
    for await (const seals of sealPages(this.#db, { upTo: last })) {
      const lists = new Map<string, SealedBatch>();
      for (const seal of seals) {
        const removed = Number(seal.batch) <= this.#result.removedBatches;
        for (const [batch, problem] of this.#chain.next(seal, removed)) this.#note(batch, null, problem);
        lists.set(seal.batch, new SealedBatch(removed ? "" : seal.list, this.#believedUntil(seal)));
        // After a full batch, older entries may have waited for the next one.
        if (Number(seal.size) < batchSize) this.#sealedUntil = Number(seal.sealed_at);
      }
      const upTo = seals.at(-1)!.batch;
      await this.#compare({ ...read, upTo }, lists);
      for (const [batch, list] of lists)
        for (const [id, problem] of list.missing()) this.#note(Number(batch), id, problem);
      read = { above: upTo };
      this.#result.batches += seals.length;
      this.#options.progress?.(Number(upTo), this.#head?.batch ?? Number(upTo));
    }
    await this.#compare({ ...read, upTo: last }, new Map());
  }

  /**
   * The time until which everything was sealed before this batch. If this batch's seal is dated earlier, the clock of
   * the previous seal was ahead, so the time of this seal counts.
   */
  #believedUntil({ batch, sealed_at }: StoredSeal): number {
    const by = this.#sealedUntil - Number(sealed_at);
    if (by <= lateness || by > clockError) return this.#sealedUntil;
    this.#result.clocksBack.push({ batch: Number(batch), by });
    return Number(sealed_at);
  }

  async #compare(range: Range, lists: ReadonlyMap<string, SealedBatch>): Promise<void> {
    for await (const entries of entryPages(this.#db, range)) {
      for (const entry of entries) {
        const list = lists.get(entry.batch);
        if (list === undefined) this.#note(null, entry.id, `names batch ${entry.batch}, which has no seal`);
        else for (const problem of list.problemsOf(entry)) this.#note(Number(entry.batch), entry.id, problem);
        const problem = await this.#confirmations!.problemOf(entry);
        if (problem !== undefined) this.#note(Number(entry.batch), entry.id, problem);
      }
      this.#result.entries += entries.length;
    }
  }

  async #unsealed(): Promise<void> {
    const unsealed = this.#db.selectFrom("audit_entry").where("batch", "is", null);
    const count = (query: typeof unsealed) => query.select((it) => it.fn.countAll<number>().as("count"));
    const { count: all } = await count(unsealed).executeTakeFirstOrThrow();
    this.#result.unsealed = all;
    const late = unsealed.where("occurred_at", "<", (this.#options.now ?? Date.now()) - longestWait);
    const oldest = await late
      .select(["id", "occurred_at"])
      .orderBy("occurred_at")
      .orderBy("id")
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) return;
    const { count: lateOnes } = await count(late).executeTakeFirstOrThrow();
    const minutes = Math.floor(((this.#options.now ?? Date.now()) - Number(oldest.occurred_at)) / 60_000);
    const [wait, since] =
      Number(lateOnes) === 1 ? ["1 audit entry waits", ""] : [`${lateOnes} audit entries wait`, "the oldest "];
    this.#note(null, oldest.id, `${wait} to be sealed, ${since}for ${minutes} minutes. Is the service running?`);
  }

  #note(batch: number | null, entry: string | null, what: string): void {
    this.#result.problems += 1;
    this.#options.found({ batch, entry, what });
  }
}

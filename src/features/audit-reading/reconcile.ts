import { entryOf } from "../../audit/append.ts";
import { factsIn } from "../../audit/read.ts";
import { type AuditEvent, journalOrder } from "../../declare/audit-kind.ts";
import { pagesOf } from "../../storage/queries/pieces.ts";
import { ledgerStart } from "../../storage/retention/retention-rule.ts";
import type { AuditEntryRow, Db } from "../../storage/tables.ts";

const entriesAtOnce = 1000;

/**
 * Milliseconds by which a retry or a late outcome may come after its row. Also covers the different times at which
 * retention rules run.
 */
const margin = 2 * 86_400_000;

/** A verification of the ledger, with the entry that the trail should have. */
export interface LedgerRow {
  reference: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Null while the verification runs, and while the journal still holds entries about the verification. */
  event: AuditEvent | null;
}

/** A difference between ledger and trail. */
export interface LedgerDifference {
  reference: string;
  /** The difference without its subject, such as "has no entry on the audit trail". */
  what: string;
}

export interface ReconcileOptions {
  /** All rows of the ledger, each once, in pages. */
  ledger: AsyncIterable<readonly LedgerRow[]>;
  /**
   * Reads from a reference when its verification was made, in milliseconds since 1970. Undefined if the reference does
   * not say.
   */
  madeAt: (reference: string) => number | undefined;
  /** Called with each difference as soon as it is found. */
  found: (difference: LedgerDifference) => void;
  /** Called with the number of verifications read so far. */
  progress?: (verifications: number) => void;
  /** Milliseconds since 1970. */
  now?: number;
}

export interface Reconciled {
  verifications: number;
  /** Verifications that the trail names. */
  recorded: number;
  differences: number;
}

/**
 * Compares the ledger with the trail. Each ended verification must have an entry, its last entry must agree with the
 * row, and each entry must have a row. A row or an entry so old that retention may have removed its counterpart may
 * stand alone. `db` must be a snapshot. Does not check the seals of the entries: `verify` does.
 */
export async function reconcile(db: Db, options: ReconcileOptions): Promise<Reconciled> {
  const { ledger, madeAt, found, progress, now = Date.now() } = options;
  const result: Reconciled = { verifications: 0, recorded: 0, differences: 0 };
  const note = (reference: string, what: string) => {
    result.differences += 1;
    found({ reference, what });
  };
  const demanded = ledgerStart(now) + margin;

  const recorded = await lastEntries(db);
  result.recorded = recorded.size;
  for await (const rows of ledger) {
    for (const { reference, createdAt, event } of rows) {
      result.verifications += 1;
      const last = recorded.get(reference);
      recorded.delete(reference);
      if (event === null) continue;
      if (last !== undefined) {
        const differences = last.map(({ facts }) => differenceOf(entryOf(event, now).facts, facts));
        if (differences.every((difference) => difference !== undefined)) note(reference, differences.at(-1)!);
      } else if (createdAt >= demanded) note(reference, "has ended, and has no entry on the audit trail");
    }
    progress?.(result.verifications);
  }
  // Retention removes a row 24 months after its creation, even if the verification was settled months later.
  for (const [reference, last] of recorded)
    if ((madeAt(reference) ?? last.at(-1)!.occurred_at) >= demanded)
      note(reference, "is on the audit trail, and not on the ledger");
  return result;
}

/**
 * An entry about a verification. `journal`: the number of its row in the journal; undefined on SQLite, and for entries
 * of version 0.1.0.
 */
interface PlacedEntry extends Pick<AuditEntryRow, "id" | "batch" | "occurred_at" | "facts"> {
  journal: number | undefined;
}

/** Returns the newest entry of each verification, or several entries if their times alone would have to decide. */
async function lastEntries(db: Db): Promise<Map<string, PlacedEntry[]>> {
  const last = new Map<string, PlacedEntry[]>();
  const entries = db
    .selectFrom("audit_entry")
    .select(["id", "batch", "occurred_at", "facts"])
    .where("kind", "in", ["verification.ended", "verification.charged", "verification.reversed"]);
  for await (const page of pagesOf(entries, ["occurred_at", "id"], entriesAtOnce))
    for (const entry of page) {
      const { reference = entry.id, journal } = factsIn(entry.facts);
      const placed = { ...entry, journal: typeof journal === "number" ? journal : undefined };
      const others = last.get(String(reference)) ?? [];
      if (others.some((other) => isAfter(other, placed))) continue;
      last.set(String(reference), [...others.filter((other) => !isAfter(placed, other)), placed]);
    }
  return last;
}

/**
 * Whether an entry certainly came after another one, which times do not prove. If journal numbers and batches disagree,
 * as in a restored store, the order is unknown. Entries with one batch and time belong to one call, and their ids are
 * in order.
 */
function isAfter(one: PlacedEntry, other: PlacedEntry): boolean {
  const byBatch = Math.sign(batchOf(one) - batchOf(other)) || 0;
  const byJournal = Math.sign((one.journal ?? 0) - (other.journal ?? 0));
  const order = one.journal === undefined || other.journal === undefined ? byBatch : byBatch + byJournal;
  const isSame = byBatch === 0 && one.occurred_at === other.occurred_at;
  return order > 0 || (order === 0 && isSame && one.id > other.id);
}

/** Returns the batch of an entry. An entry without a seal will be in a later batch than all others. */
function batchOf({ batch }: PlacedEntry): number {
  return batch ?? Number.MAX_SAFE_INTEGER;
}

function differenceOf(onLedger: string, onTrail: string): string | undefined {
  const { [journalOrder]: _, ...trail } = factsIn(onTrail);
  if (onLedger === JSON.stringify(trail)) return undefined;
  const ledger = factsIn(onLedger);
  const names = Object.keys(ledger).filter((name) => ledger[name] !== trail[name]);
  const differences = names.map(
    (name) => `${name} is ${ledger[name]} on the ledger and ${trail[name]} on the audit trail`,
  );
  return differences.join(", ") || "has an entry of another form";
}

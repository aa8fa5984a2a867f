import type { AuditEvent } from "../storage/audited.ts";
import { pagesOf } from "../storage/queries/pieces.ts";
import { ledgerStart } from "../storage/retention/retention-rule.ts";
import type { Db } from "../storage/tables.ts";
import { entryOf } from "./append.ts";
import { factsIn } from "./read.ts";

const entriesAtOnce = 1000;

/** A retry or a late outcome may come so much later than its row, and each retention rule runs at its own time. */
const margin = 2 * 86_400_000;

/** A verification of the ledger, as the trail should have it. */
export interface LedgerRow {
  reference: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Null while the verification runs, and while something of it waits in the journal. */
  event: AuditEvent | null;
}

/** A difference between ledger and trail. */
export interface LedgerDifference {
  reference: string;
  /** Without its subject, such as "has no entry on the audit trail". */
  what: string;
}

export interface ReconcileOptions {
  /** All rows of the ledger, each once, in pages. */
  ledger: AsyncIterable<readonly LedgerRow[]>;
  /** Hears each difference as it is found. */
  found: (difference: LedgerDifference) => void;
  /** Hears how many verifications were read. */
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
 * Compares the ledger with the trail: each verification that has ended must have an entry, the last one must agree with the row,
 * and each entry must have its row. Skips what retention removes these days. `db` must be a snapshot. It does not check the
 * entries against their seals: `verify` does.
 */
export async function reconcile(db: Db, options: ReconcileOptions): Promise<Reconciled> {
  const { ledger, found, progress, now = Date.now() } = options;
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
      const entry = recorded.get(reference);
      recorded.delete(reference);
      if (event === null) continue;
      if (entry !== undefined) {
        const difference = differenceOf(entryOf(event, now).facts, entry.facts);
        if (difference) note(reference, difference);
      } else if (createdAt >= demanded) note(reference, "has ended, and has no entry on the audit trail");
    }
    progress?.(result.verifications);
  }
  for (const [reference, { occurred_at }] of recorded)
    if (occurred_at >= demanded) note(reference, "is on the audit trail, and not on the ledger");
  return result;
}

/** The newest entry of each verification. */
async function lastEntries(db: Db): Promise<Map<string, { occurred_at: number; facts: string }>> {
  const last = new Map<string, { occurred_at: number; facts: string }>();
  const entries = db
    .selectFrom("audit_entry")
    .select(["id", "occurred_at", "facts"])
    .where("kind", "in", ["verification.ended", "verification.charged", "verification.reversed"]);
  for await (const page of pagesOf(entries, ["occurred_at", "id"], entriesAtOnce))
    for (const { id, occurred_at, facts } of page)
      last.set(String(factsIn(facts).reference ?? id), { occurred_at, facts });
  return last;
}

function differenceOf(onLedger: string, onTrail: string): string | undefined {
  if (onLedger === onTrail) return undefined;
  const [ledger, trail] = [factsIn(onLedger), factsIn(onTrail)];
  const names = Object.keys(ledger).filter((name) => ledger[name] !== trail[name]);
  const differences = names.map(
    (name) => `${name} is ${ledger[name]} on the ledger and ${trail[name]} on the audit trail`,
  );
  return differences.join(", ") || "has an entry of another form";
}

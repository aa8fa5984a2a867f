import { withFollowUps } from "../../storage/queries/follow-ups.ts";
import type { Db, VerificationRow } from "../../storage/tables.ts";
import { type Attempt, closeAttempt, journaledBill, openAttempt, type StoredOutcome } from "../attempts.ts";
import { addToJournal, uncharged } from "../journal/journal-entry.ts";
import { transition } from "../transitions.ts";

/**
 * The statement that ends the attempt of a run and opens one at another vendor, in the next run. It changes nothing if
 * another owner or run has the row. If its reply is lost, the run ends without that vendor, which a retry then asks.
 * `isKnown`: the journal names the ended attempt.
 */
export function failOver(
  db: Db,
  { reference, owner, run }: Pick<VerificationRow, "reference" | "owner" | "run">,
  ended: StoredOutcome,
  isKnown: boolean,
  next: Attempt,
) {
  const { state, reason, at, attempt } = ended;
  const why = { state, reason, at, attempt, ...journaledBill(ended) };
  const entry = { reference, run, what: "failover", ...why, ...uncharged } as const;
  const change = transition(db, "failOver", "started", reference, { run: next.number })
    .where("owner", "=", owner)
    .where("run", "=", run)
    .returningAll();
  return withFollowUps(db, change, (changed) => [
    ...(attempt === null || ended.notSent ? [] : [addToJournal(db, changed, entry, isKnown)]),
    closeAttempt(db, changed, { reference, ...ended }, ended),
    openAttempt(db, changed, next),
  ]);
}

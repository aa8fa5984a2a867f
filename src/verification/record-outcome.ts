import { seal } from "../keyring/envelope-encryption.ts";
import { type RunOutcome, runEnd } from "../ledger/attempts.ts";
import { newChargeMark } from "../ledger/charges.ts";
import { chargeFor } from "../ledger/fees.ts";
import type { Row } from "../ledger/ledger.ts";
import { withTimeout } from "../runtime/timeout.ts";
import { type Learned, loggableError } from "./attempts/asked-vendors.ts";
import type { VerificationDependencies } from "./verification-dependencies.ts";

/** The result of writing an outcome for which a caller waits. */
export interface RecordedOutcome {
  /** The outcome of the run. */
  outcome: RunOutcome;
  /** The result of the verification, with the record. */
  result: Learned;
  /**
   * Whether the ledger has the outcome. False: another process took the row over. Undefined: the store did not confirm
   * it.
   */
  isRecorded: boolean | undefined;
}

/**
 * Writes the outcome of a run, and its charge if there is one, before the caller gets it. Waits until `until`, by
 * `performance.now()`: as long as the caller waits, because the vendor may bill the attempt. An outcome that is not
 * written by then is written later, without a charge.
 */
export async function recordOutcome(
  parts: VerificationDependencies,
  row: Row,
  result: Learned,
  until: number,
): Promise<RecordedOutcome> {
  const { ledger, charges, deferredOutcomes, log } = parts;
  const outcome = storableOutcome(parts, row, result);
  const { reference } = row;
  const { charge: mark = null } = outcome;
  if (mark !== null) charges.begin(reference, mark, outcome.at);
  const writing = ledger.complete(row, outcome, { until }).catch((error: unknown) => {
    log.error({ reference, ...loggableError(error) }, "The store did not take an outcome");
    return undefined;
  });
  const isRecorded = await withTimeout(writing, until - performance.now());
  if (isRecorded === undefined) deferredOutcomes.add(row, outcome, ...(mark === null ? [] : [{ mark, replaces: "" }]));
  else if (mark !== null) charges.heard(mark);
  if (isRecorded === false) {
    // A peer took this process for dead and abandoned the row, so the outcome is written like a late one.
    log.warn({ reference }, "A verification was taken over while it ran");
    deferredOutcomes.add(row, outcome);
  }
  const end = runEnd(row, outcome);
  return { outcome, result: end ? { ...outcome, ...end } : result, isRecorded };
}

/**
 * Writes the outcome of a vendor that answered after the caller had its response. Nobody is charged for this outcome.
 */
export function recordLateOutcome(parts: VerificationDependencies, row: Row, late: Learned): void {
  if (late.state === "unknown") return;
  const vendor = row.attempts.find(({ number }) => number === late.attempt)?.vendor;
  parts.log.warn(
    { reference: row.reference, vendor, state: late.state },
    "The outcome of a verification came after its caller was answered",
  );
  parts.deferredOutcomes.add(row, storableOutcome(parts, row, late));
}

/**
 * The outcome in the ledger's form: with the mark of its charge, and the sealed record if replays may need the record.
 */
function storableOutcome({ keyring, settings }: VerificationDependencies, row: Row, result: Learned): RunOutcome {
  const isKeyless = row.idempotency_hash === null;
  const charge = chargeFor(result.state, row) === null ? null : newChargeMark(isKeyless);
  if (result.state !== "verified") return charge === null ? result : { ...result, charge };
  const { record, ...outcome } = result;
  const isKept = !isKeyless && settings.recordRetention > 0;
  const bound = { accountId: row.account_id, reference: row.reference };
  const sealed = isKept ? seal(keyring.current, bound, record, outcome.at) : null;
  return { ...outcome, charge, sealed };
}

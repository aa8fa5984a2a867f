import type { Db } from "../storage/tables.ts";
import { newAttempt, type RunOutcome } from "./attempts.ts";
import { Ledger, type Row } from "./ledger.ts";
import { storeAttempts, stored, storeRows } from "./ledger-rows.fixture.ts";
import { type PublicState, storedState } from "./public-state.ts";
import { newReference } from "./reference.ts";

const start = { vendor: "played", at: 1, requestId: "request", price: null };

/** A row with this many attempts, all without a response. */
export function newRow({
  attempts = 1,
  state = "started",
  ...changes
}: Partial<Omit<Row, "attempts" | "state"> & { attempts: number; state: PublicState }> = {}): Row {
  const row: Omit<Row, "attempts"> = {
    reference: newReference(Date.now()),
    account_id: "acc_1",
    key_id: "key_1",
    mode: "test",
    kind: "bvn",
    ...stored(state),
    idempotency_hash: null,
    lasting_idempotency_hash: null,
    body_hash: "v1:body",
    subject_hash: "v1:subject",
    subject_last4: "0017",
    run: 1,
    amount: 10_000,
    fee: 10_000,
    charged: 0,
    charged_at: null,
    charge_mark: "",
    amount_differs: 0,
    consent_reference: null,
    request_id: "request",
    spends: null,
    sealed_record: null,
    owner: "me",
    created_at: 1,
    started_at: 1,
    completed_at: null,
    ...changes,
  };
  const runs = Array.from({ length: attempts }, (_, n) => row.run - n).toReversed();
  return { ...row, attempts: runs.map((run) => newAttempt({ ...row, run }, start)) };
}

/** The outcome of an attempt, by default the first. */
export function found(told: PublicState, attempt = 1): RunOutcome {
  const { state, reasons } = storedState(told);
  const charge = told === "verified" ? "mark" : null;
  return { state, reason: reasons[0] ?? null, attempt, at: 2, charge } as RunOutcome;
}

/** Functions that store rows of a suite, and read them again. */
export function placing(store: { readonly db: Db }) {
  return {
    async placed(changes: Parameters<typeof newRow>[0] = {}): Promise<Row> {
      const row = newRow(changes);
      const { attempts, ...columns } = row;
      await storeRows(store.db, columns);
      await storeAttempts(store.db, ...attempts);
      return row;
    },
    nowOf: async ({ reference }: Row) => (await new Ledger(store.db).byReference("acc_1", "test", reference)) as Row,
  };
}

import { before } from "node:test";
import { type SuiteTerminal, suiteTerminal } from "../../../test/support/command-line.ts";
import type { Engine } from "../../../test/support/engines.ts";
import { stored, storeRows } from "../../ledger/ledger-rows.fixture.ts";
import { noteOlderVersion } from "../../storage/migrations/older-version.ts";
import { openStore } from "../../storage/store.ts";
import type { Db, VerificationRow } from "../../storage/tables.ts";

export const made = Date.UTC(2026, 2, 15, 12);

export const row: VerificationRow = {
  reference: "aaaaaa000000001",
  account_id: "",
  key_id: "key",
  mode: "live",
  kind: "bvn",
  state: "verified",
  reason: null,
  idempotency_hash: "hash-of-key",
  lasting_idempotency_hash: "hash-of-key",
  body_hash: "hash-of-body",
  subject_hash: "hash-of-subject",
  subject_last4: "0017",
  run: 3,
  amount: 10_000,
  fee: 8_050,
  charged: 1,
  charged_at: made + 1000,
  charge_mark: "",
  amount_differs: 1,
  consent_reference: "consent-1",
  request_id: "request-1",
  spends: null,
  sealed_record: "sealed-text",
  owner: null,
  created_at: made,
  started_at: made,
  completed_at: made + 1000,
};

/** Two attempts of the verification. The verification's second run asked nobody. */
export function attemptRowsOf(reference: string, account_id: string) {
  const common = { reference, account_id, mode: "live", kind: "bvn", vendor: "peer", started_at: made };
  const unheard = { answered_at: null, vendor_reference: null, price: null, bill: null, bill_certain: 0 } as const;
  return [
    {
      ...common,
      ...unheard,
      number: 1,
      outcome: "unknown",
      reason: "server_error",
      http_status: 502,
      request_id: "request-1",
    },
    {
      ...common,
      number: 3,
      answered_at: made + 1000,
      outcome: "verified",
      reason: null,
      vendor_reference: "theirs-1",
      http_status: 200,
      price: 8_000,
      bill: 8_000,
      bill_certain: 1 as const,
      request_id: "request-2",
    },
  ];
}

/** `duba` on a store that has an account, and rows of it that `store` makes. Registers the hooks of a suite. */
export function suiteShop(engine: Engine, store: (db: Db, accountId: string) => Promise<void>) {
  const terminal = suiteTerminal(engine);
  before(async () => {
    const account = ["accounts", "create", "--name", "Shop", "--email", "shop@example.com", "--json"];
    const { id } = JSON.parse((await terminal.duba(...account)).out);
    const { db, close } = await openStore({ ...terminal.settings, serving: false });
    await store(db, id);
    // From here on the store looks as if an older version wrote the rows: no sum contains the rows.
    await noteOlderVersion(db, 1);
    await close();
  });
  return terminal;
}

/** A store with verifications of one account, and `duba` on it. Registers the hooks of a suite. */
export function suiteLedger(engine: Engine): SuiteTerminal {
  return suiteShop(engine, async (db, id) => {
    const notFound = { ...stored("not_found"), charged: 0, charged_at: null, sealed_record: null } as const;
    const april = Date.UTC(2026, 3, 1);
    const rows: Partial<VerificationRow>[] = [
      {},
      { reference: "aaaaaa000000002", idempotency_hash: null },
      { reference: "aaaaaa000000003", idempotency_hash: null, ...notFound },
      { reference: "aaaaaa000000004", idempotency_hash: null, mode: "test" },
      { reference: "aaaaaa000000005", idempotency_hash: null, created_at: april, charged_at: april },
    ];
    await storeRows(db, ...rows.map((change) => ({ ...row, account_id: id, ...change })));
    await db.insertInto("verification_attempt").values(attemptRowsOf(row.reference, id)).execute();
  });
}

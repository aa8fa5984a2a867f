import assert from "node:assert/strict";
import { mock, suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { newReference } from "../../ledger/reference.ts";
import type { Rows } from "../../storage/sqlite/messages.ts";
import { StatementQueue } from "../../storage/sqlite/queue.ts";
import { OpenTransaction } from "../../storage/sqlite/transaction.ts";
import { startOperators } from "./operators.fixture.ts";

/** Pages that show a few rows, however many accounts exist. */
const pages = [
  "/",
  "/vendors",
  "/alarms/list?_run=1",
  "/verifications",
  "/requests",
  "/events",
  "/audit",
  "/catalogue",
];

/** More accounts than a form offers for choice. */
const few = 600;
const many = 1_600;

// One engine is enough: what pages read does not depend on it.
suite("pages of a store with many accounts", () => {
  test("with 1,600 accounts a page reads no more rows than with 600, and a list reads each row once", async () => {
    const [before, after] = [await rowsRead(few), await rowsRead(many)];
    // A job may have written alarms or seals in between.
    for (const page of pages) assert.ok(after[page]! <= before[page]! + 50, `${page}: ${before[page]}, ${after[page]}`);
    const more = (page: string) => (after[page]! - before[page]!) / (many - few);
    // The first page reads each account's row and last use. The second one reads each key's row and its account's name.
    for (const page of ["/accounts", "/keys"]) assert.ok(more(page) <= 2.1, `${page} reads ${more(page)} rows of each`);
    // The page of the books reads each account's row, and its charges and costs.
    assert.ok(more("/books") <= 2.1, `the books read ${more("/books")} rows of each`);
  });
});

/** Returns how many rows each page reads, with this many accounts that have a key and a charge. */
async function rowsRead(accounts: number): Promise<Record<string, number>> {
  const { service, send, by } = await startOperators(engines.find(({ name }) => name === "sqlite")!);
  const { db, now } = await service.store();
  const ids = Array.from({ length: accounts }, (_, at) => `acc_${String(at).padStart(12, "0")}`);
  const at = now() - 60_000;
  const mine = { created_at: at, fees: "{}", terms: "{}", answers: "full", suspended_at: null };
  const more = { address: null, tax_number: null };
  const keys = { mode: "live", label: "Till", scopes: "[]", addresses: "[]", bootstrap: 0 as const };
  const ends = { created_at: at, expires_at: null, revoked_at: null };
  for (let from = 0; from < accounts; from += 500) {
    const some = ids.slice(from, from + 500);
    await db
      .insertInto("account")
      .values(some.map((id) => ({ id, name: id, email: `${id}@example.com`, ...mine, ...more })))
      .execute();
    await db
      .insertInto("api_key")
      .values(some.map((id) => ({ id: `key_${id}`, account_id: id, secret_hash: id, ...keys, ...ends })))
      .execute();
    const rows = some.map((id) => verifiedRow(id, at, { mode: "live", reference: newReference(at) }));
    await storeRows(db, ...rows);
  }
  let read = 0;
  const counting = [StatementQueue.prototype, OpenTransaction.prototype].map((kind) => {
    const { run } = kind;
    return mock.method(kind, "run", async function (this: unknown, ...given: unknown[]) {
      const found: Rows = await Reflect.apply(run, this, given);
      read += found.rows.length;
      return found;
    });
  });
  const counts: Record<string, number> = {};
  for (const page of [...pages, "/accounts", "/keys", "/books"]) {
    // The first request also takes readings that pages share.
    await send(page, { cookie: by.viewer.cookie });
    read = 0;
    assert.equal((await send(page, { cookie: by.viewer.cookie })).status, 200, page);
    counts[page] = read;
  }
  for (const each of counting) each.mock.restore();
  await service.close();
  return counts;
}

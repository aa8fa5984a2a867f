import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { engines, type FreshSettings } from "../../../test/support/engines.ts";
import { withSuiteStore } from "../../../test/support/fresh-store.ts";
import { append } from "../../audit/append.ts";
import { followJournal } from "../../ledger/journal/follow-journal.ts";
import { journaled, storeRows } from "../../ledger/ledger-rows.fixture.ts";
import { ledgerTrail } from "../../ledger/ledger-trail.ts";
import { newReference } from "../../ledger/reference.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import type { Store } from "../../storage/store.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";
import { accountRow, verification as sample } from "../backup/backup.fixture.ts";

const day = 86_400_000;
const zone = new TimeZone("Africa/Lagos");

interface Difference {
  reference: string | null;
  what: string;
}

for (const engine of engines) {
  suite(`the ledger held against the audit trail on ${engine.name}`, () => {
    let settings: FreshSettings;
    let store: Store;
    const duba = (...line: string[]) => {
      const { dataDirectory, databaseUrl } = settings;
      return ran(line, { environment: { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl } });
    };
    const reconcile = async () => {
      const { exitCode, out, err } = await duba("audit", "reconcile", "--json");
      assert.equal(err, "");
      return { exitCode, ...JSON.parse(out) };
    };
    const now = Date.now();
    const ago = (days: number): Partial<VerificationRow> => {
      const at = now - days * day;
      return { created_at: at, started_at: at, charged_at: at };
    };
    const note = (reference: string, changes: Parameters<typeof journaled>[2] = {}) =>
      journaled(store.db, reference, { at: now, kobo: sample.fee, ...changes }).execute();
    const put = (reference: string, changes: Partial<VerificationRow>) =>
      storeRows(store.db, {
        ...sample,
        consent_reference: null,
        sealed_record: null,
        ...ago(0),
        reference,
        ...changes,
      });
    const add = async (reference: string) => {
      await put(reference, {});
      await note(reference);
    };
    const set = (reference: string, values: Partial<Tables["verification"]>) =>
      store.db.updateTable("verification").set(values).where("reference", "=", reference).execute();

    withSuiteStore(engine, async (its, of) => {
      [store, settings] = [its, of];
      await store.db.insertInto("account").values(accountRow).execute();
      for (const reference of ["ref-1", "ref-2"]) await add(reference);
      await put("ref-3", {});
      await note("ref-3", { at: now - 1, state: "unknown", charged: 0, kobo: 0 });
      await note("ref-3");
      await followJournal({ db: store.db, audit: append, zone });
    });

    test("audit reconcile finds no difference if each verification has its entry, awaits it or runs", async () => {
      await add("due");
      await put("running", { state: "started", charged_at: null });
      await followJournal({ db: store.db, audit: append, zone });
      await add("due-later");
      const read = { verifications: 6, recorded: 4, sums: 6 };
      assert.deepEqual(await reconcile(), { exitCode: 0, agree: true, ...read, differences: [] });
    });

    test("audit reconcile reports no missing entry that retention deleted", async () => {
      await put("old-row", ago(740));
      const facts = { reference: "old-entry", account: "acc_1", charged: true, fee: "1" };
      await append(store.db, ledgerTrail.verificationEnded("key:k", facts));
      const change = store.db.updateTable("audit_entry").set({ occurred_at: Date.now() - 740 * day });
      await change.where("facts", "like", "%old-entry%").execute();
      assert.equal((await reconcile()).exitCode, 0);
    });

    test("audit reconcile reports no row as missing that is over 25 months old, even if settled later", async () => {
      const reference = newReference(now - 760 * day);
      const facts = { reference, account: "acc_1", charged: false, fee: "1" };
      await append(store.db, ledgerTrail.verificationEnded("key:k", facts));
      const change = store.db.updateTable("audit_entry").set({ occurred_at: now - 600 * day });
      await change.where("facts", "like", `%${reference}%`).execute();
      assert.equal((await reconcile()).exitCode, 0);
    });

    test("audit reconcile names each row changed, inserted or deleted without an audit entry", async () => {
      await set("ref-1", { charged: 0 });
      await store.db.deleteFrom("verification").where("reference", "=", "ref-2").execute();
      await put("put-in", ago(1));
      const { exitCode, agree, differences } = await reconcile();
      assert.deepEqual([exitCode, agree], [1, false]);
      const [sums, rows] = [true, false].map((isSum) =>
        differences.filter(({ reference }: Difference) => (reference === null) === isSum),
      ) as [Difference[], Difference[]];
      assert.deepEqual(
        new Map(rows.map(({ reference, what }) => [reference, what])),
        new Map([
          ["ref-1", "charged is false on the ledger and true on the audit trail"],
          ["put-in", "has ended, and has no entry on the audit trail"],
          ["ref-2", "is on the audit trail, and not on the ledger"],
        ]),
      );
      // Six for the inserted verification and six for the removed one: the sums of an hour and a day, of account,
      // vendor and key.
      assert.equal(sums.length, 12);
      for (const [span, counts] of [
        ["hour", "charges is 3 on the ledger and 4 in the sums"],
        ["day", "charges is 1 on the ledger and 0 in the sums"],
      ])
        assert.ok(sums.some(({ what }) => what.startsWith(`of the ${span} from `) && what.includes(counts!)));
      const plain = await duba("audit", "reconcile");
      assert.match(plain.out, /^ref-2 +is on the audit trail, and not on the ledger$/m);
      assert.match(plain.out, /^sum +of the day from .*, shop@example\.com, live, bvn, /m);
      assert.doesNotMatch(plain.out, /acc_/);
      assert.equal(
        plain.err,
        "There are 15 differences. 7 verifications on the ledger, 6 on the trail, 12 sums.\nTo make the sums anew: " +
          "duba books rebuild-sums\n",
      );
      assert.match((await duba("books", "rebuild-sums")).out, /^12 sums were wrong and are right now: 2 days\.$/m);
      assert.equal((await reconcile()).differences.length, 3);
      assert.match((await duba("audit", "tail", "--kind", "books.rebuilt", "--json")).out, /"sums": ?12/);
    });
  });
}

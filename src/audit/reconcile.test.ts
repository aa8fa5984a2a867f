import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ran } from "../../test/support/command-line.ts";
import { engines, type FreshSettings } from "../../test/support/engines.ts";
import { withSuiteStore } from "../../test/support/suite-store.ts";
import { followJournal } from "../identity/ledger/journal/follow-journal.ts";
import { journaled } from "../identity/ledger/ledger-rows.fixture.ts";
import { TimeZone } from "../runtime/time-zone.ts";
import { accountRow, verification as sample } from "../storage/backup/backup.fixture.ts";
import type { Store } from "../storage/store.ts";
import type { Tables, VerificationRow } from "../storage/tables.ts";
import { append } from "./append.ts";

const day = 86_400_000;
const zone = new TimeZone("Africa/Lagos");

for (const engine of engines) {
  suite(`the ledger held against the audit trail on ${engine.name}`, () => {
    let settings: FreshSettings;
    let store: Store;
    const reconcile = async () => {
      const { dataDirectory, databaseUrl } = settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      const { exitCode, out, err } = await ran(["audit", "reconcile", "--json"], { environment });
      assert.equal(err, "");
      return { exitCode, ...JSON.parse(out) };
    };
    const ago = (days: number): Partial<VerificationRow> => ({
      created_at: Date.now() - days * day,
      started_at: Date.now() - days * day,
    });
    const note = (reference: string, changes: Parameters<typeof journaled>[2] = {}) =>
      journaled(store.db, reference, changes).execute();
    const put = (reference: string, changes: Partial<VerificationRow>) =>
      store.db
        .insertInto("verification")
        .values({ ...sample, consent_reference: null, sealed_record: null, ...ago(0), reference, ...changes })
        .execute();
    const add = async (reference: string) => {
      await put(reference, {});
      await note(reference);
    };
    const set = (reference: string, values: Partial<Tables["verification"]>) =>
      store.db.updateTable("verification").set(values).where("reference", "=", reference).execute();

    withSuiteStore(engine, async (its, of) => {
      [store, settings] = [its, of];
      await store.db.insertInto("account").values(accountRow).execute();
      for (const reference of ["ref-1", "ref-2", "ref-3"]) await add(reference);
      await followJournal({ db: store.db, audit: append, zone });
    });

    test("agrees where each outcome has its entry, whatever is under way, due, or told twice", async () => {
      await add("due");
      await put("running", { state: "started" });
      await set("ref-3", { state: "unknown", charged: 0 });
      await note("ref-3", { state: "unknown", charged: 0, kobo: 0 });
      await followJournal({ db: store.db, audit: append, zone });
      await add("due-later");
      assert.deepEqual(await reconcile(), { exitCode: 0, agree: true, verifications: 6, recorded: 4, differences: [] });
    });

    test("does not ask for what retention removes", async () => {
      await put("old-row", ago(740));
      const facts = { reference: "old-entry", account: "acc_1", charged: true, fee: "1" };
      await append(store.db, { kind: "verification.ended", actor: "key:k", facts });
      const change = store.db.updateTable("audit_entry").set({ occurred_at: Date.now() - 740 * day });
      await change.where("facts", "like", "%old-entry%").execute();
      assert.equal((await reconcile()).exitCode, 0);
    });

    test("names each row that was changed, put in or taken away behind the trail's back", async () => {
      await set("ref-1", { charged: 0 });
      await store.db.deleteFrom("verification").where("reference", "=", "ref-2").execute();
      await put("put-in", ago(1));
      const { exitCode, agree, differences } = await reconcile();
      assert.deepEqual([exitCode, agree], [1, false]);
      assert.deepEqual(
        new Map(differences.map(({ reference, what }: Record<string, string>) => [reference, what])),
        new Map([
          ["ref-1", "charged is false on the ledger and true on the audit trail"],
          ["put-in", "has ended, and has no entry on the audit trail"],
          ["ref-2", "is on the audit trail, and not on the ledger"],
        ]),
      );
      const { dataDirectory, databaseUrl } = settings;
      const plain = await ran(["audit", "reconcile"], {
        environment: { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl },
      });
      assert.match(plain.out, /^ref-2 +is on the audit trail, and not on the ledger$/m);
      assert.match(plain.err, /^There are 3 differences\. 7 verifications on the ledger, 5 on the trail\.\n$/);
    });
  });
}

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../test/support/engines.ts";
import { withSuiteStore } from "../../test/support/fresh-store.ts";
import { reconcile } from "../features/audit-reading/reconcile.ts";
import { accountRow, verification as sample } from "../features/backup/backup.fixture.ts";
import { followJournal, ledgerAuditEvents } from "../ledger/journal/follow-journal.ts";
import { journaled, storeRows } from "../ledger/ledger-rows.fixture.ts";
import { TimeZone } from "../runtime/time-zone.ts";
import type { Db, Tables } from "../storage/tables.ts";
import { append } from "./append.ts";

const zone = new TimeZone("Africa/Lagos");
const now = Date.now();

for (const engine of engines)
  suite(`entries of one verification that two hosts wrote, on ${engine.name}`, () => {
    let db: Db;
    withSuiteStore(engine, async (store) => {
      db = store.db;
      await db.insertInto("account").values(accountRow).execute();
    });

    const follow = () => followJournal({ db, audit: append, zone });
    /** A verification with two entries on the trail: first "unknown", then "verified" by a late record. */
    async function told(reference: string) {
      const times = { created_at: now, started_at: now, charged_at: now };
      const row = { ...sample, ...times, consent_reference: null, sealed_record: null, reference };
      await storeRows(db, row);
      await journaled(db, reference, { at: now - 1, state: "unknown", charged: 0, kobo: 0 }).execute();
      await follow();
      await journaled(db, reference, { at: now, kobo: sample.fee }).execute();
      await follow();
    }
    /** Changes both entries: `late` is true for the later one, "verified". */
    async function change(reference: string, changed: (late: boolean, entry: Entry) => Partial<Entry>) {
      const entries = db.selectFrom("audit_entry").selectAll().where("facts", "like", `%"${reference}"%`);
      for (const entry of await entries.execute()) {
        const values = changed(entry.facts.includes('"verified"'), entry);
        await db.updateTable("audit_entry").set(values).where("id", "=", entry.id).execute();
      }
    }
    type Entry = Tables["audit_entry"];
    /** The facts of an entry as version 0.1.0 wrote them. */
    const older = ({ facts }: Entry) => {
      const { journal, ...rest } = JSON.parse(facts);
      assert.equal(typeof journal, engine.name === "sqlite" ? "undefined" : "number");
      return JSON.stringify(rest);
    };
    const set = (reference: string, values: Partial<Tables["verification"]>) =>
      db.updateTable("verification").set(values).where("reference", "=", reference).execute();
    const differences = async () => {
      const all: string[] = [];
      await reconcile(db, {
        ledger: ledgerAuditEvents(db),
        madeAt: () => undefined,
        found: ({ what }) => all.push(what),
      });
      return all;
    };

    test("entries have the order of the journal, even if the clocks of the two hosts disagree", async () => {
      for (const [reference, behind] of [
        ["a-second", 1_000],
        ["an-hour", 3_600_000],
      ] as const) {
        await told(reference);
        await change(reference, (late, { occurred_at: at }) => ({ occurred_at: late ? at - behind : at }));
        assert.deepEqual(await differences(), [], reference);
        await change(reference, () => ({ batch: 7 }));
        assert.deepEqual(await differences(), [], reference);
      }
      await set("a-second", { state: "unknown", charged: 0 });
      const what = ["state is unknown on the ledger", "charged is false on the ledger and true on the audit trail"];
      // On SQLite one process has one clock, so either entry may be the last.
      const found = engine.name === "sqlite" ? [] : [what.join(" and verified on the audit trail, ")];
      assert.deepEqual(await differences(), found);
      await set("a-second", { state: "verified", charged: 1 });
    });

    test("after a restore, entries whose batch and journal number disagree may have either order", async () => {
      const numbered = ({ facts }: Entry, journal: number) => JSON.stringify({ ...JSON.parse(facts), journal });
      await told("restored");
      await change("restored", (late, entry) => ({ batch: late ? 9 : 8, facts: numbered(entry, late ? 1 : 2) }));
      assert.deepEqual(await differences(), []);
      await change("restored", (late, entry) => ({ batch: late ? 8 : 9, facts: numbered(entry, late ? 2 : 1) }));
      assert.deepEqual(await differences(), []);
    });

    test("entries of version 0.1.0 in one batch may have either order, if their times differ", async () => {
      await told("one-batch");
      await change("one-batch", (late, entry) => ({ occurred_at: late ? now - 1_000 : now, facts: older(entry) }));
      for (const batch of [null, 3]) {
        await change("one-batch", () => ({ batch }));
        assert.deepEqual(await differences(), []);
      }
      await set("one-batch", { account_id: "acc_2" });
      assert.equal((await differences()).length, 1);
      await set("one-batch", { account_id: sample.account_id });
    });

    test("of two entries of version 0.1.0 the later batch counts; in one batch at one time, the later id", async () => {
      await told("two-batches");
      await change("two-batches", (late, entry) => ({
        batch: late ? 5 : 4,
        occurred_at: late ? now - 1_000 : now,
        facts: older(entry),
      }));
      assert.deepEqual(await differences(), []);
      await set("two-batches", { state: "unknown", charged: 0 });
      assert.equal((await differences()).length, 1);
      await change("two-batches", (late, { id }) => ({
        batch: 5,
        occurred_at: now,
        id: `${late ? "0001" : "0000"}${id.slice(4)}`,
      }));
      assert.equal((await differences()).length, 1);
      await set("two-batches", { state: "verified", charged: 1 });
      assert.deepEqual(await differences(), []);
    });
  });

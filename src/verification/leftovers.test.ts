import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { personOf } from "../checks/kinds.fixture.ts";
import { backup, copiedTables } from "../features/backup/backup.ts";
import { eraseSubject } from "../features/data-subjects/subjects.ts";
import { KeyedHashes } from "../keyring/keyed-hash.ts";
import { RetentionClock } from "../storage/retention/retention-clock.ts";
import { sweeper } from "../storage/retention/sweep.ts";
import { emptyLog } from "../storage/sqlite/empty-log.ts";
import { ledgerRules } from "../storage/tables/apply-retention.fixture.ts";
import { engines, keyring, newRequest, suiteStore } from "./identity.fixture.ts";
import { type CountedRow, ledgerRows, wrappedKeys } from "./ledger.fixture.ts";

const start = Date.UTC(2026, 0, 1);
const retention = 24 * 60 * 60_000;

/** Returns the possible forms of a text in a file: plain, in hex, and in base64 at each of its alignments. */
function forms(text: string): string[] {
  const bytes = Buffer.from(text);
  const coded = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    // Leaves out the first and last letters, which neighbouring bytes also determine.
    return whole.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 4) / 3));
  });
  return [text, bytes.toString("utf16le"), bytes.toString("hex"), bytes.toString("hex").toUpperCase(), ...coded];
}

/** Pieces of a row's sealed texts, short enough to lie on one page. */
const pieces = (sealed_key: string, { sealed_record }: CountedRow) =>
  [sealed_key, sealed_record!].flatMap((text) => [10, 30, 50].map((from) => text.slice(from, from + 16)));

for (const engine of engines) {
  suite(`what is left of a person on ${engine.name}`, () => {
    const store = suiteStore(engine);

    /** Reads everything that is stored: on SQLite the bytes of its files, on PostgreSQL the contents of its tables. */
    const stored = async (): Promise<Buffer> => {
      const file = join(store.settings.dataDirectory, "duba.db");
      if (engine.name === "sqlite") return Buffer.concat([file, `${file}-wal`].map((path) => readFileSync(path)));
      const names = [...copiedTables.map(({ table }) => table), "record_key" as const];
      const tables = names.map((table) => store.db.selectFrom(table).selectAll().execute());
      return Buffer.from(JSON.stringify(await Promise.all(tables)));
    };
    const backedUp = async (): Promise<Buffer> => {
      const path = join(store.settings.dataDirectory, "backup");
      await backup({ db: store.db, audit: async () => {}, actor: "system" }, path, {
        madeBy: "test",
        sign: () => "unsigned",
      });
      const bytes = readFileSync(path);
      rmSync(path);
      return bytes;
    };
    const isIn = (bytes: Buffer, texts: readonly string[]) => texts.filter((text) => bytes.includes(text)).length;

    /** Verifications of two people, with the texts that identify the people and the sealed texts about them. */
    const verifiedTwo = async (t: TestContext) => {
      const room = await store.open(t, { now: () => start });
      const mine = newRequest();
      const people = ["22000000123", "22000000456"];
      const names: string[] = [];
      for (const bvn of people) {
        const { record } = await room.verify({
          ...mine,
          number: bvn,
          claims: { phone: `80${bvn.slice(3)}` },
          idempotencyKey: `k-${bvn}`,
        });
        const { full_name, phone_number, formatted_date_of_birth } = personOf(record).personal_info;
        const { residential_address } = personOf(record).residential_info;
        names.push(bvn, `80${bvn.slice(3)}`, full_name, phone_number, formatted_date_of_birth, residential_address);
      }
      const rows = await ledgerRows(store.db, mine);
      const first = rows.find(({ subject_last4 }) => subject_last4 === "0123")!;
      const other = rows.find(({ subject_last4 }) => subject_last4 === "0456")!;
      const keys = await wrappedKeys(store.db);
      const piecesOf = (row: CountedRow) => pieces(keys.get(row.reference)!, row);
      return { canaries: names.flatMap(forms), first: piecesOf(first), other: piecesOf(other) };
    };

    test("the store has a record only as sealed text, and a backup has no record", async (t) => {
      const { canaries, first, other } = await verifiedTwo(t);
      const [bytes, copy] = [await stored(), await backedUp()];
      assert.equal(isIn(bytes, first), first.length);
      assert.equal(isIn(bytes, canaries), 0);
      assert.equal(isIn(copy, [...canaries, ...first, ...other]), 0);
      assert.ok(copy.includes('"verified"'));
    });

    test("an erasure removes the person's records and their keys, and no other person's", async (t) => {
      const { canaries, first, other } = await verifiedTwo(t);
      const parts = {
        db: store.db,
        audit: async () => {},
        actor: "system",
        keyedHashes: new KeyedHashes({ current: keyring }),
      };
      const { isOffDisk } = await eraseSubject(parts, { kind: "bvn", number: "22000000123" });
      assert.equal(isOffDisk, true);
      const bytes = await stored();
      assert.equal(isIn(bytes, [...canaries, ...first]), 0);
      assert.equal(isIn(bytes, other), other.length);
    });

    test("after their retention the store holds no piece of a person's sealed record or of its key", async (t) => {
      let now = start;
      const { db, log } = store;
      const clock = await RetentionClock.open({ store: { db, now: () => now, doubt: () => {} }, log });
      const rules = ledgerRules(retention);
      const sweep = sweeper({ db, clock, rules, audit: async () => {}, log });
      const { canaries, first, other } = await verifiedTwo(t);
      await emptyLog(db);
      assert.equal(isIn(await stored(), [...first, ...other]), first.length + other.length);
      now += retention + 1;
      // After such a gap, the clock of retention is distrusted for ten minutes.
      for (let minute = 1; minute <= 10; minute += 1) {
        await clock.tick(true);
        await sweep(t.signal);
      }
      assert.equal(isIn(await stored(), [...first, ...other, ...canaries]), 0);
    });
  });
}

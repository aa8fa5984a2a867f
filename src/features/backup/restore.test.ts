import assert from "node:assert/strict";
import { createHmac, hash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { suite, test } from "node:test";
import { sql, type Transaction } from "kysely";
import { engines } from "../../../test/support/engines.ts";
import { addColumns } from "../../storage/migrations/create-tables.ts";
import { StoreError } from "../../storage/store.ts";
import type { Tables } from "../../storage/tables.ts";
import {
  accountRow,
  apiKey,
  audited,
  contentOf,
  draft,
  madeAt,
  refusal,
  revision,
  verification,
} from "./backup.fixture.ts";
import { type BackupHeader, backup, endOf } from "./backup.ts";
import { backupTrail } from "./backup-trail.ts";
import { checkBackup, restore, type Verifier } from "./restore.ts";

import { killedHalfWay, nobody, openedStore, options, SuiteBackup } from "./suite-backup.fixture.ts";

const { sign } = options;

for (const engine of engines) {
  suite(`a restore on ${engine.name}`, () => {
    const its = new SuiteBackup(engine);

    for (const other of engines) {
      test(`a backup is restored unchanged on ${other.name}, except for records and their keys`, async (t) => {
        const { db } = await openedStore(t, other);
        const store = audited(db);
        const told: number[] = [];
        const progress = (rows: number, all: number) => void told.push(rows, all);
        const { madeAt: time, rows } = await restore(store, its.path, { sign, progress });
        assert.equal(time, new Date(madeAt).toISOString());
        assert.deepEqual(told.slice(-2), [rows, rows]);
        assert.deepEqual(store.told, [backupTrail.restored("operator:ada", { made_at: madeAt, rows })]);
        assert.deepEqual(await contentOf(db), its.content);
        const counters = await db.selectFrom("change_counter").select("number").execute();
        assert.deepEqual(new Set(counters.map(({ number }) => number)), new Set([1]));
      });
    }

    const damages: [string, (bytes: Buffer) => Buffer, RegExp][] = [
      [
        "a changed byte",
        (bytes) => Buffer.from(bytes.toString("latin1").replace("ref-77", "ref-78"), "latin1"),
        /is damaged/,
      ],
      [
        "a row less",
        (bytes) => Buffer.from(bytes.toString("latin1").replace(/\n\["ref-77".*\n/, "\n"), "latin1"),
        /is damaged/,
      ],
      ["its end cut off", (bytes) => bytes.subarray(0, -1000), /is not whole: its end is missing/],
      ["a part of its last line", (bytes) => bytes.subarray(0, -10), /is not whole: its end is missing/],
      ["something behind it", (bytes) => Buffer.concat([bytes, Buffer.from("x")]), /is not whole/],
      ["nothing in it", () => Buffer.alloc(0), /is not a backup of Duba/],
      ["something else in it", () => Buffer.from("SQLite format 3"), /is not a backup of Duba/],
    ];

    test("a damaged backup is refused before anything is written", async () => {
      const { db } = its.empty;
      const before = await contentOf(db);
      for (const [what, damage, sentence] of damages) {
        writeFileSync(`${its.path}-damaged`, damage(readFileSync(its.path)));
        assert.match(await refusal(restore(audited(db), `${its.path}-damaged`, { sign })), sentence, what);
        assert.match(await refusal(checkBackup(`${its.path}-damaged`, sign)), sentence, what);
      }
      assert.match(await refusal(restore(audited(db), `${its.path}-none`, { sign })), /cannot be read \(ENOENT\)/);
      assert.deepEqual(await contentOf(db), before);
    });

    /** Returns a copy of the backup with more lines before its last line, which `end` signs. */
    const rewritten = (lines: readonly unknown[], end: typeof sign, changes: Partial<BackupHeader> = {}): Buffer => {
      const [header, ...rest] = readFileSync(its.path, "utf8").trimEnd().split("\n").slice(0, -1);
      const all = [JSON.stringify({ ...JSON.parse(header!), ...changes }), ...rest];
      const text = [...all, ...lines.map((line) => JSON.stringify(line))].map((line) => `${line}\n`).join("");
      return Buffer.from(`${text}${JSON.stringify(endOf(hash("sha256", text), end))}\n`);
    };

    test("a changed backup is refused for its keyed hash, even if its plain hash was corrected", async () => {
      const forger = (text: string) => createHmac("sha256", "a guess").update(text).digest("base64url");
      const forged = rewritten([], (text) => (text === "ring" ? sign(text) : forger(text)));
      writeFileSync(`${its.path}-forged`, forged);
      assert.match(
        await refusal(restore(audited(its.empty.db), `${its.path}-forged`, { sign })),
        /was changed: its HMAC/,
      );
      writeFileSync(`${its.path}-forged`, rewritten([], forger));
      const other = await refusal(restore(audited(its.empty.db), `${its.path}-forged`, { sign }));
      assert.match(
        other,
        /was made under another key ring: put the ring of its store in place, or say --without-keyring/,
      );
    });

    for (const [what, head] of [
      ["a table that is none of its own", { table: "kysely_migration", columns: ["name", "timestamp"] }],
      ["a table that backups leave out", { table: "verification_owner", columns: ["id", "expires_at"] }],
      ["a table of another schema", { table: "pg_catalog.pg_class", columns: ["a", "b"] }],
      ["a column in quotes", { table: "account", columns: ['id") select', "name"] }],
    ] as const)
      test(`a backup that contains ${what} is refused, and leaves nothing behind`, async () => {
        const before = await contentOf(its.empty.db);
        writeFileSync(`${its.path}-foreign`, rewritten([head, ["a", "b"]], sign));
        for (const key of [sign, null]) {
          const sentence = await refusal(restore(audited(its.empty.db), `${its.path}-foreign`, { sign: key }));
          assert.match(sentence, /^The backup holds a table or a column that no backup of Duba has/);
          assert.equal(await refusal(checkBackup(`${its.path}-foreign`, key)), sentence);
        }
        assert.deepEqual(await contentOf(its.empty.db), before);
      });

    test("a backup with unknown tables is refused, and the refusal names its version", async () => {
      const { db } = its.empty;
      for (const changes of [{ baseline: "another" }, { migrations: ["0001_baseline", "9999_later_since_0001"] }]) {
        writeFileSync(`${its.path}-other`, rewritten([], sign, changes));
        assert.match(
          await refusal(restore(audited(db), `${its.path}-other`, { sign })),
          /another version of Duba \(0\.0\.0-test\)/,
        );
        assert.match(await refusal(checkBackup(`${its.path}-other`, sign)), /another version of Duba \(0\.0\.0-test\)/);
      }
    });

    test("an older backup is restored, with the defaults of newer columns", async (t) => {
      const { db } = await openedStore(t, engine);
      await addColumns(db, "account", { made_later: "integer", word: "text?" });
      await restore(audited(db), its.path, { sign });
      const { rows } = await sql`select distinct made_later, word from account`.execute(db);
      assert.deepEqual(rows, [{ made_later: 0, word: null }]);
    });

    test("a backup is checked whole without a store, and its rows are counted by table", async () => {
      const text = readFileSync(its.path, "utf8");
      const { made_at: madeAt, rows } = JSON.parse(text.slice(0, text.indexOf("\n"))) as BackupHeader;
      const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
      const { sha256, ...found } = await checkBackup(its.path, sign);
      assert.deepEqual(found, { rows: all, bytes: statSync(its.path).size, madeAt });
      assert.ok(text.includes(`{"sha256":"${sha256}"`));
      writeFileSync(`${its.path}-less`, rewritten([], sign, { rows: { ...rows, account: rows.account! + 1 } }));
      assert.match(await refusal(checkBackup(`${its.path}-less`, sign)), /^The table account has other rows/);
    });

    test("a restore is refused if the store has more than a first start leaves, or a service runs on it", async () => {
      const { db } = its.empty;
      const uses: ((trx: Transaction<Tables>) => Promise<unknown>)[] = [
        (trx) => trx.insertInto("verification").values(verification).execute(),
        (trx) => trx.insertInto("account").values(accountRow).execute(),
        async (trx) => {
          await trx.insertInto("account").values(accountRow).execute();
          await trx
            .insertInto("api_key")
            .values({ ...apiKey, bootstrap: 1 })
            .execute();
        },
        async (trx) => {
          await trx.insertInto("account").values(accountRow).execute();
          await trx
            .insertInto("api_key")
            .values({ ...apiKey, mode: "test" })
            .execute();
        },
        (trx) =>
          trx
            .insertInto("catalogue_revision")
            .values({ ...revision, number: 2 })
            .execute(),
        (trx) =>
          trx
            .insertInto("catalogue_revision")
            .values({ ...revision, source: "import" })
            .execute(),
        (trx) =>
          trx
            .insertInto("catalogue_draft")
            .values({ ...draft, state: "held", source: "import" })
            .execute(),
        (trx) =>
          trx
            .insertInto("verification_owner")
            .values({ id: "a", expires_at: Date.now() + 60_000, serves: 1, migration: 1 })
            .execute(),
      ];
      for (const use of uses) {
        const played = db.transaction().execute(async (trx) => {
          await use(trx);
          await restore(audited(trx), its.path, { sign });
        });
        assert.match(await refusal(played), /^(The store is in use|A service runs on this store)/);
      }
    });

    test("a restore replaces what a first start leaves", async (t) => {
      const { db } = await openedStore(t, engine);
      await db
        .insertInto("account")
        .values({ ...accountRow, id: "acc_2", email: "sandbox@example.com" })
        .execute();
      await db
        .insertInto("api_key")
        .values({ ...apiKey, id: "key_2", account_id: "acc_2", mode: "test", bootstrap: 1 })
        .execute();
      await db.insertInto("catalogue_revision").values(revision).execute();
      await db.insertInto("catalogue_draft").values(draft).execute();
      await db.insertInto("fact").values({ name: "keyring:audit", value: "new", created_at: 0 }).execute();
      await restore(audited(db), its.path, { sign });
      assert.deepEqual(await contentOf(db), its.content);
    });

    test("a restore that is refused or killed half-way leaves the store as it was", async () => {
      const { db } = its.empty;
      const before = await contentOf(db);
      const seen: unknown[] = [];
      const verifier: Verifier = async (restored, figures) => {
        seen.push(figures, (await restored.selectFrom("verification").select("reference").execute()).length);
        throw new StoreError("The sums differ.");
      };
      const noted = `${its.path}-noted`;
      await backup(audited(its.source.db), noted, { ...options, figures: async () => ({ rows: "many" }) });
      assert.match(await refusal(restore(audited(db), noted, { sign, verifiers: [verifier] })), /^The sums differ\.$/);
      assert.deepEqual(seen[0], { rows: "many" });
      assert.ok(Number(seen[1]) > 1000);
      assert.deepEqual(await contentOf(db), before);

      await killedHalfWay(
        { ...its.emptied, serving: false },
        `await restore(${nobody}, ${JSON.stringify(noted)}, { sign: null, progress });`,
      );
      assert.deepEqual(await contentOf(db), before);
    });
  });
}

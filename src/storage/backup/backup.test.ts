import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, hash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, type TestContext, test } from "node:test";
import { sql, type Transaction } from "kysely";
import { type Engine, engines, type Fresh } from "../../../test/support/engines.ts";
import { openStore, type Store, StoreFault, type StoreSettings } from "../store.ts";
import type { Tables } from "../tables.ts";
import {
  account,
  apiKey,
  audited,
  contentOf,
  draft,
  fill,
  madeAt,
  refusal,
  revision,
  verification,
} from "./backup.fixture.ts";
import { backup, endOf } from "./backup.ts";
import { restore, type Verifier } from "./restore.ts";

const sign = (text: string) => createHmac("sha256", "a key").update(text).digest("base64url");
const options = { madeBy: "0.0.0-test", now: madeAt, sign };

/** A store in the text of a program, whose audit trail nobody reads. */
const nobody = "{ db: store.db, actor: '', audit: async () => {} }";

/** A process of its own, which stands still where it first tells how far it is, and is killed there. */
async function killedHalfWay(settings: StoreSettings, work: string): Promise<void> {
  const module = (name: string) => JSON.stringify(import.meta.resolve(name));
  const program = `
    import { writeSync } from "node:fs";
    import { backup } from ${module("./backup.ts")};
    import { restore } from ${module("./restore.ts")};
    import { openStore } from ${module("../store.ts")};
    const store = await openStore(${JSON.stringify(settings)});
    const progress = (rows) => {
      writeSync(1, String(rows));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    };
    ${work}`;
  const child: ChildProcess = spawn(process.execPath, ["--eval", program], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  await Promise.race([
    once(child.stdout!, "data"),
    exited.then(([code]) => assert.fail(`It ended by itself with ${code}`)),
  ]);
  child.kill("SIGKILL");
  assert.deepEqual(await exited, [null, "SIGKILL"]);
}

for (const engine of engines) {
  suite(`a backup on ${engine.name}`, () => {
    let fresh: Fresh;
    let source: Store;
    /** A store that no test leaves anything in. */
    let empty: Store;
    let emptied: Fresh;
    let folder: string;
    let path: string;
    /** What a restore of the backup at `path` must bring. */
    let content: Record<string, string>;
    before(async () => {
      fresh = await engine.fresh();
      folder = mkdtempSync(join(tmpdir(), "duba-backup-"));
      path = join(folder, "backup");
      source = await openStore({ ...fresh.settings, serving: true });
      emptied = await engine.fresh();
      empty = await openStore({ ...emptied.settings, serving: false, patient: true });
      await fill(source.db);
      content = await contentOf(source.db, ["sealed_record"]);
      await backup(audited(source.db), path, options);
    });
    after(async () => {
      await source.close();
      await fresh.dispose();
      await empty.close();
      await emptied.dispose();
      rmSync(folder, { recursive: true });
    });

    const opened = async (t: TestContext, on: Engine = engine) => {
      const { settings, dispose } = await on.fresh();
      const store = await openStore({ ...settings, serving: false, patient: true });
      t.after(async () => {
        await store.close();
        await dispose();
      });
      return store;
    };

    for (const other of engines) {
      test(`is restored on ${other.name} as it was, but for records and their keys`, async (t) => {
        const { db } = await opened(t, other);
        const store = audited(db);
        const told: number[] = [];
        const progress = (rows: number, all: number) => void told.push(rows, all);
        const { madeAt: time, rows } = await restore(store, path, { sign, progress });
        assert.equal(time, new Date(madeAt).toISOString());
        assert.deepEqual(told.slice(-2), [rows, rows]);
        assert.deepEqual(store.told, [
          { kind: "store.restored", actor: "operator:ada", facts: { made_at: madeAt, rows } },
        ]);
        assert.deepEqual(await contentOf(db), content);
        const counters = await db.selectFrom("change_counter").select("number").execute();
        assert.deepEqual(new Set(counters.map(({ number }) => number)), new Set([1]));
      });
    }

    test("is a file that only its owner may read, and holds nothing that was sealed", async () => {
      assert.equal(statSync(path).mode & 0o777, 0o600);
      const text = readFileSync(path, "utf8");
      for (const sealed of ["sealed_record", "sealed_key", "the-wrapped-key", "the-sealed-record"])
        assert.equal(text.includes(sealed), false, sealed);
      const again = await refusal(backup(audited(source.db), path, options));
      assert.match(again, /^There is a file .* already/);
      assert.ok(readFileSync(path, "utf8") === text);
      assert.match(
        await refusal(backup(audited(source.db), join(folder, "no", "where"), options)),
        /cannot be written \(ENOENT\)/,
      );
    });

    test("that fails leaves no file", async () => {
      const failing = backup(audited(source.db), `${path}-failed`, {
        ...options,
        figures: () => Promise.reject(new Error("played")),
      });
      await assert.rejects(failing, /played/);
      assert.equal(existsSync(`${path}-failed`), false);
    });

    test("that is killed is known for what it is", async () => {
      const work = `await backup(${nobody}, ${JSON.stringify(`${path}-killed`)}, { madeBy: "", sign: String, progress });`;
      await killedHalfWay({ ...fresh.settings, serving: false }, work);
      assert.match(await refusal(restore(audited(empty.db), `${path}-killed`, { sign })), /is not (whole|a backup)/);
    });

    test("is of one moment, whatever is written meanwhile", async (t) => {
      const { db } = await opened(t);
      const beside = await openStore({ ...fresh.settings, serving: false });
      t.after(() => beside.close());
      let [running, written] = [true, 0];
      /** Each transaction adds a verification and counts it at the account: a copy of one moment agrees with itself. */
      const writer = async () => {
        while (running) {
          await beside.db.transaction().execute(async (trx) => {
            const reference = `written-${Math.random()}`;
            await trx
              .insertInto("verification")
              .values({ ...verification, reference, request_id: "written" })
              .execute();
            await trx
              .updateTable("account")
              .set((it) => ({ created_at: it("created_at", "+", 1) }))
              .execute();
          });
          written += 1;
        }
      };
      const writers = Promise.all([writer(), writer()]).finally(() => {
        running = false;
      });
      // Called when the snapshot is taken and no page is read yet.
      const figures = async () => {
        const before = written;
        while (running && written < before + 20) await new Promise((resolve) => setImmediate(resolve));
      };
      await backup(audited(source.db), `${path}-busy`, { ...options, figures }).finally(() => {
        running = false;
      });
      await writers;

      await restore(audited(db), `${path}-busy`, { sign });
      const { created_at } = await db.selectFrom("account").select("created_at").executeTakeFirstOrThrow();
      const rows = await db
        .selectFrom("verification")
        .select("reference")
        .where("request_id", "=", "written")
        .execute();
      assert.equal(created_at, account.created_at + rows.length);
      assert.ok(rows.length < written, `${rows.length} of ${written}`);
    });

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

    test("that is damaged anywhere is refused before anything is written", async () => {
      const { db } = empty;
      const before = await contentOf(db);
      for (const [what, damage, sentence] of damages) {
        writeFileSync(`${path}-damaged`, damage(readFileSync(path)));
        assert.match(await refusal(restore(audited(db), `${path}-damaged`, { sign })), sentence, what);
      }
      assert.match(await refusal(restore(audited(db), `${path}-none`, { sign })), /cannot be read \(ENOENT\)/);
      assert.deepEqual(await contentOf(db), before);
    });

    /** Puts lines in front of the last one, and closes the file as whoever has this key would. */
    const rewritten = (lines: readonly unknown[], end: typeof sign): Buffer => {
      const all = readFileSync(path, "utf8").trimEnd().split("\n").slice(0, -1);
      const text = [...all, ...lines.map((line) => JSON.stringify(line))].map((line) => `${line}\n`).join("");
      return Buffer.from(`${text}${JSON.stringify(endOf(hash("sha256", text), end))}\n`);
    };

    test("that was changed is refused without the key ring's key, whatever its plain hash says", async () => {
      const forger = (text: string) => createHmac("sha256", "a guess").update(text).digest("base64url");
      const forged = rewritten([], (text) => (text === "ring" ? sign(text) : forger(text)));
      writeFileSync(`${path}-forged`, forged);
      assert.match(await refusal(restore(audited(empty.db), `${path}-forged`, { sign })), /was changed: its HMAC/);
      writeFileSync(`${path}-forged`, rewritten([], forger));
      const other = await refusal(restore(audited(empty.db), `${path}-forged`, { sign }));
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
      test(`that holds ${what} is refused, and leaves nothing`, async () => {
        const before = await contentOf(empty.db);
        writeFileSync(`${path}-foreign`, rewritten([head, ["a", "b"]], sign));
        for (const key of [sign, null]) {
          const sentence = await refusal(restore(audited(empty.db), `${path}-foreign`, { sign: key }));
          assert.match(sentence, /^The backup holds a table or a column that no backup of Duba has/);
        }
        assert.deepEqual(await contentOf(empty.db), before);
      });

    test("is on the audit trail before its file is whole, and without that there is no file", async () => {
      const store = audited(source.db);
      let unfinished = "";
      const audit: typeof store.audit = async (...told) => {
        unfinished = readFileSync(`${path}-told`, "utf8");
        await store.audit(...told);
      };
      const { rows, sha256 } = await backup({ ...store, audit }, `${path}-told`, options);
      assert.deepEqual(store.told, [{ kind: "store.backed_up", actor: "operator:ada", facts: { rows, sha256 } }]);
      assert.doesNotMatch(unfinished, /\n\{"sha256":[^\n]*\n$/);
      const failing = { ...store, audit: () => Promise.reject(new Error("played")) };
      await assert.rejects(backup(failing, `${path}-unnoted`, options), /played/);
      assert.equal(existsSync(`${path}-unnoted`), false);
    });

    test("of other tables is refused, and names the version that made it", async (t) => {
      const { db } = empty;
      const { db: later } = await opened(t);
      await sql`insert into kysely_migration (name, timestamp) values ('9999_later', '')`.execute(later);
      await backup(audited(later), `${path}-later`, options);
      assert.match(
        await refusal(restore(audited(db), `${path}-later`, { sign })),
        /another version of Duba \(0\.0\.0-test\)/,
      );
    });

    test("is not restored over anything that somebody made", async () => {
      const { db } = empty;
      const uses: ((trx: Transaction<Tables>) => Promise<unknown>)[] = [
        (trx) => trx.insertInto("verification").values(verification).execute(),
        (trx) => trx.insertInto("account").values(account).execute(),
        async (trx) => {
          await trx.insertInto("account").values(account).execute();
          await trx
            .insertInto("api_key")
            .values({ ...apiKey, bootstrap: 1 })
            .execute();
        },
        async (trx) => {
          await trx.insertInto("account").values(account).execute();
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
            .values({ id: "a", expires_at: Date.now() + 60_000 })
            .execute(),
      ];
      for (const use of uses) {
        const played = db.transaction().execute(async (trx) => {
          await use(trx);
          await restore(audited(trx), path, { sign });
        });
        assert.match(await refusal(played), /^(The store is in use|A service runs on this store)/);
      }
    });

    test("is restored over what a first start leaves", async (t) => {
      const { db } = await opened(t);
      await db
        .insertInto("account")
        .values({ ...account, id: "acc_2", email: "sandbox@example.com" })
        .execute();
      await db
        .insertInto("api_key")
        .values({ ...apiKey, id: "key_2", account_id: "acc_2", mode: "test", bootstrap: 1 })
        .execute();
      await db.insertInto("catalogue_revision").values(revision).execute();
      await db.insertInto("catalogue_draft").values(draft).execute();
      await db.insertInto("instance_secret").values({ name: "keyring:audit", value: "new", created_at: 0 }).execute();
      await restore(audited(db), path, { sign });
      assert.deepEqual(await contentOf(db), content);
    });

    test("that a verifier refuses, or that is killed half way, leaves the store as it was", async () => {
      const { db } = empty;
      const before = await contentOf(db);
      const seen: unknown[] = [];
      const verifier: Verifier = async (restored, figures) => {
        seen.push(figures, (await restored.selectFrom("verification").select("reference").execute()).length);
        throw new StoreFault("The sums differ.");
      };
      const noted = `${path}-noted`;
      await backup(audited(source.db), noted, { ...options, figures: async () => ({ rows: "many" }) });
      assert.match(await refusal(restore(audited(db), noted, { sign, verifiers: [verifier] })), /^The sums differ\.$/);
      assert.deepEqual(seen[0], { rows: "many" });
      assert.ok(Number(seen[1]) > 1000);
      assert.deepEqual(await contentOf(db), before);

      await killedHalfWay(
        { ...emptied.settings, serving: false },
        `await restore(${nobody}, ${JSON.stringify(noted)}, { sign: null, progress });`,
      );
      assert.deepEqual(await contentOf(db), before);
    });
  });
}

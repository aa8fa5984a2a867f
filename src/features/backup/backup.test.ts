import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { openStore } from "../../storage/store.ts";
import { accountRow, audited, refusal, verification } from "./backup.fixture.ts";
import { backup } from "./backup.ts";
import { backupTrail } from "./backup-trail.ts";
import { restore } from "./restore.ts";

import { killedHalfWay, nobody, openedStore, options, SuiteBackup } from "./suite-backup.fixture.ts";

const { sign } = options;

for (const engine of engines) {
  suite(`a backup on ${engine.name}`, () => {
    const its = new SuiteBackup(engine);
    /** The existing files of an incomplete backup. */
    const partOf = (name: string) =>
      join(its.folder, readdirSync(its.folder).find((file) => file.startsWith(`backup-${name}.`))!);

    test("a backup is readable for its owner only, and holds no person's record and no record's key", async () => {
      assert.equal(statSync(its.path).mode & 0o777, 0o600);
      const text = readFileSync(its.path, "utf8");
      for (const sealed of ["sealed_record", "sealed_key", "the-wrapped-key", "the-sealed-record"])
        assert.equal(text.includes(sealed), false, sealed);
      const again = await refusal(backup(audited(its.source.db), its.path, options));
      assert.match(again, /^There is a file .* already/);
      assert.ok(readFileSync(its.path, "utf8") === text);
      assert.match(
        await refusal(backup(audited(its.source.db), join(its.folder, "no", "where"), options)),
        /cannot be written \(ENOENT\)/,
      );
    });

    test("a failed backup leaves no file", async () => {
      const failing = backup(audited(its.source.db), `${its.path}-failed`, {
        ...options,
        figures: () => Promise.reject(new Error("played")),
      });
      await assert.rejects(failing, /played/);
      assert.deepEqual(
        readdirSync(its.folder).filter((file) => file.startsWith("backup-failed")),
        [],
      );
    });

    test("a killed backup leaves no file of its name, only a recognisable unfinished one", async () => {
      const work = `await backup(${nobody}, ${JSON.stringify(`${its.path}-killed`)}, { madeBy: "", sign: String, progress });`;
      await killedHalfWay({ ...its.settings, serving: false }, work);
      assert.equal(existsSync(`${its.path}-killed`), false);
      assert.match(
        await refusal(restore(audited(its.empty.db), partOf("killed"), { sign })),
        /is not (whole|a backup)/,
      );
    });

    test("a backup pauses after every page that was slow to read, and after no other page", async () => {
      const pages = async (waits: number) => {
        const events: string[] = [];
        let waited = 0;
        await backup(audited(its.source.db), `${its.path}-${waits}`, {
          ...options,
          progress: () => void events.push("page"),
          waited: () => {
            waited += waits;
            return waited;
          },
          rest: async (milliseconds) => void events.push(`rest ${milliseconds}`),
        });
        return events;
      };
      const quiet = await pages(10);
      assert.ok(quiet.length > 3);
      assert.deepEqual(new Set(quiet), new Set(["page"]));
      assert.deepEqual(
        await pages(11),
        quiet.flatMap((page) => [page, "rest 44"]),
      );
      assert.deepEqual(
        await pages(9_000),
        quiet.flatMap((page) => [page, "rest 250"]),
      );
    });

    test("a backup has the state of one moment, whatever is written during the backup", async (t) => {
      const { db } = await openedStore(t, engine);
      const beside = await openStore({ ...its.settings, serving: false });
      t.after(() => beside.close());
      let [running, written] = [true, 0];
      /**
       * Each transaction adds a verification and counts that verification at the account, so a consistent copy agrees
       * with itself.
       */
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
      // Called after the snapshot is taken and before any page is read.
      const figures = async () => {
        const before = written;
        while (running && written < before + 20) await new Promise((resolve) => setImmediate(resolve));
      };
      await backup(audited(its.source.db), `${its.path}-busy`, { ...options, figures }).finally(() => {
        running = false;
      });
      await writers;

      await restore(audited(db), `${its.path}-busy`, { sign });
      const { created_at } = await db.selectFrom("account").select("created_at").executeTakeFirstOrThrow();
      const rows = await db
        .selectFrom("verification")
        .select("reference")
        .where("request_id", "=", "written")
        .execute();
      assert.equal(created_at, accountRow.created_at + rows.length);
      assert.ok(rows.length < written, `${rows.length} of ${written}`);
    });

    test("a backup's audit entry precedes the complete file, and without the entry no file is left", async () => {
      const store = audited(its.source.db);
      let unfinished = "";
      const audit: typeof store.audit = async (...told) => {
        unfinished = readFileSync(partOf("told"), "utf8");
        await store.audit(...told);
      };
      const { rows, sha256 } = await backup({ ...store, audit }, `${its.path}-told`, options);
      assert.deepEqual(store.told, [backupTrail.backedUp("operator:ada", { rows, sha256 })]);
      assert.doesNotMatch(unfinished, /\n\{"sha256":[^\n]*\n$/);
      const failing = { ...store, audit: () => Promise.reject(new Error("played")) };
      await assert.rejects(backup(failing, `${its.path}-unnoted`, options), /played/);
      assert.equal(existsSync(`${its.path}-unnoted`), false);
    });
  });
}

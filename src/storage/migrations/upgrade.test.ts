import assert from "node:assert/strict";
import { join } from "node:path";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { type Ran, ran } from "../../../test/support/command-line.ts";
import { engines, type Fresh } from "../../../test/support/engines.ts";
import { backup } from "../../features/backup/backup.ts";
import { openStore } from "../store.ts";
import { newestNumber } from "./migrate.ts";

type Duba = (...argv: string[]) => Promise<Ran>;
type Settings = Fresh["settings"];

for (const engine of engines)
  suite(`an upgrade on ${engine.name}`, () => {
    async function on(use: (settings: Settings, duba: Duba) => Promise<void>): Promise<void> {
      const { settings, dispose } = await engine.fresh();
      const environment = {
        DUBA_DATA: settings.dataDirectory,
        DUBA_DATABASE_URL: settings.databaseUrl,
      };
      try {
        await use(settings, (...argv) => ran(argv, { environment }));
      } finally {
        await dispose();
      }
    }

    test("a downgrade works if the tables allow it, and restoring backups then needs the newer version", () =>
      on(async (settings, duba) => {
        const store = await openStore({ ...settings, serving: false });
        const later = async (name: string) => {
          await sql`delete from kysely_migration where name like '9999%'`.execute(store.db);
          await sql`insert into kysely_migration (name, timestamp) values (${name}, '2999-01-01')`.execute(store.db);
        };
        await later("9999_later_since_0002");
        const runs = "The store has the tables of this version.\n";
        const newer = "A newer version added 9999_later_since_0002. This version can run on them.\n";
        assert.equal((await duba("migrate", "--dry-run")).out, runs + newer);
        await (await openStore({ ...settings, serving: true })).close();
        const noted = store.db.selectFrom("fact").select("value").where("name", "=", "older-version");
        assert.equal((await noted.executeTakeFirst())?.value, String(newestNumber));
        const path = join(settings.dataDirectory, "backup.jsonl");
        const made = backup({ db: store.db, audit: async () => {}, actor: "test" }, path, {
          madeBy: "test",
          sign: String,
        });
        await assert.rejects(made, /9999_later_since_0002\): make the backup with that version\./);

        for (const name of ["9999_later", "9999_later_since_9998"]) {
          await later(name);
          const refused = new RegExp(`made by a newer version of Duba \\(it has ${name}\\)`);
          assert.match((await duba("migrate", "--dry-run")).err, refused);
          await assert.rejects(openStore({ ...settings, serving: true }), refused);
        }
        await store.close();
      }));

    test("a store of a pre-release version is refused", () =>
      on(async (settings, duba) => {
        const earlier =
          /made by an earlier version of Duba\. Nothing is carried over before version 0\.1\.0: start with an empty/;
        const store = await openStore({ ...settings, serving: false });
        await store.db.updateTable("baseline").set({ hash: "another" }).execute();
        assert.match((await duba("migrate", "--dry-run")).err, earlier);
        await sql`drop table baseline`.execute(store.db);
        assert.match((await duba("migrate")).err, earlier);
        await assert.rejects(openStore({ ...settings, serving: true }), earlier);
        await store.close();
      }));
  });

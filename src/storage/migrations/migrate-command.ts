import { flag } from "../../declare/command/read-texts.ts";
import { command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import type { Audit } from "../audited.ts";
import type { StoreSettings } from "../store.ts";
import { storeTrail } from "../store-trail.ts";

interface Room {
  config: Pick<StoreSettings, "dataDirectory" | "databaseUrl">;
  audit: Audit;
  actor: string;
}

/** `duba migrate`: lets an operator choose the time. Otherwise the next start or command migrates. */
export const migrateStore = command({
  id: "migrate",
  title: "Migrate",
  summary: "Bring the store to the tables of this version.",
  description:
    "A start and every other command do this by themselves. The version before may serve meanwhile. " +
    "It can start afterwards only if the name of each new migration ends with _since_ and a number that it knows. " +
    "Several processes may begin at once.",
  role: "officer",
  kind: "change",
  only: "terminal",
  store: "none",
  input: Type.Object({
    dry_run: flag("Show the migrations that the store lacks, and change nothing."),
  }),
  answer: Type.Object({
    migrations: Type.Array(Type.String()),
    done: Type.Boolean(),
    seconds: Type.Integer({
      description: "For how long nobody can write to SQLite meanwhile. PostgreSQL never stands still.",
    }),
    newer: Type.Array(Type.String(), {
      description: "Migrations of a newer version, on whose tables this version can run.",
    }),
  }),
  view: ({ migrations, done, seconds, newer }) => [
    migrations.length === 0
      ? "The store has the tables of this version."
      : `${done ? "Done" : "To do"}: ${migrations.join(", ")}.`,
    ...(seconds === 0 ? [] : [`SQLite stands still for about ${seconds} s meanwhile, and nobody can write.`]),
    ...(newer.length === 0 ? [] : [`A newer version added ${newer.join(", ")}. This version can run on them.`]),
  ],
  records: [storeTrail.storeMigrated],
  examples: [{}, { dry_run: true }],
  run: async ({ dry_run }, { config: { dataDirectory, databaseUrl }, audit, actor }: Room) => {
    const { openStore } = await import("../store.ts");
    const { migrate, missingMigrations, newerMigrations, standstill } = await import("./migrate.ts");
    const place = { dataDirectory, databaseUrl, serving: false, asItIs: true, untimed: true };
    const store = await openStore({ ...place, mustExist: dry_run === true });
    try {
      const migrations = await missingMigrations(store.db);
      if (dry_run) {
        const seconds = Math.ceil((await standstill(store.db, migrations)) / 1000);
        return { migrations, done: false, seconds, newer: await newerMigrations(store.db) };
      }
      await migrate(store.db, databaseUrl);
      await audit(store.db, storeTrail.storeMigrated(actor, { migrations: migrations.length }));
      return { migrations, done: true, seconds: 0, newer: await newerMigrations(store.db) };
    } finally {
      await store.close();
    }
  },
});

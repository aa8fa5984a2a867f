import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { engines } from "../../../test/support/engines.ts";
import { until } from "../../../test/support/until.ts";
import { noteChange } from "../change-counter.ts";
import { openStore } from "../store.ts";
import { findPooler } from "./own-session.ts";

suite("a session of our own on PostgreSQL", () => {
  test("a listening session reports another process's change at once, and reconnects after a disconnect", async () => {
    const { settings, dispose } = await engines.find(({ name }) => name === "postgres")!.fresh();
    const [here, there] = [
      await openStore({ ...settings, serving: false }),
      await openStore({ ...settings, serving: false }),
    ];
    const heard = { access: 0, catalogue: 0, routes: 0 };
    const listener = (name: keyof typeof heard) => async () => {
      heard[name] += 1;
      throw new Error("what a listener rejects with is nobody's concern");
    };
    const stop = here.listen({
      access: listener("access"),
      catalogue: listener("catalogue"),
      routes: listener("routes"),
    });
    try {
      assert.equal(await findPooler(settings.databaseUrl!), false);
      // Each listener is called once after the connect, because earlier changes were missed.
      await until(() => heard.access === 1 && heard.catalogue === 1);
      await there.db.transaction().execute((trx) => noteChange(trx, "access"));
      await until(() => heard.access === 2);
      await assert.rejects(
        there.db.transaction().execute(async (trx) => {
          await noteChange(trx, "access");
          throw new Error("undone");
        }),
      );
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen%'`.execute(there.db);
      await until(() => heard.catalogue === 2);
      assert.equal(heard.access, 3);
      await there.db.transaction().execute((trx) => noteChange(trx, "catalogue"));
      await until(() => heard.catalogue === 3);
      assert.equal(heard.access, 3);
    } finally {
      await stop();
      await here.close();
      await there.close();
      await dispose();
    }
  });
});

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { suite, test } from "node:test";
import { engines } from "../../../../test/support/engines.ts";
import { nodeEnvironment } from "../../../../test/support/process.ts";
import { until } from "../../../../test/support/until.ts";
import { sweepAbandoned } from "../../../catalogue/revisions/draft.ts";
import { openStore } from "../../../storage/store.ts";
import { openDesk } from "./catalogue.fixture.ts";

for (const engine of engines)
  suite(`an import that is killed, on ${engine.name}`, () => {
    test("leaves nothing that is served, and nothing in the way of the next one, which sweeps what is left", async () => {
      const desk = await openDesk(engine);
      const { DUBA_DATA, DUBA_DATABASE_URL } = desk.environment;
      const store = await openStore({ dataDirectory: DUBA_DATA!, databaseUrl: DUBA_DATABASE_URL, serving: false });
      const rowsOfDrafts = async () =>
        (await store.db.selectFrom("catalogue_change").select("place").where("draft", ">", 1).execute()).length;
      try {
        const { out } = await desk.duba("catalogue", "export", "--list", "corporate-bundles");
        const rows = Array.from({ length: 15_000 }, (_, n) => `many${n},Many ${n}`).join("\n");
        const file = desk.write("corporate-bundles.csv", `${out}${rows}\n`);
        const child = spawn(process.execPath, ["src/main.ts", "catalogue", "import", file], {
          env: { ...nodeEnvironment, ...desk.environment },
          stdio: "ignore",
        });
        const ended = once(child, "exit");
        await until(async () => (await rowsOfDrafts()) >= 1_000);
        child.kill("SIGKILL");
        assert.deepEqual(await ended, [null, "SIGKILL"]);
        assert.ok((await rowsOfDrafts()) < 15_000);
        const { revisions, waiting } = JSON.parse((await desk.duba("catalogue", "history", "--json")).out);
        assert.deepEqual([revisions.length, waiting], [1, []]);
        assert.equal((await desk.duba("catalogue", "export", "--list", "corporate-bundles")).out, out);

        const less = desk.write("corporate-bundles.csv", `${out}one,One more\n`);
        assert.match((await desk.duba("catalogue", "import", less)).out, /Revision 2 is published: 1 added\.\n$/);
        await sweepAbandoned(store.db, Date.now() + 60_000);
        assert.equal(await rowsOfDrafts(), 1);
      } finally {
        await store.close();
        await desk.close();
      }
    });
  });

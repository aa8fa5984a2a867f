import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { usualEngines } from "../../../../test/support/engines.ts";
import { nodeEnvironment } from "../../../../test/support/process.ts";
import { until } from "../../../../test/support/until.ts";
import {
  attemptRow,
  completeMonth,
  storeAttempts,
  storeRows,
  verifiedRow,
} from "../../../ledger/ledger-rows.fixture.ts";
import { TimeZone } from "../../../runtime/time-zone.ts";
import { openStore } from "../../../storage/store.ts";
import { suiteShop } from "../../../verification/commands/ledger-commands.fixture.ts";

const zone = new TimeZone("Africa/Lagos");
const month = completeMonth();
const start = zone.startOfMonth(month);
const many = 600;

for (const engine of usualEngines)
  suite(`duba books settle-unknown on ${engine.name}`, () => {
    const shop = suiteShop(engine, async (db, id) => {
      const rows = Array.from({ length: many }, (_, nth) =>
        verifiedRow(id, start + (nth + 20) * 60_000, {
          reference: `unknown${String(nth).padStart(8, "0")}`,
          state: "unknown",
          charged: 0,
          charged_at: null,
          completed_at: null,
        }),
      );
      await storeRows(db, ...rows);
      await storeAttempts(db, ...rows.map((row) => attemptRow(row)));
    });
    const argv = (...options: string[]) => {
      const invoice = join(shop.settings.dataDirectory, "invoice.csv");
      writeFileSync(invoice, "reference,amount\nunknown00000000,50\nunknown00000001,50\n");
      return ["books", "settle-unknown", invoice, "--vendor", "dojah", "--reason", "Invoice 4411", ...options];
    };
    const settle = (...options: string[]) => shop.duba(...argv(...options));

    test("settle-unknown shows a preview first, and refuses a month that is not over", async () => {
      const shown = await settle("--month", month, "--dry-run");
      assert.equal(shown.exitCode, 0, shown.err);
      assert.match(shown.out, /^released, the vendor bills it +2 +₦100\.00$/m);
      assert.match(shown.out, new RegExp(`^released, not on the invoice +${many - 2} +₦0\\.00$`, "m"));
      assert.match(shown.err, /Nothing was changed: this was a dry run\./);
      const { verifications } = JSON.parse((await settle("--month", month, "--dry-run", "--json")).out);
      assert.equal(verifications.length, many);
      const running = await settle("--month", zone.monthOf(Date.now()));
      assert.deepEqual([running.exitCode, running.out], [2, ""]);
      assert.match(running.err, /is not over/);
      assert.match((await settle()).err, /give its month/);
    });

    test("settle-unknown asks before it ends anything, and says how many it ends", async () => {
      const open = async () =>
        JSON.parse((await settle("--month", month, "--dry-run", "--json")).out).verifications.length as number;
      const says =
        `${many} are ended by this invoice: 2 released, the vendor bills it; ` +
        `${many - 2} released, not on the invoice. Nobody can undo this.`;
      const alone = await settle("--month", month);
      assert.equal(alone.exitCode, 2);
      assert.match(alone.err, new RegExp(`^Nothing was changed: .+ With --yes: ${says}\n`));
      const doubtful = await shop.atTerminal("another.csv\n", ...argv("--month", month));
      assert.equal(doubtful.exitCode, 1);
      assert.match(doubtful.err, new RegExp(`^${says} To confirm, type \\S+invoice\\.csv: .*You did not confirm`, "s"));
      assert.equal(await open(), many);
    });

    test("after a killed settle-unknown, a second run settles each remaining verification once", async () => {
      const { dataDirectory, databaseUrl } = shop.settings;
      const store = await openStore({ ...shop.settings, serving: false });
      const entries = async () => {
        const rows = store.db.selectFrom("audit_entry").select("facts").where("kind", "=", "verification.settled");
        return (await rows.execute()).map(({ facts }) => JSON.parse(facts).reference as string);
      };
      const unknown = async () =>
        (await store.db.selectFrom("verification").select("reference").where("state", "=", "unknown").execute()).length;
      try {
        const child = spawn(process.execPath, ["src/main.ts", ...argv("--month", month, "--yes")], {
          env: { ...nodeEnvironment, DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl },
          stdio: "ignore",
        });
        const ended = once(child, "exit");
        await until(async () => (await entries()).length > 0);
        child.kill("SIGKILL");
        assert.deepEqual(await ended, [null, "SIGKILL"]);
        const done = (await entries()).length;
        assert.ok(done > 0 && done < many, `${done}`);
        assert.equal(await unknown(), many - done);

        const again = await settle("--month", month, "--yes");
        assert.equal(again.exitCode, 0, again.err);
        assert.equal(await unknown(), 0);
        const all = await entries();
        assert.deepEqual([all.length, new Set(all).size], [many, many]);
        assert.match(
          (await settle("--month", month)).out,
          /No verification and no attempt at this vendor has an unknown outcome\./,
        );
        assert.equal((await entries()).length, many);
      } finally {
        await store.close();
      }
    });
  });

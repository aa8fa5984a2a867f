import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { engines } from "../../../test/support/engines.ts";
import { type Operators, startOperators } from "./operators.fixture.ts";

for (const engine of engines)
  suite(`many things at once on ${engine.name}`, () => {
    let operators: Operators;
    let duba: (...argv: string[]) => Promise<{ out: string; err: string; exitCode: number }>;
    const clients = ["Shop", "Kiosk"];

    before(async () => {
      operators = await startOperators(engine);
      const { service } = operators;
      const { dataDirectory, databaseUrl } = service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      duba = (...argv) => ran(argv, { environment });
      for (const name of clients) {
        const account = await service.newAccount(name);
        await duba(
          "events",
          "endpoints",
          "add",
          `https://hooks.${account.split("@")[0]}.example/a`,
          "--account",
          account,
        );
        await duba("prices", "set", account, "gotv", "--margin", "1");
      }
      const { db } = await service.store();
      await db.updateTable("event_delivery").set({ state: "dead", attempts: 9 }).execute();
    });
    after(() => operators.service.close());

    const page = async (path: string) =>
      (await operators.send(path, { cookie: operators.by.officer.cookie })).text.replaceAll(/<[^>]+>/g, "");

    test("all open alarms of a rank are listed, and acknowledged with one press", async () => {
      const alarms = async () => JSON.parse((await duba("alarms", "list", "--json")).out) as Record<string, unknown>[];
      const open = async () => (await alarms()).filter(({ rank, state }) => rank === 3 && state === "open").length;
      const count = await open();
      assert.ok(count > 0);
      const listed = await operators.send("/alarms/acknowledge-all?rank=3", { cookie: operators.by.operator.cookie });
      assert.match(listed.text, new RegExp(`Acknowledge ${count === 1 ? "1 alarm" : `${count} alarms`}\\?`));
      assert.equal(listed.text.split('class="deeds"')[1]!.split("</ul>")[0]!.split("<li>").length - 1, count);
      const fields = { rank: "3", for: "2h", note: "After the outage" };
      const done = await operators.post("/alarms/acknowledge-all", operators.by.operator, fields);
      assert.match(done.text, /acknowledged until/);
      assert.equal(await open(), 0);
      assert.equal((await operators.entries("alarm.acknowledged")).length, count);
      assert.match((await duba("alarms", "acknowledge-all", "--rank", "3")).err, /No alarm of this rank is open\./);
    });

    test("the dead deliveries of a filter are listed by endpoint, and resent with one press", async () => {
      assert.match(await page("/events?since=24h"), /Send all dead ones again/);
      const none = await page("/events/resend-all?until=2020-01-01");
      assert.match(none, /No delivery that fits is dead\./);
      const { db } = await operators.service.store();
      const dead = db.selectFrom("event_delivery").select("number").where("state", "=", "dead");
      const count = (await dead.execute()).length;
      const listed = await page("/events/resend-all?since=24h");
      assert.match(listed, new RegExp(`Send ${count} dead deliveries again\\?`));
      for (const name of clients)
        assert.match(listed, new RegExp(`\\d for hooks\\.${name.toLowerCase()}\\.example of ${name}, the oldest of`));
      const { text } = await operators.post("/events/resend-all", operators.by.operator, { since: "24h" });
      assert.match(text, new RegExp(`${count} events wait for 2 endpoints again\\.`));
      assert.deepEqual(await dead.execute(), []);
      assert.match((await duba("events", "resend-all")).err, /No delivery that fits is dead\./);
    });

    test("all keys of an account are listed before the passkey, and revoked together", async () => {
      const account = "shop@example.com";
      for (const label of ["Checkout", "Till"]) await operators.service.newKey({ account, mode: "live", label });
      await operators.service.newKey({ account: "kiosk@example.com", label: "Kiosk" });
      assert.doesNotMatch(await page("/keys"), /Revoke all keys(?!…)/);
      assert.match(await page(`/keys?account=${account}`), /Revoke all keys(?!…)/);
      const { json } = await operators.deedOf("/keys/revoke-all", operators.by.officer, { account });
      assert.match(json.page, /Revoke all 2 keys of Shop\?[\s\S]*Checkout \(live\)[\s\S]*Till \(live\)/);
      const { text } = await operators.confirm("/keys/revoke-all", operators.by.officer, { account });
      assert.match(text, /All 2 keys of Shop are revoked/);
      const { db } = await operators.service.store();
      const left = db.selectFrom("api_key").select("label").where("revoked_at", "is", null);
      assert.ok((await left.execute()).some(({ label }) => label === "Kiosk"));
      assert.equal((await operators.entries("key.revoked")).length, 2);
      assert.match((await duba("keys", "revoke-all", account, "--yes")).err, /Shop has no key in force\./);
    });
  });

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { ran } from "../../../../test/support/command-line.ts";
import { usualEngines } from "../../../../test/support/engines.ts";
import { type Operators, startOperators } from "../operators.fixture.ts";

for (const engine of usualEngines)
  suite(`what somebody who leaves has made, on ${engine.name}`, () => {
    let operators: Operators;
    before(async () => {
      operators = await startOperators(engine);
    });
    after(() => operators.service.close());

    test("a person's page and the form that removes the person show keys, secrets and waiting changes", async () => {
      const { by, confirm, post, deedOf, service } = operators;
      const duba = async (...argv: string[]) => {
        const { dataDirectory, databaseUrl } = service.settings;
        return ran(argv, { environment: { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl } });
      };
      const person = "operator@example.com";
      const nothing = JSON.parse((await duba("people", "show", person, "--json")).out);
      assert.deepEqual([nothing.keys, nothing.secrets, nothing.waits], [[], [], []]);
      const account = await service.newAccount("Till");
      for (const label of ["Checkout", "Old"])
        await confirm("/keys/create", by.operator, { account, mode: "live", label });
      const { db } = await service.store();
      await db.updateTable("api_key").set({ revoked_at: 1 }).where("label", "=", "Old").execute();
      await post("/keys/create", by.officer, { account, mode: "test", label: "Of somebody else" });
      const url = "https://till.example.com/hooks/secret-path";
      await confirm("/events/endpoints/add", by.operator, { url, account, mode: "live" });
      const held = await confirm("/catalogue/edit", by.operator, { code: "MTNDATA 104", price: "9000" });
      const [, draft = ""] = /waits for approval as (d\d+)/.exec(held.text) ?? [];

      const { keys, secrets, waits } = JSON.parse((await duba("people", "show", person, "--json")).out);
      assert.deepEqual(
        keys.map(({ key_id: _, ...key }: Record<string, string>) => key),
        [{ account, mode: "live", label: "Checkout" }],
      );
      assert.deepEqual(
        secrets.map(({ host }: { host: string }) => host),
        ["till.example.com"],
      );
      assert.deepEqual(
        waits.map(({ what }: { what: string }) => what),
        [`the change ${draft} of the catalogue`],
      );
      const { page } = (await deedOf("/people/remove", by.officer, { person })).json;
      assert.match(page, /The live key Checkout of Till, which this person was shown, stays in force\./);
      assert.match(page, /The secret of the endpoint ep_\S+ of till\.example\.com, which this person was shown, stays/);
      assert.match(page, new RegExp(`the change ${draft} of the catalogue waits for a second person`));
      assert.ok(!page.includes("secret-path"));
    });
  });

import assert from "node:assert/strict";
import { after, before, mock, suite, test } from "node:test";
import { startOperators } from "../src/features/console/operators.fixture.ts";
import { usualEngines } from "./support/engines.ts";
import { assertFailure } from "./support/failure.ts";
import { suiteService } from "./support/service.ts";

const hour = 3_600_000;
const corporate = "/api/v2/corporate-data/list";

/** During a sleep of the machine the wall clock advances, and the monotonic clock of its processes stops. */
const sleep = (hours: number) => mock.timers.setTime(Date.now() + hours * hour);

for (const engine of usualEngines)
  suite(`a machine that slept, on ${engine.name}`, () => {
    before(() => mock.timers.enable({ apis: ["Date"], now: Date.now() }));
    after(() => mock.timers.reset());
    const service = suiteService({ DUBA_LIMITS: "off" }, engine);

    test("after a sleep of the machine, an expired key and an expired token are refused", async () => {
      const ending = await service.newKey({ expiresAt: Date.now() + hour });
      const { text } = await service.newKey();
      const bought = await service.ask("/api/v2/merchant/authorization", {
        method: "POST",
        credential: false,
        body: { email: "sandbox@example.com", password: text },
      });
      const credentials = [ending.text, bought.json.data.token.access_token];
      const ask = (credential: string) =>
        service.ask(corporate, { headers: { Authorization: `Bearer ${credential}` } });
      for (const credential of credentials) assert.equal((await ask(credential)).status, 200);
      sleep(36);
      for (const credential of credentials)
        assertFailure(await ask(credential), 401, "expired_credentials", { path: corporate });
    });

    test("after a sleep of the machine, an operator whose session timed out is signed out", async () => {
      const operators = await startOperators(engine);
      try {
        const { cookie } = operators.by.viewer;
        assert.equal((await operators.send("/accounts", { cookie })).status, 200);
        sleep(36);
        assert.notEqual((await operators.send("/accounts", { cookie })).status, 200);
      } finally {
        await operators.service.close();
      }
    });
  });

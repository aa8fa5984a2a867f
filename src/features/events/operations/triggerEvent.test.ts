import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ran } from "../../../../test/support/command-line.ts";
import { engines } from "../../../../test/support/engines.ts";
import { assertFailure } from "../../../../test/support/failure.ts";
import { suiteService } from "../../../../test/support/service.ts";
import { until } from "../../../../test/support/until.ts";
import { openReceiver, readDelivery } from "../events.fixture.ts";

for (const engine of engines)
  suite(`POST /api/v2/events/trigger on ${engine.name}`, () => {
    const service = suiteService({ DUBA_EVENT_NETWORKS: "127.0.0.0/8" }, engine);
    const trigger = (type: string, credential: string) =>
      service.ask("/api/v2/events/trigger", { method: "POST", body: { type }, credential });

    test("a triggered event reaches only its own account's webhooks and events, marked as rehearsed", async (t) => {
      const receiver = await openReceiver();
      t.after(() => receiver.close());
      const account = await service.newAccount("Rehearses");
      const { text: key } = await service.newKey({ account });
      const { text: stranger } = await service.newKey({ account: await service.newAccount("Stranger") });
      const { dataDirectory, databaseUrl = "" } = service.settings;
      const environment = {
        DUBA_DATA: dataDirectory,
        DUBA_DATABASE_URL: databaseUrl,
        DUBA_EVENT_NETWORKS: "127.0.0.0/8",
      };
      const added = await ran(
        ["events", "endpoints", "add", receiver.url, "--account", account, "--mode", "test", "--json"],
        { environment },
      );
      const { secret } = JSON.parse(added.out);
      const { status, json } = await trigger("verification.reversed", key);
      assert.deepEqual([status, json.data.rehearsed, json.data.mode], [200, true, "test"]);
      await until(() => receiver.received.length === 1);
      assert.deepEqual(readDelivery(secret, receiver.received[0]!), json.data);
      const listOf = async (credential: string) =>
        (await service.ask("/api/v2/events?after=0", { credential })).json.data.filter(
          ({ type }: { type: string }) => type === "verification.reversed",
        );
      assert.deepEqual(await listOf(key), [json.data]);
      assert.deepEqual(await listOf(stranger), []);
    });

    test("a trigger needs a test key and an existing event type", async () => {
      const account = await service.newAccount("Lives");
      const { text: live } = await service.newKey({ account, mode: "live" });
      const refused = await trigger("verification.reversed", live);
      assertFailure(refused, 403, "insufficient_scope");
      assert.match(refused.json.error.message ?? refused.json.message, /Only a test key/);
      const { text: key } = await service.newKey({ account });
      assertFailure(await trigger("vendor.alarm", key), 422, "validation_failed");
    });
  });

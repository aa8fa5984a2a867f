import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { suite, test } from "node:test";
import { openReceiver, readDelivery } from "../src/features/events/events.fixture.ts";
import { openStore } from "../src/storage/store.ts";
import { ran } from "./support/command-line.ts";
import { engines } from "./support/engines.ts";
import { serveInProcess } from "./support/process.ts";
import { ask, sandboxKey } from "./support/service.ts";
import { until } from "./support/until.ts";

for (const engine of engines)
  suite(`a sender that is killed on ${engine.name}`, () => {
    test("a killed sender loses no event, repeats at most one, and keeps the order", async () => {
      const { settings, dispose } = await engine.ready();
      const { dataDirectory, databaseUrl = "" } = settings;
      const environment = {
        DUBA_DATA: dataDirectory,
        DUBA_DATABASE_URL: databaseUrl,
        DUBA_BOOTSTRAP_KEY: sandboxKey,
        DUBA_EVENT_NETWORKS: "127.0.0.0/8",
      };
      const duba = async (...argv: string[]) => {
        const { exitCode, out, err } = await ran([...argv, "--json"], { environment });
        assert.equal(exitCode, 0, err);
        return JSON.parse(out);
      };
      const receiver = await openReceiver();
      let service = await serveInProcess(environment);
      try {
        const account = ["--account", "sandbox@example.com"];
        const { secret } = await duba("events", "endpoints", "add", receiver.url, ...account, "--mode", "test");
        const [before, behind] = await Promise.all(
          [1, 2].map(async () => (await duba("keys", "create", ...account)).id),
        );
        // The first delivery arrives, and the sender dies before the response.
        receiver.behaves = () => "hang";
        await duba("keys", "revoke", before, "--yes");
        await duba("keys", "revoke", behind, "--yes");
        await until(() => receiver.received.length === 1);
        await service.end("SIGKILL");

        receiver.behaves = () => 204;
        if (databaseUrl) {
          // On PostgreSQL the lease of the dead process lasts up to 30 s. The test ends that lease at once.
          const store = await openStore({ ...settings, serving: false });
          await store.db.updateTable("event_endpoint").set({ leased_until: 0 }).execute();
          await store.close();
        }
        service = await serveInProcess(environment);
        await until(() => receiver.received.length === 3);
        const events = receiver.received.map((delivery) => readDelivery(secret, delivery) as { data: { key: string } });
        assert.deepEqual(
          events.map(({ data }) => data.key),
          [before, before, behind],
        );
        assert.deepEqual(events[0], events[1], "the repeated one has the same id and body");
        const polled = await ask(service.port, "/api/v2/events?after=0");
        const own = polled.json.data.filter(({ type }: { type: string }) => type === "key.revoked");
        assert.deepEqual(own, [events[0], events[2]]);
      } finally {
        await service.end("SIGKILL");
        receiver.close();
        for (const file of [".keyring", ".keyring.anchor"]) rmSync(`${dataDirectory}${file}`, { force: true });
        await dispose();
      }
    });
  });

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { serving } from "../server.fixture.ts";
import { registerHealth } from "./health.ts";

suite("/readyz", () => {
  test("/readyz asks the store once a second at most, however often it is called", async () => {
    let [asked, takesWrites, stopping, now] = [0, true, false, 5000];
    const health = {
      version: "1.2.3",
      stopping: () => stopping,
      takesWrites: async () => {
        asked += 1;
        return takesWrites;
      },
      now: () => now,
    };
    const { ask, close } = await serving((app) => registerHealth(app, health));
    assert.deepEqual(JSON.parse((await ask("/healthz")).text), { status: "ok", version: "1.2.3" });
    const statuses = async () =>
      (await Promise.all(Array.from({ length: 20 }, () => ask("/readyz")))).map(({ status }) => status);
    assert.deepEqual(await statuses(), Array(20).fill(200));
    takesWrites = false;
    now += 999;
    assert.deepEqual(await statuses(), Array(20).fill(200));
    assert.equal(asked, 1);
    now += 1;
    assert.deepEqual(await statuses(), Array(20).fill(503));
    assert.equal(asked, 2);
    takesWrites = true;
    now += 1000;
    assert.deepEqual(await statuses(), Array(20).fill(200));
    // A stop shows at once.
    stopping = true;
    assert.deepEqual(await statuses(), Array(20).fill(503));
    await close();
  });
});

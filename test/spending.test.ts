import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { recorded } from "../src/access/access.fixture.ts";
import { changeTerms, topUp } from "../src/access/accounts/terms.ts";
import { TimeZone } from "../src/runtime/time-zone.ts";
import { fees, liveStore, ServiceProcess } from "./crash/service.ts";
import { engines } from "./support/engines.ts";
import { verifyAt } from "./support/service.ts";
import { until } from "./support/until.ts";
import { startVendor } from "./support/vendor.ts";

const zone = new TimeZone("Africa/Lagos");
const callers = 200;
const most = 50;

for (const engine of engines)
  suite(`200 callers at once on ${engine.name}`, () => {
    test("200 concurrent callers get exactly what a cap and a balance allow, with no further vendor call", async () => {
      await using begun = new AsyncDisposableStack();
      const vendor = await startVendor({ seed: "spending", manners: { prompt: 1, slow: 1 }, negatives: 0 });
      begun.defer(() => vendor.stop());
      const live = await liveStore(engine, vendor, 2);
      begun.defer(() => live.dispose());
      const { db } = live.store;
      const store = recorded(db);
      await changeTerms(store, "shop1@example.com", { capCount: most }, zone);
      await changeTerms(store, "shop2@example.com", { prepaid: true }, zone);
      await topUp(store, "shop2@example.com", { kobo: (most + 1) * fees.bvn - 1, reason: "transfer" });
      const processes = Array.from({ length: engine.name === "sqlite" ? 1 : 2 }, () => {
        const service = new ServiceProcess(live.environment);
        begun.defer(() => service.kill());
        return service;
      });
      const ports = await Promise.all(processes.map((service) => service.ready));

      let asked = 0;
      const verify = async (credential: string, key: string) => {
        const bvn = String(22_100_000_000 + asked++);
        return verifyAt(ports[asked % ports.length]!, { bvn, credential, key });
      };
      for (const [n, code] of ["spending_cap_reached", "balance_too_low"].entries()) {
        const before = (await vendor.calls()).length;
        const credential = live.keys[n]!;
        const responses = await Promise.all(Array.from({ length: callers }, (_, at) => verify(credential, `k${at}`)));
        const outcomes = Map.groupBy(responses, ({ status, json }) => `${status} ${json.error?.code ?? ""}`);
        assert.deepEqual(Object.fromEntries([...outcomes].map(([outcome, of]) => [outcome, of.length])), {
          "200 ": most,
          [`402 ${code}`]: callers - most,
        });
        assert.equal((await vendor.calls()).length - before, most);
        const { error } = outcomes.get(`402 ${code}`)![0]!.json;
        assert.deepEqual([error.retryable, error.charged, error.upstream_called], [false, false, false]);
      }
      const charged = await db
        .selectFrom("verification")
        .select((row) => ["account_id", row.fn.countAll<number>().as("count")])
        .where("charged", "=", 1)
        .groupBy("account_id")
        .execute();
      assert.deepEqual(
        charged.map(({ count }) => count),
        [most, most],
      );
      const spending = await db.selectFrom("spending").select(["kobo", "verifications"]).execute();
      for (const { kobo, verifications } of spending) assert.deepEqual([kobo, verifications], [most * fees.bvn, most]);

      // A running service notices a higher cap within seconds, and a top-up at once.
      await topUp(store, "shop2@example.com", { kobo: 1, reason: "rest" });
      assert.equal((await verify(live.keys[1]!, "after")).status, 200);
      await changeTerms(store, "shop1@example.com", { capCount: most + 1 }, zone);
      await until(async () => (await verify(live.keys[0]!, "after")).status === 200);
    });
  });

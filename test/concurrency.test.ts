import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { withAttempts } from "../src/ledger/attempts.ts";
import { fees, type LiveStore, liveStore, ServiceProcess } from "./crash/service.ts";
import { engines } from "./support/engines.ts";
import { assertFailure } from "./support/failure.ts";
import { ask, type ServiceResponse, verifyAt } from "./support/service.ts";
import { until } from "./support/until.ts";
import { startVendor, type VendorProcess } from "./support/vendor.ts";

const path = "/api/v2/kyc/verify-bvn";
const simultaneous = 200;

for (const engine of engines) {
  const processes = engine.name === "postgres" ? 2 : 1;

  suite(`many calls at once (processes: ${processes}) on ${engine.name}`, () => {
    let vendor: VendorProcess;
    let live: LiveStore;
    let services: ServiceProcess[] = [];
    let ports: number[];
    before(async () => {
      vendor = await startVendor({ seed: "held", manners: { held: 1 }, negatives: 0 });
      live = await liveStore(engine, vendor, 2);
      services = Array.from({ length: processes }, () => new ServiceProcess(live.environment));
      ports = await Promise.all(services.map(({ ready }) => ready));
    });
    after(async () => {
      await Promise.all(services.map((service) => service.kill()));
      await live.dispose();
      await vendor.stop();
    });

    const verify = (bvn: string, { nth = 0, account = 0 } = {}): Promise<ServiceResponse> =>
      verifyAt(ports[nth % processes]!, { bvn, credential: live.keys[account]!, key: `key-${bvn.slice(-3)}` });
    const callsOf = async (bvn: string) => (await vendor.calls()).filter((call) => call.number === bvn);
    const vendorHas = (bvn: string, count: number) => until(async () => (await callsOf(bvn)).length >= count);
    const rowsOf = async (bvn: string) => {
      const { db } = live.store;
      const rows = db.selectFrom("verification").selectAll().where("subject_last4", "=", bvn.slice(-4));
      return withAttempts(db, await rows.execute());
    };

    test(`${simultaneous} with one idempotency key are one verification with one charge`, async () => {
      const bvn = "22000000401";
      const refusals: ServiceResponse[] = [];
      const all = Promise.withResolvers<void>();
      const calls = Array.from({ length: simultaneous }, async (_, nth) => {
        const response = await verify(bvn, { nth });
        if (response.status === 409 && refusals.push(response) === simultaneous - 1) all.resolve();
        return response;
      });
      await Promise.race([all.promise, Promise.all(calls)]);
      await vendorHas(bvn, 1);
      vendor.release(bvn);
      const [given, ...more] = (await Promise.all(calls)).filter(({ status }) => status !== 409);
      assert.equal(more.length, 0);
      assert.equal(given!.status, 200, given!.text);
      assert.equal(given!.headers["idempotency-replayed"], undefined);
      for (const refusal of refusals) {
        const { error } = assertFailure(refusal, 409, "request_in_progress", { path });
        assert.deepEqual([error.charged, error.request_reference], [false, given!.json.data.request_reference]);
        assert.ok(Number(refusal.headers["retry-after"]) <= 5);
      }

      const again = await Promise.all(Array.from({ length: simultaneous }, (_, nth) => verify(bvn, { nth })));
      for (const { status, text, headers } of again)
        assert.deepEqual([status, text, headers["idempotency-replayed"]], [200, given!.text, "true"]);

      const reference = given!.json.data.request_reference;
      assert.deepEqual(
        (await callsOf(bvn)).map((call) => call.reference),
        [reference],
      );
      const rows = await rowsOf(bvn);
      assert.deepEqual(
        rows.map((row) => [row.reference, row.state, row.attempts.length, row.charged * row.fee]),
        [[reference, "verified", 1, fees.bvn]],
      );
    });

    test("the same BVN and idempotency key at two accounts are two separate verifications", async () => {
      const bvn = "22000000402";
      const both = Promise.all([verify(bvn, { nth: 0, account: 0 }), verify(bvn, { nth: 1, account: 1 })]);
      await vendorHas(bvn, 2);
      vendor.release(bvn);
      const responses = await both;
      const references: string[] = responses.map(({ json }) => json.data.request_reference);
      assert.notEqual(references[0], references[1]);
      assert.deepEqual((await callsOf(bvn)).map(({ reference }) => reference).toSorted(), references.toSorted());
      const rows = await rowsOf(bvn);
      assert.equal(new Set(rows.map((row) => row.account_id)).size, 2);
      assert.deepEqual(
        rows.map((row) => [row.state, row.charged * row.fee]),
        [
          ["verified", fees.bvn],
          ["verified", fees.bvn],
        ],
      );
      for (const [account, credential] of live.keys.entries())
        for (const [of, reference] of references.entries()) {
          const { status, json } = await ask(ports[0]!, `/api/v2/kyc/verifications/${reference}`, { credential });
          assert.deepEqual([status, json.data?.charged], account === of ? [200, true] : [404, undefined]);
        }
    });
  });
}

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { usualEngines } from "./support/engines.ts";
import { assertFailure } from "./support/failure.ts";
import { type Answer, startService, type TestService } from "./support/service.ts";

const verify = "/api/v2/kyc/verify-bvn";
const verifications = "/api/v2/kyc/verifications";
const plans = "/api/v2/cable-tv/fetch-billers";
const person = { bvn: "22000000017", phone: "08000000017", amount: "100" };
const starter = (name: string) => JSON.parse(readFileSync(`data/starter/${name}.json`, "utf8"));

for (const engine of usualEngines) {
  suite(`operations for compatibility on ${engine.name}`, { concurrency: true }, () => {
    let service: TestService;
    before(async () => {
      service = await startService({ DUBA_LIMITS: "off", DUBA_BVN_FEE: "150.50" }, engine);
    });
    after(() => service.close());

    const verified = (bvn: string, key: string, credential?: string): Promise<Answer> =>
      service.ask(verify, {
        method: "POST",
        headers: { "Idempotency-Key": key },
        body: { ...person, bvn },
        ...(credential === undefined ? {} : { credential }),
      });

    test("cable providers are three billers by id, open to all", async () => {
      const answer = await service.ask("/api/v2/cable-tv/fetch-providers", { credential: false });
      assert.equal(answer.status, 200);
      assert.deepEqual(Object.keys(answer.json), ["success", "billers"]);
      assert.equal(answer.json.success, true);
      for (const [place, biller] of answer.json.billers.entries()) {
        assert.deepEqual(Object.keys(biller), ["type", "id", "name", "narration", "image"]);
        assert.equal(biller.id, place + 1);
        for (const name of ["type", "name", "narration", "image"]) assert.equal(typeof biller[name], "string");
      }
      const types = answer.json.billers.map(({ type }: { type: string }) => type);
      assert.deepEqual(types, ["gotv", "dstv", "startimes"]);
    });

    test("cable products carry the productCode that the add-on look-up takes", async () => {
      for (const type of ["gotv", "DSTV", "startimes"]) {
        const answer = await service.ask(`${plans}?type=${type}`, { credential: false });
        assert.equal(answer.status, 200);
        assert.deepEqual(Object.keys(answer.json), ["success", "plans"]);
        const expected = starter("cable-products").filter(
          (product: { type: string }) => product.type === type.toLowerCase(),
        );
        assert.ok(expected.length > 0);
        assert.deepEqual(
          answer.json.plans.map(({ code }: { code: string }) => code),
          expected.map(({ code }: { code: string }) => code),
        );
        for (const plan of answer.json.plans) {
          assert.deepEqual(Object.keys(plan), ["id", "type", "code", "name", "description", "price", "amount"]);
          assert.ok(Number.isInteger(plan.id));
          assert.equal(plan.type, type.toLowerCase());
          assert.match(plan.price, /^\d+(\.\d{1,2})?$/);
          const query = new URLSearchParams({ type, productCode: plan.code });
          const addOns = await service.ask(`/api/v2/cable-tv/fetch-tv-add-ons?${query}`, { credential: false });
          assert.equal(addOns.status, 200, addOns.text);
        }
      }
    });

    test("cable products want a known type", async () => {
      assertFailure(await service.ask(plans), 422, "validation_failed", { fields: ["type"] });
      const unknown = assertFailure(await service.ask(`${plans}?type=foo`), 404, "provider_not_found");
      assert.equal(unknown.message, "No cable provider has the code foo. Known codes: gotv, dstv, startimes.");
      assertFailure(await service.ask(`${plans}?type=gotv&type=dstv`), 400, "conflicting_parameters");
    });

    test("the WAEC look-up gives the amount that a verification takes", async () => {
      const path = "/api/v2/education/waec-lookup";
      const answer = await service.ask(path);
      const { message } = answer.json;
      assert.equal(
        answer.text,
        JSON.stringify({ success: true, status: "success", message, data: { amount: "150.5" } }),
      );
      assert.match(message, /^[A-Z]/);
      assertFailure(await service.ask(path, { credential: false }), 401, "missing_credentials");
      const { amount } = answer.json.data;
      assert.equal((await service.ask(verify, { method: "POST", body: { ...person, amount } })).status, 200);
    });

    test("the wallet has the members that clients want, in their order", async () => {
      const path = "/api/v2/wallet/balance";
      const answer = await service.ask(path);
      assert.equal(
        answer.text,
        '{"success":true,"status":"success","general_wallet":{"is_gl":0,"can_be_negative":0,"account_number":"","balance":"1000000.00",' +
          '"commission":0,"status":"active","type":null},"sme_data_wallet":{"balance":"0.00","status":"active"},' +
          '"corporate_data_wallet":{"balance":"0.00","status":"active"}}',
      );
      assert.equal(answer.headers["duba-wallet"], "unlimited");
      assertFailure(await service.ask(path, { credential: false }), 401, "missing_credentials");
    });

    test("a verification's outcome is told by its reference and by its key, without personal data", async () => {
      const begun = Date.now();
      const { data } = (await verified("22000000101", "outcome-1")).json;
      const ways: [string, Record<string, string>][] = [
        [`${verifications}/${data.request_reference}`, {}],
        [`${verifications}?idempotency_key=outcome-1`, {}],
        [verifications, { "Idempotency-Key": "outcome-1" }],
        [verifications, { "Idempotency-Key": '"outcome-1"' }],
        [`${verifications}?idempotency_key=outcome-1`, { "Idempotency-Key": "outcome-1" }],
      ];
      for (const [path, headers] of ways) {
        const answer = await service.ask(path, { headers });
        assert.equal(answer.status, 200, answer.text);
        const { created_at, completed_at } = answer.json.data;
        const expected = {
          success: true,
          status: "success",
          message: answer.json.message,
          data: {
            request_reference: data.request_reference,
            state: "verified",
            charged: true,
            fee: "150.5",
            attempts: 1,
            created_at,
            completed_at,
          },
        };
        assert.equal(answer.text, JSON.stringify(expected));
        for (const time of [created_at, completed_at]) {
          assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
          assert.ok(Date.parse(time) >= begun - 1000 && Date.parse(time) <= Date.now() + 1000);
        }
        for (const personal of ["22000000101", data.personal_info.last_name, data.name_on_card, "8000000017"])
          assert.ok(!answer.text.includes(personal));
      }
    });

    test("every outcome has its state, its fee and its attempts", async () => {
      const states: Record<string, string> = {
        "00000000001": "not_found",
        "00000000002": "phone_mismatch",
        "00000000003": "verified",
        "00000000005": "failed",
        "00000000006": "unknown",
        "00000000007": "failed",
      };
      for (const [bvn, state] of Object.entries(states)) {
        await verified(bvn, `state-${bvn.slice(-2)}`);
        const { data } = (await service.ask(`${verifications}?idempotency_key=state-${bvn.slice(-2)}`)).json;
        assert.equal(data.state, state, bvn);
        assert.equal(data.charged, state === "verified");
        assert.equal(data.fee, state === "verified" ? "150.5" : "0");
        assert.equal(data.attempts, 1);
        if (state === "unknown") assert.equal(data.completed_at, null);
      }
    });

    test("another account, another mode and a made-up reference hear the same 404", async () => {
      const { request_reference: reference } = (await verified("22000000102", "mine-1")).json.data;
      const stranger = await service.newKey({ account: await service.newAccount(`Stranger-${engine.name}`) });
      const live = await service.newKey({ mode: "live" });
      const bodies = new Set<string>();
      for (const credential of [stranger.text, live.text]) {
        for (const path of [
          `${verifications}/${reference}`,
          `${verifications}?idempotency_key=mine-1`,
          `${verifications}/aaaaaa000000000`,
        ]) {
          const answer = await service.ask(path, { credential, headers: { "X-Request-Id": "same" } });
          assertFailure(answer, 404, "verification_not_found");
          bodies.add(answer.text);
        }
      }
      assert.equal(bodies.size, 1);
      const sister = await service.newKey();
      assert.equal((await service.ask(`${verifications}/${reference}`, { credential: sister.text })).status, 200);
    });

    test("looking for an outcome wants one good key", async () => {
      assertFailure(await service.ask(verifications), 422, "validation_failed", { fields: ["idempotency_key"] });
      const empty = await service.ask(`${verifications}?idempotency_key=`);
      assertFailure(empty, 422, "validation_failed", { fields: ["idempotency_key"] });
      const two = await service.ask(`${verifications}?idempotency_key=a`, { headers: { "Idempotency-Key": "b" } });
      assertFailure(two, 400, "conflicting_parameters");
      const long = await service.ask(`${verifications}?idempotency_key=${"x".repeat(256)}`);
      assertFailure(long, 400, "invalid_idempotency_key");
      const { text } = await service.newKey({ scopes: ["catalogue:read"] });
      assertFailure(await service.ask(`${verifications}/x`, { credential: text }), 403, "insufficient_scope");
      assertFailure(await service.ask(`${verifications}/x`, { credential: false }), 401, "missing_credentials");
      assertFailure(await service.ask(`${verifications}/`), 404, "route_not_found");
    });
  });
}

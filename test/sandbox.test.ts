import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { reservedFor, sandboxNumbers } from "../src/upstreams/sandbox/numbers.ts";
import { usualEngines } from "./support/engines.ts";
import { assertDiscreet, assertFailure } from "./support/failure.ts";
import { type ServiceResponse, suiteService } from "./support/service.ts";

const verify = "/api/v2/kyc/verify-bvn";

for (const engine of usualEngines) {
  suite(`the sandbox on ${engine.name}`, { concurrency: true }, () => {
    const service = suiteService({ DUBA_LIMITS: "off" }, engine);
    after(async () => {
      assert.ok(service.lines.length > 0);
      assert.doesNotMatch(JSON.stringify(service.lines), /\d{10}/);
    });

    const ask = (bvn: string, headers: Record<string, string> = {}, phone = "08000000017"): Promise<ServiceResponse> =>
      service.ask(verify, { method: "POST", headers, body: { bvn, phone, amount: "100" } });
    const recordOf = async (bvn: string, phone?: string): Promise<ServiceResponse["json"]> => {
      const response = await ask(bvn, {}, phone);
      assert.equal(response.status, 200, response.text);
      assert.equal(response.json.data.verification_status, "VERIFIED");
      assert.equal(response.json.data.bvn_number, bvn);
      return response.json.data;
    };

    test("refuses what its table says, charges nothing, repeats no number, and says when to come back", async () => {
      for (const { number, result } of sandboxNumbers("bvn")) {
        const reserved = reservedFor({ kind: "bvn", number })!;
        if (result === "VERIFIED" || reserved.delay) continue;
        const [status, code] = [Number(result.slice(0, 3)), result.slice(4)];
        const key = `refused-${number.slice(-2)}-${engine.name}`;
        const response = await ask(number, { "Idempotency-Key": key });
        const { error } = assertFailure(response, status, code, { path: verify });
        assert.deepEqual([error.charged, error.upstream_called], [false, reserved.refusal === undefined], number);
        if (reserved.refusal)
          assert.match(response.json.message, / Rehearsed: .* gets this answer each time\.$/, number);
        if (error.upstream_called) {
          const { data } = (await service.ask(`/api/v2/kyc/verifications?idempotency_key=${key}`)).json;
          const outcome = reserved.outcome!;
          const state =
            outcome.kind === "negative" ? outcome.reason : outcome.kind === "unknown" ? outcome.kind : "failed";
          const { request_reference } = error;
          assert.partialDeepStrictEqual(data, { request_reference, state, charged: false, fee: "0", attempts: 1 });
          assert.match(request_reference, /^[A-Za-z0-9]{6}\d{9}$/);
        } else assert.equal(error.request_reference, null);
        if ([429, 503, 504].includes(status)) {
          assert.match(response.headers["retry-after"]!, /^[1-9]\d*$/);
          assert.equal(error.retryable, true);
        }
        assertDiscreet(response.text);
        assert.doesNotMatch(response.text, /VERIFIED|personal_info|0000000/);
      }
    });

    test("answers 00000000003 as watchlisted, and 00000000004 with the least that a record may say", async () => {
      assert.equal((await recordOf("00000000003")).watchlisted, "YES");
      const { nin, watchlisted, formatted_registration_date, personal_info } = await recordOf("00000000004");
      assert.deepEqual([nin, watchlisted, formatted_registration_date], ["", null, null]);
      assert.deepEqual([personal_info.email, personal_info.phone_number_2], ["", null]);
    });

    test("answers 00000000008 after 3 s, and its key meanwhile with 409", async () => {
      const key = { "Idempotency-Key": `slow-${engine.name}` };
      const begun = performance.now();
      const slow = ask("00000000008", key);
      // The row is bound as soon as the requery knows it.
      const path = `/api/v2/kyc/verifications?idempotency_key=slow-${engine.name}`;
      let meanwhile = await service.ask(path);
      while (meanwhile.status === 404) meanwhile = await service.ask(path);
      assert.equal(meanwhile.json.data.state, "started");
      assert.equal(meanwhile.json.data.completed_at, null);
      const busy = await ask("00000000008", key);
      assertFailure(busy, 409, "request_in_progress", { path: verify });
      const wait = Number(busy.headers["retry-after"]);
      assert.ok(wait >= 1 && wait <= 5);
      const other = await ask("22000000017", key);
      assertFailure(other, 422, "idempotency_key_reused", { path: verify });
      const response = await slow;
      assert.equal(response.status, 200, response.text);
      assert.ok(performance.now() - begun >= 2950);
    });

    test("verifies equal calls without a key once while they are in flight", async () => {
      const responses = await Promise.all(Array.from({ length: 8 }, () => ask("00000000008", {}, "08000000777")));
      const references = new Set(responses.map(({ json }) => json.data.request_reference));
      assert.equal(references.size, 1);
    });
  });
}

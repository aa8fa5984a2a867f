import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { reservedFor, sandboxNumbers } from "../src/vendors/sandbox/numbers.ts";
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

    test("each reserved number gives its documented failure and costs nothing, and no answer contains it", async () => {
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
          const state = outcome.state === "negative" ? outcome.reason : outcome.state;
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
  });
}

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { reserved, sandboxNumbers } from "../src/upstreams/sandbox/numbers.ts";
import { usualEngines } from "./support/engines.ts";
import { assertDiscreet, assertFailure } from "./support/failure.ts";
import { type Answer, startService, type TestService } from "./support/service.ts";

const verify = "/api/v2/kyc/verify-bvn";

for (const engine of usualEngines) {
  suite(`the sandbox on ${engine.name}`, { concurrency: true }, () => {
    let service: TestService;
    before(async () => {
      service = await startService({ DUBA_LIMITS: "off" }, engine);
    });
    after(async () => {
      await service.close();
      assert.ok(service.lines.length > 0);
      assert.doesNotMatch(JSON.stringify(service.lines), /\d{10}/);
    });

    const ask = (bvn: string, headers: Record<string, string> = {}, phone = "08000000017"): Promise<Answer> =>
      service.ask(verify, { method: "POST", headers, body: { bvn, phone, amount: "100" } });
    const recordOf = async (bvn: string, phone?: string): Promise<Answer["json"]> => {
      const answer = await ask(bvn, {}, phone);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.data.verification_status, "VERIFIED");
      assert.equal(answer.json.data.bvn_number, bvn);
      return answer.json.data;
    };

    test("knows an invented person for any number, always the same one", async () => {
      for (const bvn of ["22000000017", "00000000000", "99999999999", "00000000099"]) {
        const { request_reference: one, ...first } = await recordOf(bvn);
        const { request_reference: two, ...again } = await recordOf(bvn);
        assert.deepEqual(again, first);
        assert.notEqual(two, one);
      }
      const [one, two] = [await recordOf("22000000018"), await recordOf("22000000019")];
      assert.notDeepEqual(one.personal_info, two.personal_info);
    });

    test("matches every phone and answers it in the 0-form", async () => {
      for (const phone of ["08011112222", "+234 701 111 2222", "9011112222"]) {
        const { personal_info } = await recordOf("22000000020", phone);
        assert.equal(personal_info.phone_number, `0${phone.replaceAll(" ", "").slice(-10)}`);
      }
    });

    test("refuses what its table says, charges nothing, repeats no number, and says when to come back", async () => {
      for (const { number, result } of sandboxNumbers("bvn")) {
        if (result === "VERIFIED" || reserved[number]!.delay) continue;
        const [status, code] = [Number(result.slice(0, 3)), result.slice(4)];
        const answer = await ask(number);
        const { error } = assertFailure(answer, status, code, { path: verify });
        assert.deepEqual(
          [error.charged, error.upstream_called],
          [false, reserved[number]!.refusal === undefined],
          number,
        );
        if (error.upstream_called) assert.match(error.request_reference, /^[A-Za-z0-9]{6}\d{9}$/);
        else assert.equal(error.request_reference, null);
        if ([429, 503, 504].includes(status)) {
          assert.match(answer.headers["retry-after"]!, /^[1-9]\d*$/);
          assert.equal(error.retryable, true);
        }
        assertDiscreet(answer.text);
        assert.doesNotMatch(answer.text, /VERIFIED|personal_info|0000000/);
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
      const answer = await slow;
      assert.equal(answer.status, 200, answer.text);
      assert.ok(performance.now() - begun >= 2950);
    });

    test("gives an answer again for its key, and says so", async () => {
      for (const [bvn, status] of [
        ["22000000024", 200],
        ["00000000001", 404],
        ["00000000002", 422],
      ] as const) {
        const key = { "Idempotency-Key": `again-${bvn.slice(-3)}-${engine.name}` };
        const first = await ask(bvn, key);
        assert.equal(first.status, status);
        assert.equal(first.headers["idempotency-replayed"], undefined);
        for (const spelt of [key, { "Idempotency-Key": `"${key["Idempotency-Key"]}"` }]) {
          const again = await ask(bvn.replace(/^(...)/, "$1 "), spelt, "+2348000000017");
          assert.equal(again.status, status);
          assert.equal(again.headers["idempotency-replayed"], "true");
          const idless = ({ text }: Answer) => text.replace(/"request_id":"[^"]*"/, "");
          assert.equal(idless(again), idless(first));
        }
      }
    });

    test("does the work again for the key of a call that failed upstream", async () => {
      const key = { "Idempotency-Key": `retry-${engine.name}` };
      const first = assertFailure(await ask("00000000005", key), 503, "upstream_unavailable", { path: verify });
      const second = assertFailure(await ask("00000000005", key), 503, "upstream_unavailable", { path: verify });
      assert.equal(second.error.request_reference, first.error.request_reference);
      const { data } = (await service.ask(`/api/v2/kyc/verifications?idempotency_key=retry-${engine.name}`)).json;
      assert.equal(data.attempts, 2);
      assert.equal(data.charged, false);
    });

    test("rehearses an unknown outcome that a retry settles, and a record that is no longer held", async () => {
      for (const [bvn, first, then, state] of [
        ["00000000012", 504, 200, "verified"],
        ["00000000013", 504, 404, "not_found"],
        ["00000000015", 200, 410, "verified"],
      ] as const) {
        const key = `rehearsal-${bvn.slice(-2)}-${engine.name}`;
        const headers = { "Idempotency-Key": key };
        const { status, json } = await ask(bvn, headers);
        assert.equal(status, first);
        const reference = json.error?.request_reference ?? json.data.request_reference;
        const again = await ask(bvn, headers);
        assert.equal(again.status, then);
        const found = (await service.ask(`/api/v2/kyc/verifications?idempotency_key=${key}`)).json;
        const { data } = found;
        assert.deepEqual([data.request_reference, data.state, data.charged], [reference, state, state === "verified"]);
        if (then !== 200)
          assert.deepEqual([again.json.error.charged, again.json.error.request_reference], [data.charged, reference]);
      }
    });

    test("takes no key that names the person", async () => {
      for (const key of ["x".repeat(256), "é", "a b", "22000000017", "id-2200-0000-017", "p:08000000017"]) {
        const answer = await ask("22000000017", { "Idempotency-Key": Buffer.from(key).toString("latin1") });
        assertFailure(answer, 400, "invalid_idempotency_key", { path: verify });
      }
    });

    test("verifies equal calls without a key once while they are in flight", async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask("00000000008", {}, "08000000777")));
      const references = new Set(answers.map(({ json }) => json.data.request_reference));
      assert.equal(references.size, 1);
    });
  });
}

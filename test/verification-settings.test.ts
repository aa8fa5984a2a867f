import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { suite, test } from "node:test";
import { assertFailure, type Refusal } from "./support/failure.ts";
import { type ServiceResponse, sandboxKey, startService, type TestService } from "./support/service.ts";
import { until } from "./support/until.ts";

const path = "/api/v2/kyc/verify-bvn";
const person = { bvn: "22000000017", phone: "08000000017", amount: "100" };

interface Verification {
  given?: object;
  headers?: Record<string, string>;
  credential?: string;
}

const verified = (
  service: TestService,
  { given = {}, headers = {}, credential }: Verification = {},
): Promise<ServiceResponse> =>
  service.ask(path, {
    method: "POST",
    headers,
    body: { ...person, ...given },
    ...(credential === undefined ? {} : { credential }),
  });

async function withService(environment: Record<string, string>, work: (service: TestService) => Promise<void>) {
  await using service = await startService({ DUBA_LIMITS: "off", ...environment });
  await work(service);
  const lines = service.lines.map(({ fields, ...line }) => ({ ...line, fields: { ...fields, requestId: "" } }));
  assert.doesNotMatch(JSON.stringify(lines), /\d{10}/);
}

/** Checks that a verification was refused without a charge. Returns the failure's `error`. */
function assertRefused(
  response: ServiceResponse,
  status: number,
  code: string,
  refusal: Refusal = {},
): ServiceResponse["json"]["error"] {
  const { error } = assertFailure(response, status, code, { path, ...refusal });
  assert.equal(error.charged, false);
  return error;
}

suite("settings of verifications", { concurrency: true }, () => {
  test("if amounts are enforced, only the exact fee is accepted, and a refusal names the fee", async () => {
    await withService({ DUBA_AMOUNT_POLICY: "enforce", DUBA_BVN_FEE: "75.50" }, async (service) => {
      for (const amount of ["75.5", "75.50", "0075.50"])
        assert.equal((await verified(service, { given: { amount } })).status, 200, amount);
      for (const amount of ["75", "100", "75.51"]) {
        const error = assertRefused(await verified(service, { given: { amount } }), 422, "amount_mismatch", {
          message: /\b75\.5\b/,
        });
        assert.equal(error.upstream_called, false);
        const requery = await service.ask(`/api/v2/kyc/verifications/${error.request_reference}`);
        assert.deepEqual([requery.json.data.state, requery.json.data.fee], ["refused", "0"]);
      }
    });
  });

  test("coarse answers do not tell an unknown BVN from another phone", async () => {
    await withService({ DUBA_NEGATIVE_DETAIL: "coarse" }, async (service) => {
      const told = [];
      for (const bvn of ["00000000001", "00000000002"]) {
        const response = await verified(service, {
          given: { bvn },
          headers: { "Idempotency-Key": `coarse-${bvn.slice(-1)}` },
        });
        const { request_reference } = assertRefused(response, 422, "verification_failed");
        const { data } = (await service.ask(`/api/v2/kyc/verifications/${request_reference}`)).json;
        const { request_id, request_reference: _, ...error } = response.json.error;
        assert.equal(request_id, response.headers["x-request-id"]);
        told.push({ error, message: response.json.message, state: data.state, fee: data.fee });
      }
      assert.deepEqual(told[0], told[1]);
    });
  });

  test("consent is required of live keys only", async () => {
    await withService({ DUBA_CONSENT: "required" }, async (service) => {
      const { text: credential } = await service.newKey({ mode: "live" });
      assertRefused(await verified(service, { credential }), 403, "consent_required", { message: /Consent-Reference/ });
      const headers = { "Consent-Reference": "consent-2026/7" };
      assertRefused(await verified(service, { credential, headers }), 503, "upstream_not_configured");
      assert.equal((await verified(service)).status, 200);
    });
  });

  test("a record that is not stored is neither returned nor charged twice", async () => {
    await withService({ DUBA_RECORD_RETENTION: "0s" }, async (service) => {
      const headers = { "Idempotency-Key": "gone" };
      const first = await verified(service, { headers });
      assert.equal(first.status, 200);
      const again = await verified(service, { headers });
      const { error } = assertFailure(again, 410, "record_no_longer_held", { path });
      assert.equal(error.request_reference, first.json.data.request_reference);
      assert.doesNotMatch(again.text, new RegExp(first.json.data.personal_info.last_name));
      const { data } = (await service.ask("/api/v2/kyc/verifications?idempotency_key=gone")).json;
      assert.deepEqual([data.state, data.charged, data.attempts], ["verified", true, 1]);
    });
  });

  test("a record that is not stored is charged only if its caller received it", async () => {
    await withService({ DUBA_RECORD_RETENTION: "0s" }, async (service) => {
      // The sandbox takes three seconds for it.
      const slow = { bvn: "00000000008" };
      const stateOf = async (key: string) => {
        const { json } = await service.ask(`/api/v2/kyc/verifications?idempotency_key=${key}`);
        return [json.data?.state, json.data?.charged];
      };
      const asking = (key: string) => ({
        port: service.port,
        path,
        method: "POST",
        headers: {
          Authorization: `Bearer ${sandboxKey}`,
          "Content-Type": "application/json",
          "Idempotency-Key": key,
        },
      });
      const leaving = request(asking("left"));
      leaving.on("error", () => {});
      leaving.end(JSON.stringify({ ...person, ...slow }));
      await until(async () => (await stateOf("left"))[0] === "started");
      leaving.destroy();
      await verified(service, { given: slow, headers: { "Idempotency-Key": "stayed" } });
      // This caller closes only its sending side, and still reads.
      const reading = request({ ...asking("read"), agent: false });
      reading.end(JSON.stringify({ ...person, ...slow }));
      const answer = once(reading, "response");
      await until(async () => (await stateOf("read"))[0] === "started");
      reading.socket!.end();
      const [response] = (await answer) as [IncomingMessage];
      assert.equal(((await json(response)) as { success: boolean }).success, true);
      const closed = Array.from({ length: 20 }, (_, nth) => `closed-${nth}`);
      for (const key of closed) {
        const closing = request({ ...asking(key), agent: new Agent({ keepAlive: true }) });
        closing.end(JSON.stringify(person));
        const [whole] = (await once(closing, "response")) as [IncomingMessage];
        await once(whole, "data");
        closing.socket!.resetAndDestroy();
      }
      await until(async () => (await stateOf("left")).join() === "verified,false");
      for (const key of closed) assert.deepEqual(await stateOf(key), ["verified", true], key);
      for (const [key, charged] of [
        ["left", false],
        ["stayed", true],
        ["read", true],
      ] as const) {
        const again = await verified(service, { given: slow, headers: { "Idempotency-Key": key } });
        assert.equal(assertFailure(again, 410, "record_no_longer_held", { path }).error.charged, charged);
      }
    });
  });

  test("an idempotency key is not used up by a request that was refused", async () => {
    await withService({}, async (service) => {
      const headers = { "Idempotency-Key": "kept-for-later" };
      const { text: credential } = await service.newKey({ scopes: ["catalogue:read"] });
      const refusals: Promise<ServiceResponse>[] = [
        verified(service, { headers, given: { bvn: "1" } }),
        verified(service, { headers, credential: "wrong" }),
        verified(service, { headers, credential }),
        verified(service, { headers, given: { x: "x".repeat(17_000) } }),
        verified(service, { headers: { ...headers, "Content-Type": "text/plain" } }),
        verified(service, { headers, given: { bvn: "00000000009" } }),
        service.ask(path, { method: "POST", headers, body: "{" }),
      ];
      const statuses = (await Promise.all(refusals)).map(({ status }) => status);
      assert.deepEqual(statuses, [422, 401, 403, 413, 415, 429, 415]);
      const response = await verified(service, { headers });
      assert.equal(response.status, 200, response.text);
      assert.equal(response.headers["idempotency-replayed"], undefined);
      const again = await verified(service, { headers, given: { amount: "100.00" } });
      assert.equal(again.headers["idempotency-replayed"], "true");
    });
  });

  test("a stopping service refuses operations with their paths' payloads, and is not ready", async () => {
    await withService({}, async (service) => {
      assert.deepEqual((await service.ask("/readyz")).json, { status: "ready" });
      service.refuseNewWork();
      const refused = await verified(service);
      assertRefused(refused, 503, "shutting_down");
      assert.equal(refused.headers.connection, "close");
      for (const known of ["/api/v2/internet/data/lookup", "/api/v2/corporate-data/list"])
        assertFailure(await service.ask(known), 503, "shutting_down", { path: known });
      assert.equal((await service.ask("/readyz")).status, 503);
      assert.equal((await service.ask("/healthz")).status, 200);
    });
  });
});

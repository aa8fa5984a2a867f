import assert from "node:assert/strict";
import { test } from "node:test";
import { malformedRequests } from "./cluster/faults/malformed-requests.ts";
import { Line } from "./support/raw.ts";
import { sandboxKey, startService } from "./support/service.ts";

/** The short form of `npm run test:cluster -- malformed-requests`. */
test("strangers who CONNECT, upgrade, send garbage and reset harm no verification that is under way", async () => {
  const figures = (await malformedRequests(6000)) as { sent: number; verified: number };
  assert.equal(figures.sent, 6000);
  assert.ok(figures.verified >= 6);
});

test("a caller who says no more after its request is told the outcome that it is charged for", async () => {
  await using service = await startService({});
  const line = new Line(service.port);
  const body = '{"bvn":"22000000017","phone":"08000000017","amount":"100"}';
  const headers = `Host: a\r\nAuthorization: Bearer ${sandboxKey}\r\nContent-Type: application/json`;
  line.say(`POST /api/v2/kyc/verify-bvn HTTP/1.1\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  const responses = await line.finish();
  assert.deepEqual(
    responses.map(({ status, json }) => [status, json.data.bvn_number]),
    [[200, "22000000017"]],
  );
});

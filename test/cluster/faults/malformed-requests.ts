import assert from "node:assert/strict";
import fc from "fast-check";
import { engines } from "../../support/engines.ts";
import { freePort } from "../../support/free-port.ts";
import { serveInProcess } from "../../support/process.ts";
import { ask } from "../../support/service.ts";
import { leavings, malformedBytes, sendAndLeave } from "../../support/strangers.ts";

const bootstrap = "a-known-sandbox-key-for-strangers";
/** A number for which the sandbox takes three seconds. */
const slow = "00000000008";
const strangersAtOnce = 40;

/**
 * Sends `count` malformed requests to the API, the console and the metrics in turn, and hangs up in every way. Six
 * verifications run all the time. Each verification must get its response, and the service must still run at the end.
 */
export async function malformedRequests(count: number): Promise<object> {
  const { settings, dispose } = await engines[0]!.ready();
  const [console, metrics] = [await freePort(), await freePort()];
  const service = await serveInProcess({
    DUBA_DATA: settings.dataDirectory,
    DUBA_KEYRING: `${settings.dataDirectory}/keyring.json`,
    DUBA_BOOTSTRAP_KEY: bootstrap,
    DUBA_LIMITS: "off",
    DUBA_CONSOLE: `127.0.0.1:${console}`,
    DUBA_METRICS: `127.0.0.1:${metrics}`,
  });
  const begun = performance.now();
  try {
    const ports = [service.port, console, metrics];
    const kinds = fc.sample(malformedBytes, { numRuns: Math.min(count, 4000), seed: 1 });
    let sent = 0;
    const strange = async () => {
      while (sent < count) {
        const nth = sent++;
        const leaving = leavings[nth % leavings.length]!;
        await sendAndLeave(ports[nth % ports.length]!, kinds[(nth * 7) % kinds.length]!, leaving);
      }
    };
    let verified = 0;
    const verify = async () => {
      do {
        const body = { bvn: slow, phone: "08000000008", amount: "100" };
        const headers = { "Idempotency-Key": `key-${verified++}-${sent}` };
        const sends = { method: "POST", credential: bootstrap, headers, body };
        const { status, text } = await ask(service.port, "/api/v2/kyc/verify-bvn", sends);
        assert.equal(status, 200, text);
      } while (sent < count);
    };
    await Promise.all([...Array.from({ length: 6 }, verify), ...Array.from({ length: strangersAtOnce }, strange)]);
    for (const [nth, path] of ["/healthz", "/healthz", "/metrics"].entries()) {
      const { status } = await ask(ports[nth]!, path, { credential: false });
      // The console limits the requests of an address.
      assert.ok(status === 200 || status === 429, path);
    }
    assert.equal(service.exitCode(), null);
    return { sent, verified, seconds: Math.round((performance.now() - begun) / 1000), "memory, MB": service.memory() };
  } finally {
    await service.end("SIGTERM");
    await dispose();
  }
}

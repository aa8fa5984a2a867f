import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { engines, type Fresh } from "../support/engines.ts";
import { freePort } from "../support/free-port.ts";
import { PostgresDoor } from "../support/postgres-door.ts";
import { type ServedProcess, serveInProcess } from "../support/process.ts";
import { sandboxKey } from "../support/service.ts";
import { type Certificate, certify, has, proxies, siteName, startProxy } from "./proxy.ts";

const bundles = "/api/v2/internet/data/lookup?provider=MTNDATA";
const verify = "/api/v2/kyc/verify-bvn";
/** Look-ups of which one may be lost. */
const many = 5000;

interface Answer {
  status: string;
  id: string;
}

suite("two instances behind a proxy, restarted one after the other under load", () => {
  let place: string;
  let certificate: Certificate;
  let store: Fresh;
  let door: PostgresDoor;
  before(async () => {
    place = mkdtempSync(join(tmpdir(), "duba-restarts-"));
    certificate = certify(place);
    store = await engines.find(({ name }) => name === "postgres")!.ready();
    door = await PostgresDoor.open(store.settings.databaseUrl!);
  });
  after(async () => {
    await door.close();
    await store.dispose();
    rmSync(place, { recursive: true, force: true });
  });

  const serve = (port: number) =>
    serveInProcess({
      PORT: String(port),
      DUBA_DATA: join(place, "data"),
      DUBA_DATABASE_URL: door.url,
      DUBA_BOOTSTRAP_KEY: sandboxKey,
      DUBA_TRUST_PROXY: "127.0.0.1",
      DUBA_LIMITS: "off",
      DUBA_ACCESS_LOG: "all",
      // The value in the systemd unit and in the Kubernetes manifest.
      DUBA_STOP_DELAY: "5s",
    });

  for (const shipped of proxies)
    test(shipped.name, { skip: has(shipped.program) ? false : `${shipped.program} is not installed` }, async (t) => {
      const ports: [number, number] = [await freePort(), await freePort()];
      const services: ServedProcess[] = [];
      for (const port of ports) services.push(await serve(port));
      const proxy = await startProxy(shipped, { place, certificate, duba: ports });
      const agent = new Agent({ keepAlive: true, ca: certificate.text, servername: siteName });
      const ask = (path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> =>
        new Promise((resolve) => {
          const method = body === undefined ? "GET" : "POST";
          const options = { host: "127.0.0.1", port: proxy.port, path, method, agent };
          const lost = (error: NodeJS.ErrnoException) => resolve({ status: String(error.code), id: "" });
          const asking = request({ ...options, headers: { Host: siteName, ...headers } }, (response) => {
            const id = String(response.headers["x-request-id"]);
            text(response).then((told) => {
              const { statusCode } = response;
              resolve({ status: statusCode === 200 ? "200" : `${statusCode} ${told}`, id });
            }, lost);
          });
          asking.on("error", lost).end(body);
        });
      const seen = { lookUps: new Map<string, number>(), verifications: new Map<string, number>() };
      const ids = new Set<string>();
      const note = (kind: keyof typeof seen, { status, id }: Answer) => {
        seen[kind].set(status, (seen[kind].get(status) ?? 0) + 1);
        if (status === "200") ids.add(id);
      };
      let [isOver, count] = [false, 0];
      const total = () => [...seen.lookUps.values()].reduce((sum, one) => sum + one, 0);
      const lookUp = async () => {
        while (!isOver || total() < many) {
          note("lookUps", await ask(bundles));
          // Time for the store, which gives up on a slow statement.
          await pause(5);
        }
      };
      const verifyPeople = async () => {
        while (!isOver) {
          count += 1;
          const body = JSON.stringify({ bvn: String(22_000_000_000 + count), phone: "08000000017", amount: "100" });
          const type = { "Content-Type": "application/json", "Content-Length": String(body.length) };
          const key = { Authorization: `Bearer ${sandboxKey}`, "Idempotency-Key": `${shipped.name}-${count}` };
          note("verifications", await ask(verify, { ...type, ...key }, body));
          await pause(10);
        }
      };
      try {
        const callers = [lookUp, lookUp, lookUp, lookUp, verifyPeople, verifyPeople].map((call) => call());
        for (const [at, port] of ports.entries()) {
          await pause(1500);
          await services[at]!.end("SIGTERM");
          assert.equal(services[at]!.exitCode(), 0);
          services[at] = await serve(port);
        }
        await pause(1500);
        isOver = true;
        await Promise.all(callers);
        const lost = total() - (seen.lookUps.get("200") ?? 0);
        t.diagnostic(`${shipped.name}: ${total()} look-ups, ${lost} lost; ${count} verifications`);
        assert.ok(lost <= total() / many, `${lost} of ${total()} lost: ${[...seen.lookUps.keys()].join("\n")}`);
        assert.deepEqual([...seen.verifications.keys()], ["200"]);
        assert.ok(count > 100, `${count} verifications`);
        // Duba kept each id that the proxy drew.
        assert.deepEqual([...ids].filter((id) => !/^[\da-f]{32}$/.test(id)).slice(0, 5), []);

        if (shipped.name === "Caddy") return;
        await door.become("refuse");
        // Longer than HAProxy needs to notice that no instance is ready.
        await pause(4000);
        assert.equal((await ask(bundles)).status, "200");
      } finally {
        isOver = true;
        await door.become("open");
        agent.destroy();
        await proxy.end();
        for (const service of services) await service.end("SIGKILL");
      }
    });
});

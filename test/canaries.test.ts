import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { suite, test } from "node:test";
import { checks } from "../src/checks/index.ts";
import { type CheckKind, checkKinds, forEachKind } from "../src/declare/check-kind.ts";
import { openReceiver } from "../src/features/events/events.fixture.ts";
import { journaled } from "../src/ledger/ledger-rows.fixture.ts";
import { openStore } from "../src/storage/store.ts";
import { assertAbsent, bytesOf, overheard } from "./support/canaries.ts";
import { ran } from "./support/command-line.ts";
import { engines } from "./support/engines.ts";
import { serveInProcess } from "./support/process.ts";
import { type AskOptions, ask, sandboxKey } from "./support/service.ts";
import { until } from "./support/until.ts";

const pathOf = (kind: CheckKind) => `/api/v2/kyc/verify-${kind}`;
const lookup = "/api/v2/internet/data/lookup";

/** Values that could identify a person, and texts in parts of requests from which Duba stores nothing. */
const numbers = forEachKind((kind) => kind, canaryOf);
const phone = "08099887766";
const compared = { first_name: "Canaryfola", last_name: "Canarybello", date_of_birth: "1907-03-31" };
const typed = "CANARY-typed-4711";
const idempotencyKey = "CANARY-idempotency-4712";
const vendorText = "CANARY-of-the-vendor-4713";

/**
 * A number in the form of a kind's example, with unique digits: 77712345678 for the first kind, 66612345678 for the
 * second.
 */
function canaryOf(kind: CheckKind): string {
  const digits = [...`${7 - checkKinds.indexOf(kind)}`.repeat(3), ..."12345678901"];
  return checks[kind].example[kind]!.replaceAll(/\d/g, () => digits.shift()!);
}

/** Hangs up once the request is on its way. */
function hangUp(port: number, kind: CheckKind, body: object): Promise<void> {
  const text = JSON.stringify(body);
  const socket = connect(port, "127.0.0.1");
  const lines = [
    `POST ${pathOf(kind)} HTTP/1.1`,
    "Host: x",
    `Authorization: Bearer ${sandboxKey}`,
    "Content-Type: application/json",
  ];
  socket.write(`${lines.join("\r\n")}\r\nContent-Length: ${text.length}\r\n\r\n${text}`, () => socket.destroy());
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

for (const engine of engines) {
  suite(`canaries on ${engine.name}`, () => {
    test("no log, metric, audit entry, SQL statement or byte of the store contains personal data", async (t) => {
      const vendor = createServer((request, response) => {
        const answer = request.url!.includes("authorization")
          ? {
              success: true,
              data: { token: { access_token: vendorText, token_type: "Bearer", expires_at: "2099-01-01 00:00:00" } },
            }
          : {
              success: false,
              message: `${vendorText} ${Object.values(numbers)}`,
              ...numbers,
              error: { code: "no_such_code" },
            };
        response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
      });
      await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
      const { engine: own, heard } = overheard(engine);
      const fresh = await own.ready();
      const { dataDirectory, databaseUrl = "" } = fresh.settings;
      const environment = {
        ...{ DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl },
        DUBA_EVENT_NETWORKS: "127.0.0.0/8",
      };
      const service = await serveInProcess({
        ...environment,
        DUBA_BOOTSTRAP_KEY: sandboxKey,
        DUBA_LOG_LEVEL: "trace",
        DUBA_ACCESS_LOG: "all",
        DUBA_SERVER_TIMING: "on",
        DUBA_METRICS: "127.0.0.1:0",
        DUBA_LIMITS: "off",
        DUBA_UPSTREAMS: "peer",
        DUBA_PEER_URL: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`,
        DUBA_PEER_EMAIL: "shop@example.com",
        DUBA_PEER_KEY: vendorText,
      });
      try {
        const { port } = service;
        const receiver = await openReceiver();
        t.after(() => receiver.close());
        const endpoint = [
          "events",
          "endpoints",
          "add",
          receiver.url,
          "--account",
          "sandbox@example.com",
          "--mode",
          "test",
        ];
        assert.equal((await ran(endpoint, { environment })).exitCode, 0);
        const metricsPort = Number(/127\.0\.0\.1:(\d+)\/metrics/.exec(service.written())![1]);
        const call = (path: string, options: AskOptions = {}) => ask(port, path, options);
        const postTo =
          (kind: CheckKind) =>
          (body: object | string, options: AskOptions = {}) =>
            call(pathOf(kind), { method: "POST", body, ...options });
        const goodOf = (kind: CheckKind) => ({
          ...{ ...checks[kind].example, phone, [kind]: numbers[kind], amount: "100" },
          ...compared,
        });

        const people: string[] = [];
        const references: string[] = [];
        for (const kind of checkKinds) {
          const headers = { "Idempotency-Key": `${idempotencyKey}-${kind}` };
          const { json } = await postTo(kind)(goodOf(kind), { headers });
          assert.equal(json.success, true);
          references.push(json.data.request_reference);
          const { request_reference: _, personal_info: info, residential_info: home, ...others } = json.data;
          if (info) people.push(info.full_name, info.email, info.date_of_birth, info.formatted_date_of_birth);
          else people.push(...Object.values<string>(others));
          if (home) people.push(home.residential_address);
        }
        const person = [...people.filter(Boolean), ...Object.values(compared)];
        const canaries = [...Object.values(numbers), phone.slice(1), typed, idempotencyKey, vendorText, ...person];

        const failuresOf = (kind: CheckKind) => {
          const post = postTo(kind);
          const good = goodOf(kind);
          const number = numbers[kind];
          return [
            post({ ...good, phone: `${number}0` }),
            post({ ...good, [kind]: Number(number) }),
            post({ ...good, amount: number }),
            post(`{"${kind}":"${number}",`, { headers: { "Content-Type": "application/json" } }),
            post({ [number]: typed, [typed]: phone }),
            post(good, { headers: { "Idempotency-Key": `k-${number}` } }),
            post(good, { headers: { "Consent-Reference": `k-${phone}` } }),
            ...Object.values(compared).map((value) => post(good, { headers: { "Consent-Reference": `k-${value}` } })),
            post({ ...good, amount: "200" }, { headers: { "Idempotency-Key": `${idempotencyKey}-${kind}` } }),
            post(good, { headers: { "Content-Type": `text/${typed}` } }),
            post(good, { credential: number }),
            post(good, { credential: `duba_test_${typed}` }),
            post(good, { headers: { Authorization: `Basic ${Buffer.from(`${number}:${typed}`).toString("base64")}` } }),
          ];
        };
        const failures = await Promise.all([
          ...checkKinds.flatMap(failuresOf),
          ...Object.values(numbers).flatMap((number) => [
            call(`${lookup}?provider=${number}`),
            call(`/${typed}/${number}?bvn=${number}`),
            call(`/api/v2/kyc/verifications/${number}`),
            call(`/api/v2/kyc/verifications?idempotency_key=${number}`),
            call(`${lookup}?%ff${number}`),
            call("/api/v2/merchant/authorization", {
              method: "POST",
              credential: false,
              body: { email: number, password: typed },
            }),
          ]),
          call(`${lookup}?provider=${typed}&provider=${phone}`),
        ]);
        const others = await Promise.all(
          Object.values(numbers).flatMap((number) => {
            const headers = {
              "User-Agent": typed,
              "X-Request-Id": number,
              Referer: `http://x/${number}`,
              traceparent: `00-${typed}-01`,
            };
            return [
              call(lookup, { headers }),
              call("/api/v2/corporate-data/list", { headers: { ...headers, "If-None-Match": typed } }),
              call("/openapi.json", { headers }),
              call("/docs", { headers }),
              call("/docs/errors", { headers }),
            ];
          }),
        );
        for (const kind of checkKinds) await hangUp(port, kind, { ...goodOf(kind), [kind]: "00000000008" });
        const live = (
          await ran(["keys", "create", "--account", "sandbox@example.com", "--mode", "live"], { environment })
        ).out.trim();
        const refused = await Promise.all(checkKinds.map((kind) => postTo(kind)(goodOf(kind), { credential: live })));
        assert.deepEqual(
          refused.map(({ status }) => status),
          checkKinds.map(() => 502),
        );
        for (const answer of [...failures, ...others, ...refused])
          assertAbsent("an answer", answer.bytes, [...Object.values(numbers), vendorText, ...person]);
        for (const answer of failures) assert.equal(answer.json.success, false);

        // Each verification was unknown and now is not, which makes an event about the person whose data the canaries
        // are.
        const store = await openStore({ ...fresh.settings, serving: false });
        for (const reference of references) await journaled(store.db, reference, { told_unknown: 1 }).execute();
        await store.close();
        await until(() => receiver.received.length === references.length);
        const polled = await call("/api/v2/events?after=0&limit=1000");
        for (const reference of references) assert.ok(polled.text.includes(reference));
        assertAbsent("the list of events", polled.text, canaries);
        const logged = await call("/api/v2/requests?limit=1000");
        assert.ok(logged.json.data.length > 0);
        assertAbsent("the request log", logged.text, canaries);
        assertAbsent("the collection", (await call("/postman.json")).text, canaries);
        assertAbsent("the webhooks", JSON.stringify(receiver.received), canaries);

        const { text: measured } = await ask(metricsPort, "/metrics");
        assert.match(measured, /duba_answers_total/);
        assertAbsent("the metrics", measured, canaries);
        const { out: trail } = await ran(["audit", "export"], { environment });
        assertAbsent("the audit trail", trail, canaries);
        const copy = join(dataDirectory, "copy.jsonl");
        assert.equal((await ran(["backup", copy], { environment })).exitCode, 0);
        const copied = readFileSync(copy);
        for (const reference of references) assert.ok(copied.includes(reference));
        assertAbsent("the backup", copied, canaries);

        const [running] = await Promise.all([bytesOf(fresh.settings), service.end("SIGKILL")]);
        assertAbsent("the store", running, canaries);
        assertAbsent("the store after a crash", await bytesOf(fresh.settings), canaries);
        for (const kind of checkKinds) {
          const operation = `verify${kind[0]!.toUpperCase()}${kind.slice(1)}`;
          assert.ok(service.written().includes(`"operation":"${operation}"`), operation);
        }
        assertAbsent("the log", service.written(), canaries);
        assertAbsent("what PostgreSQL heard", heard(), canaries);
      } finally {
        await service.end("SIGKILL");
        vendor.close();
        for (const file of [".keyring", ".keyring.anchor"]) rmSync(`${dataDirectory}${file}`, { force: true });
        await fresh.dispose();
      }
    });
  });
}

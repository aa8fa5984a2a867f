import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { json, LocalVendor, text } from "../src/vendors/local-vendor.fixture.ts";
import { nodeEnvironment } from "./support/process.ts";
import { type AskOptions, startService, type TestService } from "./support/service.ts";

const verifyBvn = "/api/v2/kyc/verify-bvn";
const corporate = "/api/v2/corporate-data/list";
const body = { bvn: "22000000017", phone: "08000000017", amount: "100" };

suite("log lines", () => {
  let vendor: LocalVendor;
  let service: TestService;
  before(async () => {
    vendor = await LocalVendor.start();
    service = await startService({
      DUBA_ACCESS_LOG: "all",
      DUBA_UPSTREAMS: "dojah",
      DUBA_DOJAH_URL: vendor.url,
      DUBA_DOJAH_APP_ID: "app",
      DUBA_DOJAH_KEY: "key",
      DUBA_TRUST_PROXY: "127.0.0.1",
      DUBA_UPSTREAM_BREAKER_FAILURES: "1",
    });
  });
  after(async () => {
    await service.close();
    await vendor.close();
  });

  /** The lines that a request leaves, without their durations, which must be whole milliseconds. */
  async function linesOf(path: string, options: AskOptions = {}) {
    service.lines.length = 0;
    const { status } = await service.ask(path, { ...options, headers: { "X-Request-Id": "r-1", ...options.headers } });
    const lines = service.lines.map(({ level, fields: { ms, ...fields }, message }) => {
      assert.ok(ms === undefined || (Number.isInteger(ms) && Number(ms) >= 0), String(ms));
      return { level, message, hasDuration: ms !== undefined, ...fields };
    });
    return { status, lines };
  }

  async function callerOf(mode: "test" | "live", addresses?: readonly string[]) {
    const key = await service.newKey({ mode, ...(addresses ? { addresses } : {}) });
    const { db } = await service.store();
    const row = db.selectFrom("api_key").select("account_id").where("id", "=", key.id);
    const { account_id: account } = await row.executeTakeFirstOrThrow();
    return { text: key.text, caller: { account, key: key.id, mode } };
  }

  const common = { hasDuration: true, requestId: "r-1" };

  test("a log line has account, key, mode, operation and duration, for answers and refusals", async () => {
    const { text: credential, caller } = await callerOf("live");
    const of = { ...common, ...caller, level: "info" };
    assert.deepEqual((await linesOf(corporate, { credential })).lines, [
      { ...of, message: "answered", status: 200, operation: "listCorporateBundles" },
    ]);
    assert.deepEqual((await linesOf("/api/v2/internet/data/lookup?provider=NOSUCHCODE", { credential })).lines, [
      { ...of, message: "refused", status: 404, operation: "lookupDataBundles", code: "provider_not_found" },
    ]);
  });

  test("a log line of a caller without a key has the address", async () => {
    const headers = { "X-Forwarded-For": "203.0.113.9" };
    const of = { ...common, level: "info", message: "refused", address: "203.0.113.9" };
    assert.deepEqual((await linesOf(verifyBvn, { method: "POST", body, headers, credential: "wrong" })).lines, [
      { ...of, status: 401, code: "invalid_credentials", operation: "verifyBvn" },
    ]);
    assert.deepEqual((await linesOf("/no/such/path", { headers, credential: false })).lines, [
      { ...of, hasDuration: false, status: 404, code: "route_not_found" },
    ]);
  });

  test("a log line names key and refused address, and the caller is told only the address", async () => {
    const { text: credential, caller } = await callerOf("live", ["198.51.100.0/24"]);
    const headers = { "X-Forwarded-For": "203.0.113.9" };
    const of = { ...common, ...caller, level: "info", message: "refused", status: 403, code: "address_not_allowed" };
    assert.deepEqual((await linesOf(corporate, { credential, headers })).lines, [
      { ...of, operation: "listCorporateBundles", address: "203.0.113.9" },
    ]);
    const response = await service.ask(corporate, { credential, headers });
    assert.match(response.text, /203\.0\.113\.9/);
    assert.doesNotMatch(response.text, new RegExp(`${caller.key}|${caller.account}|198\\.51`));
  });

  test("failures of the sandbox are logged as info, with the reference of the verification", async () => {
    const { text: credential, caller } = await callerOf("test");
    for (const [bvn, status, code, reason] of [
      ["00000000005", 503, "upstream_unavailable", "out_of_service"],
      ["00000000006", 504, "upstream_timeout", "unclear"],
      ["00000000007", 502, "upstream_bad_response", "bad_response"],
    ] as const) {
      const { lines } = await linesOf(verifyBvn, { method: "POST", body: { ...body, bvn }, credential });
      const line = lines.at(-1)!;
      assert.match(String((line as Record<string, unknown>).reference), /^\w{15}$/);
      assert.deepEqual(
        { ...line, reference: "" },
        {
          ...{ ...common, ...caller, level: "info", message: "failed", status, code, reason },
          ...{ operation: "verifyBvn", reference: "" },
        },
      );
      assert.deepEqual(
        lines.filter(({ level }) => level !== "info"),
        [],
      );
    }
  });

  test("a failure that a test key provoked is logged as info", async () => {
    const { text: credential } = await callerOf("test");
    const { status, lines } = await linesOf(verifyBvn, {
      method: "POST",
      body: { ...body, bvn: "00000000016" },
      credential,
    });
    assert.equal(status, 500);
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [["info", "failed"]],
    );
  });

  test("lines about a vendor carry the request's id, caller and verification, and the vendor's duration", async () => {
    const { text: credential, caller } = await callerOf("live");
    vendor.behaviour = text(502, "text/html", "<h1>Bad gateway</h1>");
    const { status, lines } = await linesOf(verifyBvn, { method: "POST", body, credential });
    assert.equal(status, 504);
    const { reference } = lines.at(-1) as unknown as { reference: string };
    assert.match(reference, /^\w{15}$/);
    const of = { requestId: "r-1", ...caller, operation: "verifyBvn", reference, vendor: "dojah" };
    for (const line of lines) assert.deepEqual({ ...line, ...of }, line);
    assert.deepEqual(
      lines.map(({ level, message, hasDuration }) => [level, message, hasDuration]),
      [
        ["warn", "A vendor did not answer a request, or Duba could not read its answer", true],
        ["warn", "Duba pauses its calls to an identity vendor, because it failed too often", false],
        ["error", "failed", true],
      ],
    );
    vendor.behaviour = json(500, {});
  });

  test("log lines of a failed verification say what the vendor answered, or that it was unreachable", async () => {
    for (const [reason, behaviour] of [
      ["rate_limited", json(429, {})],
      ["no_money", json(402, {})],
      ["not_reached", undefined],
    ] as const) {
      const other = await LocalVendor.start();
      if (behaviour) other.behaviour = behaviour;
      else await other.close();
      const settings = { DUBA_UPSTREAMS: "dojah", DUBA_DOJAH_APP_ID: "app", DUBA_DOJAH_KEY: "key" };
      await using beside = await startService({ ...settings, DUBA_DOJAH_URL: other.url });
      const { text: credential } = await beside.newKey({ mode: "live" });
      assert.equal((await beside.ask(verifyBvn, { method: "POST", body, credential })).status, 503);
      const { message, fields } = beside.lines.at(-1)!;
      assert.deepEqual([message, fields.reason], ["failed", reason]);
      if (behaviour) await other.close();
    }
  });
});

suite("by default", () => {
  test("by default, a successful look-up writes no log line", async () => {
    await using service = await startService({});
    service.lines.length = 0;
    const { headers } = await service.ask(corporate);
    const again = await service.ask(corporate, { headers: { "If-None-Match": String(headers.etag) } });
    assert.equal(again.status, 304);
    assert.deepEqual(service.lines, []);
  });
});

suite("on a terminal", () => {
  const hasScript = spawnSync("script", ["--version"]).stdout?.toString().includes("util-linux") ?? false;
  const skip = hasScript ? false : "The script command of util-linux, which makes a terminal, is not installed.";

  test("log lines are text on a terminal", { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "duba-terminal-"));
    const env = { ...nodeEnvironment, HOST: "127.0.0.1", PORT: "0", DUBA_DATA: join(folder, "data"), NO_COLOR: "1" };
    const command = `${process.execPath} src/main.ts serve`;
    const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
      env: { ...env, TERM: "xterm" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(child, "close");
    try {
      let shown = "";
      child.stdout.on("data", (chunk) => {
        shown += chunk;
      });
      while (!/ready \{/.test(shown)) await once(child.stdout, "data");
      assert.match(shown, /^\d\d:\d\d:\d\d\.\d{3} INFO {2}ready \{"url":"http:\/\/127\.0\.0\.1:\d+"\}\r?$/m);
      const ctrlC = "\x03";
      child.stdin.write(ctrlC);
      await ended;
      assert.match(shown, /INFO {2}stopped\r?$/m);
    } finally {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { nodeEnvironment } from "./support/process.ts";
import { ask, type ServiceResponse, verifyAt } from "./support/service.ts";
import { noticed } from "./support/until.ts";

const folders: string[] = [];
const running = new Set<ChildProcess>();

/**
 * The path of a new data directory. Its key ring lies next to that directory, in a folder that is removed at the end.
 */
function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "duba-process-"));
  folders.push(folder);
  return join(folder, "data");
}

interface Served {
  child: ChildProcess;
  port: number;
  /** What was written so far. */
  out(): string;
  ended: Promise<{ code: number | null; out: string; err: string }>;
}

function environmentOf(settings: Record<string, string>): Record<string, string> {
  return { ...nodeEnvironment, HOST: "127.0.0.1", PORT: "0", ...settings };
}

function start(settings: Record<string, string>): Omit<Served, "port"> {
  const child = spawn(process.execPath, ["src/main.ts", "serve"], { env: environmentOf(settings) });
  running.add(child);
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    return { code: code as number | null, out, err };
  });
  return { child, out: () => out, ended };
}

const ready = /"url":"http:\/\/127\.0\.0\.1:(\d+)"/;

/** Starts the process and waits until the service is ready and its output contains `sign`. */
async function served(settings: Record<string, string>, sign = /./): Promise<Served> {
  const { child, out, ended } = start(settings);
  await Promise.race([
    ended.then(({ out, err }) => assert.fail(`it ended early: ${out}${err}`)),
    (async () => {
      while (!(ready.test(out()) && sign.test(out()))) await once(child.stdout!, "data");
    })(),
  ]);
  return { child, out, ended, port: Number(ready.exec(out())![1]) };
}

async function stop({ child, ended }: Served): Promise<void> {
  child.kill("SIGTERM");
  assert.equal((await ended).code, 0);
}

const verify = (port: number, bvn: string, credential: string): Promise<ServiceResponse> =>
  verifyAt(port, { bvn, credential, key: `key-${bvn.slice(-3)}` });

/** Resolves once a slow verification has its row, well before the verification ends after 3 s, or 30 s. */
async function started(port: number, bvn = "00000000008"): Promise<void> {
  const path = `/api/v2/kyc/verifications?idempotency_key=key-${bvn.slice(-3)}`;
  const asked = () => ask(port, path, { credential: bootstrap });
  const { json } = await noticed(asked, ({ status }) => status === 200);
  assert.equal(json.data.state, "started");
}

const shownKey = /^ {2}(duba_test_\w+)$/m;
const bootstrap = "a-known-sandbox-key-for-processes";

suite("the process", { concurrency: true }, () => {
  after(async () => {
    for (const child of running) child.kill("SIGKILL");
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  test("only the first start shows a sandbox key, and three requests that work", async () => {
    const settings = { DUBA_DATA: join(freshFolder(), "made", "on", "start") };
    const first = await served(settings, /"amount":"100"\}'\n/);
    const shown = first.out();
    assert.equal(shown.match(new RegExp(shownKey, "gm"))?.length, 1);
    const key = shownKey.exec(shown)![1]!;
    const commands = shown.replaceAll("\\\n", " ").match(/^ {2}curl .*$/gm)!;
    assert.equal(commands.length, 3);
    for (const command of commands) {
      const { stdout, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
      assert.equal(stderr, "");
      assert.equal(JSON.parse(stdout).success, true, `${command}: ${stdout}`);
    }
    const { data } = (await verify(first.port, "22000000201", key)).json;
    await stop(first);

    const second = await served(settings);
    assert.doesNotMatch(second.out(), /duba_test_|curl/);
    const known = await ask(second.port, `/api/v2/kyc/verifications/${data.request_reference}`, { credential: key });
    assert.equal(known.json.data.state, "verified");
    const again = await verify(second.port, "22000000201", key);
    assert.equal(again.headers["idempotency-replayed"], "true");
    assert.equal(JSON.stringify(again.json.data), JSON.stringify(data));
    await stop(second);
    for (const personal of ["22000000201", "8000000017", data.personal_info.last_name, key])
      assert.ok(!`${second.out()}${first.out().replace(shown, "")}`.includes(personal));
  });

  test("a start does not show a configured key, and without the setting shows a new one", async () => {
    const settings = { DUBA_DATA: freshFolder() };
    const service = await served({ ...settings, DUBA_BOOTSTRAP_KEY: bootstrap });
    await stop(service);
    assert.ok(!service.out().includes(bootstrap));
    assert.doesNotMatch(service.out(), /duba_test_/);
    const later = await served(settings, /"amount":"100"\}'\n/);
    const statuses = [bootstrap, shownKey.exec(later.out())![1]!].map(
      async (credential) => (await ask(later.port, "/api/v2/corporate-data/list", { credential })).status,
    );
    assert.deepEqual(await Promise.all(statuses), [401, 200]);
    assert.match(later.out(), /"key":"\w+","msg":"DUBA_BOOTSTRAP_KEY is gone: its key is revoked/);
    await stop(later);
  });

  test("a start warns of a setting that is dangerous when set by mistake", async () => {
    const service = await served({ DUBA_DATA: freshFolder(), DUBA_TRUST_PROXY: "127.0.0.1,104.16.0.0/13" });
    await stop(service);
    assert.match(
      service.out(),
      /"level":40,[^\n]*"setting":"DUBA_TRUST_PROXY","msg":"DUBA_TRUST_PROXY names public networks, 104/,
    );
  });

  test("a start warns of a Node with published security holes", async () => {
    const old = 'Object.defineProperty(process,"versions",{value:{...process.versions,node:"26.12.0"}})';
    const options = `--import=data:text/javascript,${encodeURIComponent(old)}`;
    const service = await served({ DUBA_DATA: freshFolder(), NODE_OPTIONS: options });
    await stop(service);
    const warned = /"level":40,[^\n]*"node":"26\.12\.0","msg":"Node 26\.12\.0, [^\n]* Install Node 26\.12\.1 or newer,/;
    assert.match(service.out(), warned);
  });

  test("a start on a used port fails, and the next successful start shows the first key", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const settings = { DUBA_DATA: freshFolder() };
    const { code, out, err } = await start({ ...settings, PORT: String(port) }).ended;
    taken.close();
    assert.equal(code, 1);
    assertPlain(out, err, 1);
    assert.match(err, new RegExp(`Port ${port} .* is taken`));
    const service = await served(settings);
    await stop(service);
    assert.match(service.out(), shownKey);
  });

  test("SIGTERM lets a verification in flight finish, refuses new work, and ends with 0", async () => {
    const settings = { DUBA_DATA: freshFolder(), DUBA_BOOTSTRAP_KEY: bootstrap };
    const service = await served(settings);
    const { port } = service;
    const slow = verify(port, "00000000008", bootstrap);
    await started(port);
    service.child.kill("SIGTERM");
    while (!/"msg":"stopping"/.test(service.out())) await once(service.child.stdout!, "data");
    const refused = await ask(port, "/api/v2/corporate-data/list", { credential: bootstrap }).then(
      ({ status, json }) => `${status} ${json.error.code}`,
      (error: NodeJS.ErrnoException) => String(error.code),
    );
    // A connection from just before the service closed its port is reset, because its request had not been sent.
    assert.ok(["ECONNREFUSED", "ECONNRESET", "503 shutting_down"].includes(refused), refused);
    const response = await slow;
    assert.equal(response.status, 200, response.text);
    assert.equal(response.json.data.verification_status, "VERIFIED");
    const { code, err } = await service.ended;
    assert.equal(code, 0);
    assert.equal(err, "");
    const next = await served(settings);
    const { data } = (
      await ask(next.port, "/api/v2/kyc/verifications?idempotency_key=key-008", { credential: bootstrap })
    ).json;
    assert.equal(data.state, "verified");
    await stop(next);
  });

  test("a Ctrl-C that both the terminal and npm pass on counts once", async () => {
    const service = await served({ DUBA_DATA: freshFolder(), DUBA_BOOTSTRAP_KEY: bootstrap });
    const slow = verify(service.port, "00000000008", bootstrap);
    await started(service.port);
    service.child.kill("SIGINT");
    while (!/"msg":"stopping"/.test(service.out())) await once(service.child.stdout!, "data");
    service.child.kill("SIGINT");
    assert.equal((await slow).status, 200);
    assert.equal((await service.ended).code, 0);
  });

  test("a second signal ends the process at once", async () => {
    const service = await served({ DUBA_DATA: freshFolder(), DUBA_BOOTSTRAP_KEY: bootstrap });
    const slow = verify(service.port, "00000000018", bootstrap).catch(() => undefined);
    await started(service.port, "00000000018");
    service.child.kill("SIGINT");
    while (!/"msg":"stopping"/.test(service.out())) await once(service.child.stdout!, "data");
    service.child.kill("SIGTERM");
    assert.equal((await service.ended).code, 1);
    assert.equal(await slow, undefined);
  });
});

/** A sentence for people on the error output, and nothing a program would say. */
function assertPlain(out: string, err: string, lines: number): void {
  assert.equal(
    out
      .split("\n")
      .filter((line) => !line.startsWith("{"))
      .join(""),
    "",
  );
  assert.equal(err.trim().split("\n").length, lines, err);
  assert.doesNotMatch(err, /\bat .*:\d+|node:|\.ts\b|Error:/);
}

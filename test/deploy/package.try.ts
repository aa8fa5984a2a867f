import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import manifest from "../../package.json" with { type: "json" };
import { downloads, guides, servedFiles } from "../../src/http/pages/guides.ts";
import { engines } from "../support/engines.ts";
import { type ServedProcess, serveProgram } from "../support/process.ts";
import { ask, sandboxKey } from "../support/service.ts";

/** Runs a program to its end in a folder, and returns its output. */
function run(
  folder: string,
  program: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): string {
  return execFileSync(program, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    encoding: "utf8",
    timeout: 300_000,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

suite("the package", () => {
  let place: string;
  let tarball: string;
  let installed: string;

  before(() => {
    place = mkdtempSync(join(tmpdir(), "duba-package-"));
    const args = ["run", "--silent", "package", "--", "--json", "--pack-destination", place];
    const [packed] = JSON.parse(run(process.cwd(), "npm", args));
    tarball = join(place, packed.filename);
    run(place, "npm", ["init", "--yes"]);
    // Without the Node that the package brings, because the tests have their own.
    run(place, "npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", tarball]);
    installed = join(place, "node_modules/duba");
  });
  after(() => rmSync(place, { recursive: true, force: true }));

  test("the package holds a bundle and the files that it serves, and neither tests nor fixtures", () => {
    const files = run(place, "tar", ["--list", "--gzip", "--file", tarball]).trim().split("\n");
    const served = servedFiles.map((file) => `bundle/${file}`);
    assert.deepEqual(
      files.filter((file) => /\.tsx?$|\.test\.js|fixture|\/test\/|\/bench\//.test(file)).sort(),
      served
        .filter((file) => file.endsWith(".ts"))
        .map((file) => `package/${file}`)
        .sort(),
    );
    for (const file of ["bundle/src/main.js", "bundle/data/starter/data-bundles.json", "bin/duba.js", ...served])
      assert.ok(files.includes(`package/${file}`), file);
  });

  test("the package installs no library, and has the terms of each library in the bundle", () => {
    const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    assert.equal(dependencies, undefined);
    const terms = readFileSync(join(installed, "THIRD-PARTY.txt"), "utf8");
    for (const [name, version] of Object.entries(manifest.dependencies))
      assert.match(terms, new RegExp(`^${name} ${version}$`, "m"));
  });

  for (const { name, node } of [
    { name: "this Node", node: () => process.execPath },
    { name: "Node 26.0", node: oldestNode },
  ])
    test(`the package serves the catalogue, the pages and the sandbox under ${name}`, async () => {
      const settings = {
        DUBA_DATA: mkdtempSync(join(place, "data-")),
        DUBA_BOOTSTRAP_KEY: sandboxKey,
        DUBA_CONSOLE: "127.0.0.1:0",
      };
      const service = await serveProgram(node(), [join(installed, "bin/duba.js"), "serve"], settings);
      try {
        await assertServes(service);
      } finally {
        await service.end("SIGTERM");
      }
    });

  test("the packed duba calls and checks a service, and reads files in a thread", async () => {
    const settings = { DUBA_DATA: mkdtempSync(join(place, "data-")), DUBA_BOOTSTRAP_KEY: sandboxKey };
    const service = await serveProgram(process.execPath, [join(installed, "bin/duba.js"), "serve"], settings);
    try {
      const url = `http://127.0.0.1:${service.port}`;
      const environment = { ...settings, DUBA_URL: url, DUBA_API_KEY: sandboxKey };
      const duba = (...args: string[]) =>
        run(place, process.execPath, [join(installed, "bin/duba.js"), ...args], environment);
      assert.match(duba("--help"), /catalogue/);
      assert.match(duba("call", "lookupDataBundles", "provider=MTNDATA"), /MTNDATA/);
      assert.match(duba("check", url, "--duba"), /points hold\b/);
      const lists = duba("catalogue", "export", "--list", "data-bundles").trimEnd().split("\n");
      writeFileSync(join(place, "data-bundles.csv"), lists.slice(0, -1).join("\n"));
      assert.match(duba("catalogue", "import", "data-bundles.csv", "--dry-run"), /data-bundles/);
    } finally {
      await service.end("SIGTERM");
    }
  });

  test("the package serves with workers on PostgreSQL", async () => {
    const { settings, dispose } = await engines.find(({ name }) => name === "postgres")!.ready();
    const service = await serveProgram(process.execPath, [join(installed, "bin/duba.js"), "serve"], {
      DUBA_DATA: mkdtempSync(join(place, "data-")),
      DUBA_DATABASE_URL: settings.databaseUrl!,
      DUBA_BOOTSTRAP_KEY: sandboxKey,
      DUBA_WORKERS: "2",
    });
    try {
      assert.equal((await ask(service.port, "/api/v2/internet/data/lookup?provider=MTNDATA")).status, 200);
    } finally {
      await service.end("SIGTERM");
      await dispose();
    }
  });

  test("stack traces of the package name files and lines of src/", async () => {
    const broken = join(place, "broken");
    cpSync(join(place, "node_modules"), join(broken, "node_modules"), { recursive: true });
    const [code, problem] = ["contentResponse(request, made)", "contentResponse(request, null)"];
    const bundle = join(broken, "node_modules/duba/bundle");
    const file = globSync(`${bundle}/**/*.js`).find((one) => readFileSync(one, "utf8").includes(code))!;
    writeFileSync(file, readFileSync(file, "utf8").replace(code, problem));
    const settings = { DUBA_DATA: mkdtempSync(join(place, "data-")), DUBA_BOOTSTRAP_KEY: sandboxKey };
    const service = await serveProgram(
      process.execPath,
      [join(broken, "node_modules/duba/bin/duba.js"), "serve"],
      settings,
    );
    try {
      assert.equal((await ask(service.port, "/docs/errors")).status, 500);
    } finally {
      await service.end("SIGTERM");
    }
    const [, source, line] = /duba\/(src\/http\/pages\/index\.ts):(\d+):/.exec(service.written())!;
    assert.ok(readFileSync(source!, "utf8").split("\n")[Number(line) - 1]!.includes(code), service.written());
  });

  test("the package is a command, installed for all and by npx", () => {
    run(place, "npm", [
      "install",
      "--global",
      "--prefix",
      place,
      "--no-audit",
      "--no-fund",
      "--omit=optional",
      tarball,
    ]);
    const { version } = JSON.parse(
      run(installed, process.execPath, ["-p", "JSON.stringify(require('./package.json'))"]),
    );
    const said = new RegExp(`^${RegExp.escape(version)} \\(commit [0-9a-f]{40}, store \\d{4}_\\w+\\)$`);
    assert.match(run(place, join(place, "bin/duba"), ["--version"]).trim(), said);
    assert.match(run(place, "npx", ["--yes", "--package", tarball, "duba", "--version"]).trim(), said);
  });

  /** The oldest Node that runs Duba, from npm. */
  function oldestNode(): string {
    const prefix = join(place, "oldest-node");
    const name = `node-${process.platform}-${process.arch}`;
    run(place, "npm", ["install", "--no-audit", "--no-fund", "--prefix", prefix, `${name}@26.0.0`]);
    return join(prefix, "node_modules", name, "bin/node");
  }
});

async function assertServes({ port, written }: ServedProcess): Promise<void> {
  const bundles = await ask(port, "/api/v2/internet/data/lookup?provider=MTNDATA");
  assert.ok(bundles.json.data.data.length > 0, bundles.text);
  for (const page of ["/docs", "/docs/errors", "/docs/icon.svg", ...Object.keys({ ...guides, ...downloads })])
    assert.equal((await ask(port, page)).status, 200, page);
  const [, operators] = /"url":"([^"]+)","msg":"console"/.exec(written())!;
  for (const page of ["/", "/assets/console.css"]) assert.equal((await fetch(operators + page)).status, 200, page);
  const verified = await ask(port, "/api/v2/kyc/verify-bvn", {
    method: "POST",
    body: { bvn: "22000000017", phone: "08000000017", amount: "100" },
  });
  assert.equal(verified.json.data.verification_status, "VERIFIED", verified.text);
}

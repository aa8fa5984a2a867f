import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { downloads, guides, servedFiles } from "../../src/http/pages/guides.ts";
import { type ServedProcess, serveProgram } from "../support/process.ts";
import { ask, sandboxKey } from "../support/service.ts";

/** Runs a program to its end in a folder, and gives what it wrote. */
function run(folder: string, program: string, args: readonly string[]): string {
  return execFileSync(program, args, {
    cwd: folder,
    encoding: "utf8",
    timeout: 180_000,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

suite("the package", () => {
  let place: string;
  let tarball: string;
  let installed: string;

  before(() => {
    place = mkdtempSync(join(tmpdir(), "duba-package-"));
    const [packed] = JSON.parse(run(process.cwd(), "npm", ["pack", "--json", "--pack-destination", place]));
    tarball = join(place, packed.filename);
    run(place, "npm", ["init", "--yes"]);
    // Without the Node that comes with it: the tests bring theirs.
    run(place, "npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", tarball]);
    installed = join(place, "node_modules/duba");
  });
  after(() => rmSync(place, { recursive: true, force: true }));

  test("holds JavaScript and the files that it serves, and neither tests nor fixtures", () => {
    const files = run(place, "tar", ["--list", "--gzip", "--file", tarball]).trim().split("\n");
    const served = servedFiles.map((file) => `dist/${file}`);
    assert.deepEqual(
      files.filter((file) => /\.tsx?$|\.test\.js|fixture|\/test\/|\/bench\//.test(file)),
      served
        .filter((file) => file.endsWith(".ts"))
        .map((file) => `package/${file}`)
        .sort(),
    );
    for (const file of ["dist/src/main.js", "dist/data/starter/data-bundles.json", "bin/duba.js", ...served])
      assert.ok(files.includes(`package/${file}`), file);
  });

  for (const { name, node } of [
    { name: "this Node", node: () => process.execPath },
    { name: "Node 24", node: oldestNode },
  ])
    test(`serves the catalogue, the pages and the sandbox under ${name}`, async () => {
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

  test("is a command, installed for all and by npx", () => {
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
    assert.equal(run(place, join(place, "bin/duba"), ["--version"]).trim(), version);
    assert.equal(run(place, "npx", ["--yes", "--package", tarball, "duba", "--version"]).trim(), version);
  });

  /** The oldest Node that Duba promises to run on, from npm. */
  function oldestNode(): string {
    const prefix = join(place, "node-24");
    const name = `node-${process.platform}-${process.arch}`;
    run(place, "npm", ["install", "--no-audit", "--no-fund", "--prefix", prefix, `${name}@24`]);
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

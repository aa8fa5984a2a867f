import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { sandboxKey, suiteService } from "../../test/support/service.ts";

/** A new project with the packed client, unpacked into its `node_modules`. */
const project = mkdtempSync(join(tmpdir(), "duba-client-"));
const mostBytes = 32 * 1024;

const importing = `import { Duba } from "duba-client";
`;
const shopping = `
const duba = new Duba({ url: process.env.DUBA_URL ?? "", key: process.env.DUBA_API_KEY });
const bundles = await duba.lookupDataBundles({ provider: "MTNDATA" });
if (bundles.success) console.log(bundles.data.data[0]?.type);
const person = await duba.verifyBvn({ bvn: "22000000017", phone: "08000000017", amount: "100" });
console.log(person.success ? person.data.verification_status : person.error.code);
`;
const shop = importing + shopping;
/** CommonJS awaits in functions only. */
const inFunction = `void (async () => {${shopping}})();\n`;

/** Each Node on this machine: the project's own, and the system's. */
const nodes = [...new Map([process.execPath, "/usr/bin/node", "/usr/local/bin/node"].flatMap(versionOf))];

suite("the packed client", () => {
  const service = suiteService();
  let packed = "";
  before(async () => {
    const client = join(project, "node_modules/duba-client");
    mkdirSync(client, { recursive: true });
    packed = run("npm", ["pack", "--silent", "--pack-destination", project], "client").trim();
    run("tar", ["xzf", join(project, packed), "--strip-components=1", "-C", client], project);
    writeFileSync(join(project, "package.json"), '{ "type": "module" }');
    writeFileSync(join(project, "shop.js"), shop);
    writeFileSync(join(project, "shop.cjs"), `const { Duba } = require("duba-client");\n${inFunction}`);
  });
  after(async () => {
    rmSync(project, { recursive: true, force: true });
  });

  for (const [version, node] of nodes)
    test(`the packed client gets answers in Node ${version}`, async () => {
      for (const script of ["shop.js", "shop.cjs"]) {
        const env = { DUBA_URL: service.url, DUBA_API_KEY: sandboxKey };
        const child = spawn(node, [script], { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] });
        assert.equal(await text(child.stdout), "MTNDATA\nVERIFIED\n", script);
      }
    });

  test("the packed client's types compile in a strict project without Node's types", () => {
    const typed = (source: string) => source.replaceAll(/process\.env\.DUBA_\w+( \?\? "")?/g, '"x"');
    writeFileSync(join(project, "shop.ts"), typed(shop));
    writeFileSync(join(project, "shop.cts"), typed(importing + inFunction));
    const options = { strict: true, noEmit: true, skipLibCheck: false, types: [], exactOptionalPropertyTypes: true };
    // Older TypeScript compilers refuse to require an ES module; the `node16` mode still does.
    for (const module of ["node16", "nodenext", "preserve"]) {
      const compilerOptions = { ...options, module, target: "es2022", lib: ["es2022", "dom"] };
      writeFileSync(
        join(project, "tsconfig.json"),
        JSON.stringify({ compilerOptions, files: ["shop.ts", "shop.cts"] }),
      );
      run(resolve("node_modules/.bin/tsc"), ["-p", "."], project);
    }
  });

  test("the packed client is small, and needs no other package", () => {
    const client = join(project, "node_modules/duba-client");
    const { dependencies, exports } = JSON.parse(readFileSync(join(client, "package.json"), "utf8"));
    assert.equal(dependencies, undefined);
    assert.equal(exports["."].default.default, "./dist/duba.js");
    const scripts = ["duba.js", "call.js", "options.js", "outcome.js"].map((name) =>
      readFileSync(join(client, "dist", name), "utf8"),
    );
    for (const script of scripts) assert.doesNotMatch(script, /from "(?!\.\/)|\bprocess\b|\bBuffer\b/);
    assert.ok(statSync(join(project, packed)).size < mostBytes);
  });
});

function versionOf(node: string): [version: string, node: string][] {
  const { status, stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  const version = stdout?.trim().slice(1);
  return status === 0 && Number.parseInt(version, 10) >= 20 ? [[version, node]] : [];
}

function run(command: string, words: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, encoding: "utf8" });
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout;
}

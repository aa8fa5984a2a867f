import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";

const copy = mkdtempSync(join(tmpdir(), "duba-new-vendor-"));
after(() => rmSync(copy, { recursive: true, force: true }));
const parts =
  "src pages test client check stand-ins data docs package.json openapi.json tsconfig.json biome.json".split(" ");
for (const part of parts)
  cpSync(part, join(copy, part), { recursive: true, filter: (path) => !path.includes("node_modules") });
symlinkSync(join(process.cwd(), "node_modules"), join(copy, "node_modules"));

const ran = (...argv: string[]) => {
  // With NODE_TEST_CONTEXT set, Node's test runner would not run the files in the copy.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  return spawnSync(process.execPath, argv, { cwd: copy, encoding: "utf8", env: environment });
};
const lay = (...names: string[]) => ran("test/new-vendor.ts", ...names);

suite("npm run new:vendor", () => {
  test("a vendor's name is refused if it is taken or cannot be part of a setting's name", () => {
    for (const name of ["", "Okra", "okra2", "a-b", "sandbox", "../x"]) {
      const { status, stderr } = lay(name);
      assert.equal(status, 2, name);
      assert.match(stderr, /NAME is 2 to 20 small letters/);
    }
    assert.match(lay("dojah").stderr, /vendors\/dojah exists/);
  });

  test("the generator's new vendor works, and its tests name what is left to fill in", () => {
    assert.equal(lay("okra").status, 0);
    const files = [
      ...["index.ts", "wire.ts", "okra.test.ts"].map((file) => `src/vendors/okra/${file}`),
      ...["stand-in.ts", "samples/bvn.json", "samples/failures.json"].map((file) => `stand-ins/okra/${file}`),
    ];
    const tables = ["src/vendors/registry.ts", "stand-ins/stand-ins.ts"];
    const format = ["check", "--vcs-enabled=false", "src/vendors/okra", "stand-ins/okra", ...tables];
    execFileSync(join("node_modules", ".bin", "biome"), format, { cwd: copy, stdio: "pipe" });
    const types = { extends: "./tsconfig.json", include: ["src/vendors/okra", "stand-ins/okra"] };
    writeFileSync(join(copy, "okra.tsconfig.json"), JSON.stringify(types));
    execFileSync(join("node_modules", ".bin", "tsc"), ["-p", "okra.tsconfig.json"], { cwd: copy, stdio: "pipe" });
    const { status, stdout } = ran("--test", "--test-reporter=tap", "src/vendors/okra/okra.test.ts");
    assert.equal(status, 1);
    const failed = [...stdout.matchAll(/^not ok \d+ - (.*)$/gm)].map(([, name]) => name);
    assert.deepEqual(failed, ["okra has nothing left to fill in"]);
    for (const file of [...files, "docs/vendors/okra.md"]) assert.ok(stdout.includes(`${file}:`), file);
    const [registry, standIns] = tables.map((file) => readFileSync(join(copy, file), "utf8"));
    assert.match(registry!, /korapay\/index\.ts";\nimport \{ okra \} from "\.\/okra\/index\.ts";\nimport/);
    assert.match(standIns!, / {2}korapay: korapayStandIn,\n {2}okra: okraStandIn,\n {2}prembly/);
    const played = ran("--test", "--test-name-pattern=okra|every vendor", "src/features/stand-in/stand-ins.test.ts");
    assert.equal(played.status, 0, played.stdout);
  });
});

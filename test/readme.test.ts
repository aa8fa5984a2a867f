import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, suite, test } from "node:test";
import { engines } from "./support/engines.ts";
import { assertPrinted, type Block, blocksOf, plain } from "./support/printed-blocks.ts";

/**
 * Runs the README's shell blocks in order, in a copy of this checkout without an install. Compares the output with the
 * block that follows each of them. Later blocks have only the install of the first block.
 */

/** Blocks that are not run, because they run the test suite that contains this test. */
const notRun = new Set(["npm ci && npm test && npm run test:all"]);
const readme = "README.md";
const hasCurl = spawnSync("curl", ["--version"]).status === 0;
const databaseUrl = /postgres:\/\/[^\s'"]+/;

const place = mkdtempSync(join(tmpdir(), "duba-readme-"));
const checkout = join(place, "checkout");
for (const file of execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0"))
  if (file !== "" && existsSync(file)) cpSync(file, join(checkout, file));
let service: Service | undefined;
let starts = 0;

after(async () => {
  await service?.stop();
  rmSync(place, { recursive: true, force: true });
});

suite("README", () => {
  for (const block of blocksOf(readFileSync(readme, "utf8"))) {
    const name = `${readme}:${block.line} ${block.script.split("\n", 1)[0]}`;
    if (notRun.has(block.script)) test(name, { skip: "this test is part of it" });
    else if (block.script.includes("npm start")) test(name, () => start(block));
    else test(name, { skip: needsCurl(block) && !hasCurl && "curl is not installed" }, () => run(block));
  }

  test("the README's service stops on Ctrl-C", async () => {
    const { stop, output } = service!;
    service = undefined;
    await stop();
    assert.match(output(), /"msg":"stopped"/);
  });
});

function needsCurl({ script }: Block): boolean {
  return /\bcurl\b/.test(script);
}

interface Service {
  url: string;
  environment: Record<string, string>;
  output(): string;
  stop(): Promise<void>;
}

/** Starts the service in place of the previous one, in a new data directory, and waits for "ready". */
async function start({ script, printed }: Block): Promise<void> {
  await service?.stop();
  starts += 1;
  const own = {
    TMPDIR: place,
    PORT: "0",
    DUBA_DATA: join(place, `start-${starts}`),
    npm_config_prefer_offline: "true",
  };
  const environment = { ...bare(), ...own };
  const postgres = databaseUrl.test(script)
    ? await engines.find(({ name }) => name === "postgres")!.fresh()
    : undefined;
  const shell = spawn("sh", ["-c", script.replace(databaseUrl, postgres?.settings.databaseUrl ?? "")], {
    ...{ cwd: checkout, env: environment },
    // A process group, so that a signal reaches all of its processes as Ctrl-C would.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { url, output } = await ready(shell);
  const printedKey = /duba_test_\w{20,}/;
  await until(shell, output, () => printedKey.test(output()));
  service = {
    url,
    environment: { ...environment, DUBA_URL: url, DUBA_KEY: printedKey.exec(output())![0] },
    output,
    async stop() {
      const ended = once(shell, "close");
      process.kill(-shell.pid!, "SIGINT");
      await ended;
      await postgres?.dispose();
    },
  };
  if (!printed) return;
  const last = printed.text.trimEnd().split("\n").at(-1)!;
  await until(shell, output, () => output().includes(last));
  const said = output().slice(output().indexOf('{"level"'));
  assert.equal(plain(said.replaceAll(url, "http://127.0.0.1:8080")), plain(printed.text));
}

/** Resolves when the service reports that it is ready. Rejects with the output of a service that ends first. */
async function ready(shell: ChildProcess): Promise<{ url: string; output(): string }> {
  let text = "";
  shell.stderr!.on("data", (chunk) => {
    text += chunk;
  });
  const lines = createInterface({ input: shell.stdout! });
  lines.on("line", (line) => {
    text += `${line}\n`;
  });
  const output = () => text;
  await until(shell, output, () => text.includes('"msg":"ready"'));
  return { url: /"url":"([^"]+)"/.exec(text)![1]!, output };
}

function until(shell: ChildProcess, output: () => string, isSo: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (isSo()) resolve();
    };
    shell.stdout!.on("data", () => setImmediate(look));
    shell.once("close", () => reject(new Error(`The service ended before it was ready:\n${output()}`)));
    look();
  });
}

function run({ script, printed }: Block): void {
  assert.ok(service, "the README starts the service before it calls it");
  const { url, environment } = service;
  const command = script.replaceAll("http://127.0.0.1:8080", url);
  const { status, stdout, stderr } = spawnSync("sh", ["-ec", command], {
    ...{ cwd: checkout, env: environment, encoding: "utf8" },
  });
  assert.equal(status, 0, `${stdout}${stderr}`);
  if (printed) assertPrinted(stdout, printed);
}

/** This process's environment without any setting of the service, because the README's reader has none. */
function bare(): Record<string, string> {
  const own = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !/^(DUBA_|PORT$|HOST$|NODE_TEST_CONTEXT$|NO_COLOR$)/.test(name),
  );
  return { ...(Object.fromEntries(own) as Record<string, string>), NO_COLOR: "1" };
}

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeStore, ran } from "../../test/support/command-line.ts";
import { nodeEnvironment } from "../../test/support/process.ts";
import { families } from "../wire/every-command.ts";
import { everySetting } from "../wire/every-setting.ts";

const folder = mkdtempSync(join(tmpdir(), "duba-cli-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

async function process(...argv: string[]) {
  const child = spawn(globalThis.process.execPath, [main, ...argv], {
    env: { ...nodeEnvironment, DUBA_DATA: join(folder, "store") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { out, err, exitCode };
}

suite("the command line", { concurrency: true }, () => {
  test("--version prints the version, the commit that runs, and the newest migration of the store", async () => {
    const { out } = await ran(["--version"]);
    assert.match(out, /^\d+\.\d+\.\d+ \(commit ([0-9a-f]{40}|unknown), store \d{4}_\w+\)\n$/);
  });

  test("duba without words explains itself", async () => {
    const { exitCode, out } = await ran([]);
    assert.equal(exitCode, 0);
    assert.match(out, /Usage: duba/);
  });

  test("the help of duba puts every command into a group", async () => {
    const { out } = await ran([]);
    const headings = [...out.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading);
    const groups = "Serve, Clients, Verifications and money, Catalogue, Vendors, People and audit, Store";
    assert.deepEqual(headings, ["Options", ...groups.split(", "), "Examples"]);
    assert.doesNotMatch(out, /Manage/);
    for (const { name } of families) assert.match(out, new RegExp(`^  ${name} `, "m"));
  });

  for (const command of [[], ["accounts"], ["call"], ["call", "lookupDataBundles"]]) {
    const path = ["duba", ...command].join(" ");
    test(`the help of ${path} ends with an example of it`, async () => {
      const { exitCode, out, err } = await ran([...command, "--help"]);
      assert.deepEqual({ exitCode, err }, { exitCode: 0, err: "" });
      const [, example = ""] = /\nExamples?:\n([\s\S]*)$/.exec(out) ?? [];
      assert.ok(example.startsWith(`  ${path}`), out);
    });
  }

  test("the help of serve lists every setting with its default", async () => {
    const { out } = await ran(["serve", "--help"]);
    const words = out.replace(/\s+/g, " ");
    for (const { name, about, default: usual } of everySetting) {
      assert.ok(words.includes(`${name} ${about} (`), name);
      assert.ok(words.includes(`default: ${usual || "empty"})`), name);
    }
  });

  for (const [problem, argv, sentence] of [
    ["an unknown command", ["acounts"], /^Unknown command 'acounts'\n\(Did you mean accounts\?\)\n$/],
    ["an unknown option", ["keys", "list", "--acount", "x"], /Did you mean --account[\s\S]*See: duba keys list --help/],
    ["a missing option", ["accounts", "create", "--name", "Shop"], /^--email is required\.\nSee: /],
    [
      "the name of a vendor with two letters swapped",
      ["routes", "pause", "dojha"],
      /, youverify \(did you mean dojah\?\)\.\nSee: /,
    ],
    ["a missing sub-command", ["keys"], /^Usage: duba keys/],
    ["a port that is not a number", ["serve", "--port", "http"], /^--port must be a number from 0 to 65535\./],
    ["a BVN in place of a command", ["22000000017"], /^Unknown command '…'\n/],
  ] as const) {
    test(`${problem} is refused as wrong usage`, async () => {
      const { exitCode, out, err } = await ran(argv);
      assert.deepEqual({ exitCode, out }, { exitCode: 2, out: "" });
      assert.match(err, sentence);
    });
  }

  test("all settings that cannot be used are listed at once", async () => {
    const { exitCode, err } = await ran(["serve"], {
      environment: { PORT: "x", DUBA_LIMITS: "maybe", DUBA_PROT: "1" },
    });
    assert.equal(exitCode, 2);
    assert.equal(
      err,
      "PORT must be a number from 0 to 65535.\nDUBA_LIMITS must be on or off.\n" +
        "DUBA_PROT is not a setting of Duba. Did you mean PORT?\n",
    );
  });

  test("a store file that is no database makes a command fail with one sentence", async () => {
    const data = mkdtempSync(join(folder, "damaged-"));
    writeFileSync(join(data, "duba.db"), "no database".repeat(100));
    const { exitCode, err } = await ran(["accounts", "list", "--data", data]);
    assert.equal(exitCode, 1);
    assert.match(err, /^[^\n]+\.\n$/);
  });

  test("only a screen that can show colours gets colours", async () => {
    assert.ok(!(await ran(["--help"])).out.includes("\u001b"));
    assert.ok((await ran(["--help"], { colours: { out: true, err: false } })).out.includes("\u001b"));
  });
});

suite("the process", { concurrency: true }, () => {
  before(() => makeStore({ dataDirectory: join(folder, "store") }));

  test("a command that answers ends with 0", async () => {
    const { exitCode, out, err } = await process("accounts", "list", "--json");
    assert.deepEqual({ exitCode, err }, { exitCode: 0, err: "" });
    assert.deepEqual(JSON.parse(out), []);
  });

  test("a command that fails ends with 1 and one sentence", async () => {
    const { exitCode, out, err } = await process("keys", "revoke", "missing", "--yes");
    assert.deepEqual({ exitCode, out, err }, { exitCode: 1, out: "", err: 'No key has the public id "missing".\n' });
  });

  test("a command that was written wrongly ends with 2", async () => {
    assert.equal((await process("serve", "--nothing")).exitCode, 2);
  });

  test("a command loads few files, and none with the names of the sandbox's people", async () => {
    const hook = `import { registerHooks } from "node:module";
      let loaded = [];
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
      process.on("exit", () => process.stderr.write(loaded.join("\\n")));`;
    const bounds = { "find nobody": 312, "ledger list": 193, "keys list": 193, "books trend": 214, status: 226 };
    for (const [command, most] of Object.entries(bounds)) {
      const child = spawn(
        globalThis.process.execPath,
        ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, main, ...command.split(" ")],
        { env: { ...nodeEnvironment, DUBA_DATA: join(folder, "store") }, stdio: ["ignore", "ignore", "pipe"] },
      );
      const loaded = (await text(child.stderr)).split("\n").filter((url) => url.startsWith("file:"));
      // Of a feature, only the list of what it adds and its settings are loaded. The rest loads when it is used.
      const own = loaded.filter(
        (url) => url.includes("/src/") && !/\/features\/[^/]+\/(?:index|[\w-]+-settings)\.ts$/.test(url),
      );
      assert.ok(own.length > 100 && own.length <= most, `${command} loads ${own.length} files`);
      assert.deepEqual(
        loaded.filter((url) => url.includes("/data/people/")),
        [],
        command,
      );
    }
  });

  test("a command whose output is a closed pipe does not crash", async () => {
    const child = spawn(globalThis.process.execPath, [main, "serve", "--help"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    const [err, [exitCode]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    assert.deepEqual({ err, exitCode }, { err: "", exitCode: 0 });
  });
});

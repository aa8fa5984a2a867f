import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, suite, test } from "node:test";
import { FaultyProxy } from "./support/faulty-proxy.ts";
import { sandboxKey, suiteService } from "./support/service.ts";

/**
 * Runs the examples of `docs/clients/` as a reader would, through a gateway that loses the response to the
 * verification.
 */

const isHere = (command: string) => spawnSync(command, ["--version"]).status === 0;
const place = mkdtempSync(join(tmpdir(), "duba-examples-"));

suite("the example in", { concurrency: true }, () => {
  const service = suiteService({ DUBA_LIMITS: "off" });
  after(async () => {
    rmSync(place, { recursive: true, force: true });
  });

  example("php", !isHere("php") && "PHP is not installed", (folder, script) => {
    copyFileSync("docs/clients/duba.php", join(folder, "duba.php"));
    writeFileSync(join(folder, "shop.php"), script);
    return ["php", "shop.php"];
  });

  example("python", !isHere("python3") && "Python is not installed", (folder, script) => {
    copyFileSync("docs/clients/duba.py", join(folder, "duba.py"));
    writeFileSync(join(folder, "shop.py"), script);
    return ["python3", "shop.py"];
  });

  example("curl", !isHere("curl") && "curl is not installed", (_, script) => ["sh", "-ec", script]);

  function example(
    name: string,
    skip: string | false,
    prepare: (folder: string, script: string) => [command: string, ...words: string[]],
  ): void {
    test(`the example in ${name}.md prints the documented output, and pays once`, { skip }, async () => {
      const page = readFileSync(`docs/clients/${name}.md`, "utf8");
      const [script = "", printed = ""] = [...page.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, block]) => block!);
      const folder = join(place, name);
      mkdirSync(folder);
      const [command, ...words] = prepare(folder, script);
      await using proxy = await FaultyProxy.open(service.url, ["none", "lost", "502 HTML"]);
      const env = { PATH: process.env.PATH, DUBA_URL: proxy.url, DUBA_API_KEY: sandboxKey };
      const child = spawn(command, words, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
      assert.equal(await text(child.stdout), printed);
      const verifications = proxy.passed.filter(({ key }) => key !== undefined).slice(0, 3);
      assert.equal(verifications.length, 3);
      const [key, ...others] = new Set(verifications.map(({ key }) => key!));
      assert.deepEqual(others, []);
      const { data } = (await service.ask(`/api/v2/kyc/verifications?idempotency_key=${key}`)).json;
      assert.deepEqual([data.charged, data.attempts], [true, 1]);
    });
  }
});

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseEnv } from "node:util";
import { ran } from "../../../test/support/command-line.ts";
import { nodeEnvironment } from "../../../test/support/process.ts";

test("a demonstration agrees with itself, serves its clients, and leaves nothing behind", {
  timeout: 120_000,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "duba-demo-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const argv = ["src/main.ts", "demo", "--verifications", "600"];
  const child = spawn(process.execPath, argv, { env: { ...nodeEnvironment, TMPDIR: folder } });
  t.after(() => child.kill("SIGKILL"));
  const closed = once(child, "close");
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  while (!said.includes("Ctrl-C")) {
    const isOver = await Promise.race([closed.then(() => true), once(child.stdout, "data").then(() => false)]);
    assert.ok(!isOver, said);
  }
  assert.match(said, /all people, businesses and prices are invented/);

  const environment = parseEnv(readFileSync(/set -a; \. (\S+);/.exec(said)![1]!, "utf8"));
  const duba = (...line: string[]) => ran(line, { environment });
  const verified = await duba("audit", "verify", "--json");
  assert.deepEqual([verified.exitCode, JSON.parse(verified.out).whole], [0, true]);
  const reconciled = await duba("audit", "reconcile");
  assert.equal(reconciled.exitCode, 0, reconciled.out);
  assert.match((await duba("books", "rebuild-sums")).out, /^All sums are what the ledger adds up to/);
  const alarms = JSON.parse((await duba("alarms", "list", "--json")).out) as { alarm: string }[];
  assert.deepEqual(
    ["unknown", "held:d4", "paused:youverify"].filter((name) => !alarms.some(({ alarm }) => alarm === name)),
    [],
  );
  const invoice = /Invoice +(\S+)/.exec(said)![1]!;
  const checked = await duba("books", "reconcile", "--vendor", "dojah", invoice, "--json");
  const { differences } = JSON.parse(checked.out) as { differences: { difference: string }[] };
  assert.deepEqual(
    differences.map(({ difference }) => difference),
    ["other_price", "doubled", "only_vendor"],
  );

  const [, url, key] = /curl -s (\S+) -H 'Authorization: Bearer (\S+)'\s.*\s.*\s.*\n\nCtrl-C/.exec(said) ?? [];
  const response = await fetch(url!, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", "Idempotency-Key": "order-1001" },
    body: JSON.stringify({ bvn: "22000000017", phone: "08000000017", amount: "100" }),
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("duba-mode"), "stand-in");

  child.kill("SIGINT");
  assert.deepEqual(await closed, [0, null]);
  assert.deepEqual(readdirSync(folder), []);
});

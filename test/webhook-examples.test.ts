import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { loopback } from "../src/features/events/events.fixture.ts";
import { sendDelivery } from "../src/runtime/network/send-delivery.ts";
import { signedHeaders } from "../src/runtime/network/signature.ts";
import { nodeEnvironment } from "./support/process.ts";
import { until } from "./support/until.ts";

/** Runs the receivers of `docs/events.md`, with a genuine delivery and with forged ones. */

const blocks = new Map(
  [...readFileSync("docs/events.md", "utf8").matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, name, text]) => [
    name!,
    text!,
  ]),
);
// A folder in which the example finds its library in node_modules.
mkdirSync("node_modules/.cache", { recursive: true });
const place = mkdtempSync("node_modules/.cache/webhooks-");
const secret = "whsec_dGhlIHNlY3JldCBvZiBhIHRlc3QsIDMyIGJ5dGVz";
const event = { id: "evt_1", type: "key.revoked", mode: "test", data: { key: "4Zq8mPx0LtV2" } };
const body = JSON.stringify(event);
const signed = (at = Date.now()) => signedHeaders({ id: event.id, body, at }, [`${secret.slice(0, -4)}YWFh`, secret]);

const installed = (command: string) => spawnSync(command, ["--version"], { stdio: "ignore" }).status === 0;

suite("the receiver in docs/events.md", () => {
  after(() => rmSync(place, { recursive: true, force: true }));

  test("the example receiver for Node accepts Duba's deliveries and refuses forged ones", async (t) => {
    const script = join(place, "receiver.mjs");
    writeFileSync(script, blocks.get("js")!);
    const probe = createServer();
    await once(probe.listen(0, "127.0.0.1"), "listening");
    const { port } = probe.address() as AddressInfo;
    probe.close();
    const env = { ...nodeEnvironment, PORT: String(port), DUBA_WEBHOOK_SECRET: secret };
    const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => child.kill());
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    const sent = async (headers: Record<string, string>, text = body) =>
      (
        await sendDelivery(
          { url: `http://127.0.0.1:${port}/`, owner: "acc_shop", body: text, headers, allowsPlain: true },
          { networks: loopback },
        )
      ).outcome;
    await until(async () => (await sent({})) === "400");
    assert.equal(await sent(signed(), body.replace("key.", "kex.")), "400");
    assert.equal(await sent(signed(Date.now() - 600_000)), "400");
    assert.equal(printed, "");
    assert.equal(await sent(signed()), "204");
    await until(() => printed.startsWith("key.revoked"));
  });

  const scripts = {
    php: {
      file: "receiver.php",
      driver: "\necho verified_event(stream_get_contents(STDIN), json_decode($argv[1], true), $argv[2])['type'];\n",
    },
    python: {
      file: "receiver.py",
      driver:
        "\nimport sys\nprint(verified_event(sys.stdin.buffer.read(), json.loads(sys.argv[1]), " +
        "sys.argv[2])['type'], end='')\n",
    },
  };
  for (const [name, { file, driver }] of Object.entries(scripts)) {
    const command = name === "python" ? "python3" : name;
    // A program in another language has a clock that no test can set.
    const isMoved = process.env.DUBA_TEST_CLOCK_AHEAD !== undefined;
    const skip = isMoved || (!installed(command) && `${command} is not installed`);
    test(`the example receiver for ${name} accepts Duba's deliveries and refuses forged ones`, { skip }, () => {
      const script = join(place, file);
      writeFileSync(script, blocks.get(name)! + driver);
      const read = (headers: Record<string, string>, text = body, own = secret) => {
        const { status, stdout } = spawnSync(command, [script, JSON.stringify(headers), own], { input: text });
        return { status, stdout: stdout.toString() };
      };
      assert.deepEqual(read(signed()), { status: 0, stdout: "key.revoked" });
      for (const forged of [
        read(signed(), body.replace("key.", "kex.")),
        read(signed(Date.now() - 600_000)),
        read({ ...signed(), "webhook-id": "evt_2" }),
        // Anybody can sign with an empty secret, which a forgotten setting gives.
        ...["", "whsec_"].map((none) =>
          read(signedHeaders({ id: event.id, body, at: Date.now() }, [none]), body, none),
        ),
      ])
        assert.ok(forged.status !== 0 && !forged.stdout.includes("key.revoked"));
    });
  }
});

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { parseInvoice } from "../src/features/books/invoice.ts";
import { TimeZone } from "../src/runtime/time-zone.ts";
import { ran } from "./support/command-line.ts";
import { freePort } from "./support/free-port.ts";
import { nodeEnvironment } from "./support/process.ts";
import { startService } from "./support/service.ts";
import { noticed, until } from "./support/until.ts";

suite("duba stand-in", () => {
  test("a stand-in answers until a signal, then shows its bill, and never a person's number", async () => {
    const folder = mkdtempSync(join(tmpdir(), "duba-stand-in-"));
    const invoice = join(folder, "invoice.csv");
    const port = await freePort();
    const argv = [
      "src/main.ts",
      "stand-in",
      "prembly",
      "--host",
      "0.0.0.0",
      "--port",
      String(port),
      "--invoice",
      invoice,
    ];
    const child = spawn(process.execPath, argv, {
      env: { ...nodeEnvironment, DUBA_UPSTREAM_PRICES: "prembly.bvn=40" },
    });
    try {
      let written = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk) => {
          written += chunk;
        });
      const said = async (sentence: RegExp) => {
        while (!sentence.test(written)) await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
      };
      await said(/All others: a record/);
      const url = `http://127.0.0.1:${port}`;
      for (const line of [
        "DUBA_STAND_INS=on",
        `DUBA_PREMBLY_URL=${url}`,
        "DUBA_PREMBLY_KEY=any",
        "06  Too many requests",
      ])
        assert.ok(written.includes(line), written);

      const ask = async (number: string, headers: Record<string, string> = { "X-Api-Key": "any" }) => {
        const response = await fetch(`${url}/verification/bvn`, {
          ...{ method: "POST", headers },
          body: JSON.stringify({ number }),
        });
        assert.equal(response.headers.get("Duba-Stand-In"), "prembly");
        return { status: response.status, body: (await response.json()) as Record<string, Record<string, unknown>> };
      };
      const found = await ask("22000004717");
      assert.deepEqual([found.body.response_code, found.body.data!.phoneNumber1], ["00", "08000004717"]);
      assert.equal((await ask("22000000004")).body.response_code, "03");
      assert.equal((await ask("22000004717", {})).status, 401);

      child.kill("SIGTERM");
      const [code] = await once(child, "exit");
      assert.equal(code, 0);
      assert.match(written, /BVN …4717: found, ₦40\nBVN …0004: no money, not billed\nA request had no credentials in /);
      assert.match(written, /found +1 +1 +₦40\.00\nno_money +1 +0 +₦0\.00\nno_credentials +1 +0 +₦0\.00/);
      const lines = readFileSync(invoice, "utf8");
      assert.deepEqual(
        parseInvoice(lines, new TimeZone("UTC")).lines.map(({ reference, last4, price }) => ({
          reference,
          last4,
          price,
        })),
        [{ reference: found.body.verification!.reference, last4: "4717", price: 4000 }],
      );
      for (const text of [written, lines]) assert.doesNotMatch(text, /22000000004|22000004717|08000004717/);
    } finally {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true });
    }
  });

  test("a stand-in of a catalogue source serves lists that only a rehearsal can pull", async (t) => {
    const port = await freePort();
    const child = spawn(process.execPath, ["src/main.ts", "stand-in", "baxi", "--port", String(port)], {
      env: nodeEnvironment,
    });
    t.after(() => child.kill("SIGKILL"));
    let written = "";
    child.stdout.on("data", (chunk) => {
      written += chunk;
    });
    await until(() => written.includes("DUBA_CATALOGUE_SOURCE=baxi"));
    const settings = Object.fromEntries(
      [...written.matchAll(/^ {2}(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    assert.deepEqual(settings, {
      DUBA_STAND_INS: "on",
      DUBA_BAXI_URL: `http://127.0.0.1:${port}/api/baxipay`,
      DUBA_BAXI_KEY: "any",
      DUBA_CATALOGUE_SOURCE: "baxi",
    });

    const service = await startService(settings);
    t.after(() => service.close());
    const lookUp = () => service.ask("/api/v2/cable-tv/fetch-tv-add-ons?type=dstv&productCode=PRWE36");
    await noticed(lookUp, ({ headers }) => "duba-catalogue-as-of" in headers);
    const pull = (isRehearsal: string) =>
      ran(["sources", "pull"], {
        environment: { ...settings, DUBA_DATA: service.settings.dataDirectory, DUBA_STAND_INS: isRehearsal },
      });
    assert.match((await pull("on")).out, /^Nothing changed/);
    const refused = await pull("off");
    assert.equal(refused.exitCode, 1);
    assert.match(refused.err, /Asked for the bouquets of dstv, a stand-in answered\./);

    const live = await startService();
    t.after(() => live.close());
    const environment = { ...settings, DUBA_DATA: live.settings.dataDirectory };
    for (const command of [
      ["sources", "pull"],
      ["catalogue", "map", "propose", "baxi"],
    ]) {
      const { exitCode, err } = await ran(command, { environment });
      assert.equal(exitCode, 2);
      assert.match(err, /DUBA_STAND_INS is on, and this store is no rehearsal/);
    }

    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    assert.equal(code, 0);
    assert.match(written, /\n200 +\d+ +0 +₦0\.00/);
  });

  test("a stand-in that cannot start says why, and what would work", async () => {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as { port: number };
    const sentences = {
      [`--port ${port}`]: `The stand-in cannot listen on 127.0.0.1, port ${port} (EADDRINUSE): choose another --port or --host.\n`,
      "--port 0 --host 203.0.113.7":
        "The stand-in cannot listen on 203.0.113.7, port 0 (EADDRNOTAVAIL): choose another --port or --host.\n",
      "--invoice /nonexistent/i.csv": "The stand-in cannot write /nonexistent/i.csv (ENOENT).\n",
    };
    for (const [options, sentence] of Object.entries(sentences)) {
      const { exitCode, err } = await ran(["stand-in", "prembly", ...options.split(" ")]);
      assert.deepEqual([exitCode, err], [1, sentence]);
    }
    server.close();
    const ofSource = await ran(["stand-in", "ebills", "--invoice", "i.csv"]);
    assert.deepEqual([ofSource.exitCode, ofSource.err], [1, "ebills bills no look-up: leave out --invoice.\n"]);
    assert.match((await ran(["stand-in", "prembly", "--host", "here"])).err, /an IP address or localhost/);
  });
});

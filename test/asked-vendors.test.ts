import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { type Operators, startOperators } from "../src/features/console/operators.fixture.ts";
import { json, LocalVendor } from "../src/vendors/local-vendor.fixture.ts";
import foundFile from "../stand-ins/dojah/samples/found.json" with { type: "json" };
import { ran, terminalActor } from "./support/command-line.ts";
import { usualEngines } from "./support/engines.ts";
import { until } from "./support/until.ts";

const { sample: found } = foundFile;

const account = "operator@example.com";
const person = { number: found.entity.bvn, phone: found.entity.phone_number1 };
const path = "/upstreams/test";
const form = { name: "dojah", ask: "on", kind: "bvn", ...person };

for (const engine of usualEngines)
  suite(`a vendor that an operator asks on ${engine.name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "duba-asked-"));
    let vendor: LocalVendor;
    let operators: Operators;
    let environment: Record<string, string | undefined>;
    const duba = (argv: string[], more: Record<string, string> = {}, stdin = "") =>
      ran(argv, { environment: { ...environment, ...more }, stdin });
    const asked = (more: Record<string, string> = {}, ...options: string[]) =>
      duba(["upstreams", "test", "dojah", "--ask", ...options], more, `${person.number}\n${person.phone}\n`);
    const read = async (...argv: string[]) => {
      const { exitCode, out, err } = await duba([...argv, "--json"]);
      assert.equal(exitCode, 0, err);
      return JSON.parse(out);
    };
    const ledger = async () => (await read("ledger", "list", "--account", account)).verifications;

    before(async () => {
      vendor = await LocalVendor.start();
      vendor.behaviour = json(200, found);
      const own = {
        DUBA_KEYRING: join(folder, "ring"),
        DUBA_UPSTREAMS: "dojah",
        DUBA_DOJAH_URL: vendor.url,
        DUBA_DOJAH_APP_ID: "app",
        DUBA_DOJAH_KEY: "key",
        DUBA_UPSTREAM_PRICES: "dojah.bvn=50",
      };
      operators = await startOperators(engine, { ...own, DUBA_LIMITS: "off" });
      const { dataDirectory, databaseUrl } = operators.service.settings;
      environment = { ...own, DUBA_LIMITS: "off", DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
    });
    after(async () => {
      await operators.service.close();
      await vendor.close();
      rmSync(folder, { recursive: true });
    });

    test("an operator's test call makes a verification for a free account with a low limit", async () => {
      const { exitCode, out, err } = await asked();
      assert.equal(exitCode, 0, err);
      const [, reference] = /^dojah, after \d+ ms: verified\. It works\. Its verification is (\w{15})\.\n$/.exec(out)!;
      assert.equal(vendor.received.length, 1);
      assert.doesNotMatch(out + err, new RegExp(`${person.number}|${person.phone.slice(1)}|${found.entity.last_name}`));

      const [row, ...others] = await ledger();
      assert.deepEqual(others, []);
      assert.deepEqual(
        [row.request_reference, row.mode, row.state, row.fee, row.upstream],
        [reference, "live", "verified", "0", "dojah"],
      );
      const shown = await read("accounts", "show", account);
      assert.deepEqual([shown.bvn_fee, shown.nin_fee, shown.limit_verification], ["0", "0", "20/day"]);
      const [entry] = (await read("audit", "tail", "--kind", "vendor.tested")).entries;
      assert.equal(entry.actor, terminalActor);
      assert.deepEqual([entry.facts.vendor, entry.facts.kind], ["dojah", "bvn"]);
      assert.ok(!JSON.stringify(entry).includes(person.number));
    });

    test("an operator's test call is on the vendor's invoice and in the books", async () => {
      const [{ request_reference, created_at }] = await ledger();
      const invoice = join(folder, "invoice.csv");
      writeFileSync(
        invoice,
        `reference,time,bvn,price\n${request_reference},${created_at},*******${person.number.slice(-4)},50\n`,
      );
      const { agreed, differences } = await read("books", "reconcile", invoice, "--vendor", "dojah");
      assert.deepEqual([agreed.count, differences], [1, []]);
    });

    test("a vendor test needs a passkey, so a stolen cookie is not enough, and calls the vendor once", async () => {
      const before = vendor.received.length;
      const { by, post, deedOf, confirm } = operators;
      const stolen = await post(path, by.officer, form);
      assert.match(stolen.text, /Your passkey must confirm this/);
      assert.equal(vendor.received.length, before);
      assert.match((await deedOf(path, by.officer, form)).json.page, /Dojah bills ₦50\.00 for it/);
      const _form = "f".repeat(32);
      assert.match((await confirm(path, by.operator, { ...form, _form })).text, /verified\. It works\./);
      assert.match((await confirm(path, by.operator, { ...form, _form })).text, /Nothing was done again/);
      assert.equal(vendor.received.length, before + 1);
      assert.equal((await ledger()).length, 2);
    });

    test("a test call can use the vendor's published test number, and gets a row in the ledger", async () => {
      const before = vendor.received.length;
      const { out } = await duba(["upstreams", "test", "dojah"]);
      assert.match(out, /the response was invalid/, "the vendor answers with another person");
      assert.equal(vendor.received.length, before + 1);
      assert.equal((await ledger())[0].state, "failed");
    });

    test("a test call needs a consent if live verifications need one", async () => {
      const before = vendor.received.length;
      const without = await asked({ DUBA_CONSENT: "required" });
      assert.deepEqual([without.exitCode, vendor.received.length], [2, before]);
      assert.match(without.err, /--consent is required/);
      const holds = await asked({ DUBA_CONSENT: "required" }, "--consent", `c-${person.number}`);
      assert.match(holds.err, /--consent must not hold a number of ten or more digits/);
      const given = await asked({ DUBA_CONSENT: "required" }, "--consent", "form-17");
      assert.equal(given.exitCode, 0, given.err);
      const { consent_reference } = await read("ledger", "show", (await ledger())[0].request_reference);
      assert.equal(consent_reference, "form-17");
    });

    test("an account's limit of verifications also limits test calls", async () => {
      const before = (await ledger()).length;
      await duba(["accounts", "change", account, "--limit-verification", `${before + 2}/day`]);
      const calls = vendor.received.length;
      const answers = [];
      for (let round = 0; round < 4; round += 1) answers.push(await asked());
      assert.deepEqual(
        answers.map(({ exitCode }) => exitCode),
        [0, 0, 1, 1],
      );
      assert.match(answers.at(-1)!.err, /may ask for \d verifications, retries included, within a day/);
      assert.equal(vendor.received.length, calls + 2);
    });

    test("a paused vendor can be tested, and a failed outcome is shown as a failure", async () => {
      await duba(["accounts", "change", account, "--limit-verification", "50/day"]);
      vendor.behaviour = json(401, { error: "no" });
      await duba(["routes", "pause", "dojah", "--yes"]);
      const { exitCode, out } = await asked();
      assert.equal(exitCode, 1);
      assert.match(out, /the vendor did not process the call \(bad_credentials\)/);
      await until(async () => (await ledger())[0].state === "failed");
    });
  });

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { inventedPerson } from "../src/checks/invented-person.ts";
import { nairaOf } from "../src/declare/money.ts";
import { vendors } from "../src/vendors/registry.ts";
import { startStandIn } from "../src/vendors/sandbox/start-stand-in.ts";
import { phoneOfNumber, standInNumbers } from "../stand-ins/numbers.ts";
import { standIns } from "../stand-ins/stand-ins.ts";
import { ran } from "./support/command-line.ts";
import { settingsForStandIn, toldOfStandIn } from "./support/rehearsed-vendor.ts";
import { ask, startService } from "./support/service.ts";
import { until } from "./support/until.ts";

const path = "/api/v2/kyc/verify-bvn";
/** The number with Retry-After comes last, because that response pauses the vendor. */
const digits = ["17", ...Object.keys(standInNumbers).filter((each) => each !== "06"), "06"];
const numberOf = (end: string) => `220000047${end}`;
const folder = mkdtempSync(join(tmpdir(), "duba-stand-ins-"));
after(() => rmSync(folder, { recursive: true }));

suite("the whole service in front of a stand-in", { concurrency: true }, () => {
  for (const vendor of vendors.filter(({ name }) => name in standIns)) {
    const { name } = vendor;
    test(`each outcome of ${name} is answered, charged and billed correctly, without personal data in logs`, async () => {
      const invoice = join(folder, `${name}.csv`);
      const prices = { bvn: 4500, "bvn.not_found": 2000, "*.failed": 1000 };
      const standIn = await startStandIn(vendor, { port: 0, prices, invoice });
      const environment: Record<string, string> = {
        ...settingsForStandIn(vendor, standIn.url, prices),
        DUBA_LIMITS: "off",
        DUBA_METRICS: "127.0.0.1:0",
        // Long enough for a photo of 3 MB on a busy machine.
        DUBA_UPSTREAM_TIMEOUT: "12s",
        // The failures of one number must not open the breaker for the next number.
        DUBA_UPSTREAM_BREAKER_FAILURES: "1000",
      };
      const service = await startService(environment, undefined, { fixed: { upstream: { alarmPause: 1 } } });
      try {
        const { text: credential } = await service.newKey({ mode: "live" });
        const told: Record<string, string> = {};
        const given: string[] = [];
        for (const end of digits) {
          const bvn = numberOf(end);
          const body = { bvn, phone: `0${phoneOfNumber(bvn)}`, amount: "100" };
          const { status, json, headers } = await service.ask(path, { method: "POST", body, credential });
          assert.equal(headers["duba-mode"], "stand-in");
          if (status === 200) given.push(json.data.request_reference);
          told[end] = status === 200 ? "200" : `${status} ${json.error.code}`;
        }
        const wanted = digits.map((end) => [end, toldOfStandIn(name, "bvn", numberOf(end))]);
        assert.deepEqual(told, Object.fromEntries(wanted));

        const { db } = await service.store();
        const rows = await db.selectFrom("verification").select(["reference", "charged"]).execute();
        assert.equal(rows.length, digits.length);
        assert.deepEqual(
          rows
            .filter(({ charged }) => charged)
            .map(({ reference }) => reference)
            .sort(),
          given.sort(),
        );
        const attempts = await db.selectFrom("verification_attempt").select("reference").execute();
        assert.deepEqual(
          attempts.map(({ reference }) => reference).sort(),
          rows.map(({ reference }) => reference).sort(),
        );

        const store = { ...environment, DUBA_DATA: service.settings.dataDirectory };
        const duba = async (...argv: string[]) =>
          JSON.parse((await ran([...argv, "--json"], { environment: store })).out);
        const billed = standIn.calls.filter(({ price }) => price !== null);
        const cost = nairaOf(billed.reduce((sum, { price }) => sum + price!, 0));
        assert.equal(standIn.calls.length, digits.length);
        const books = async () => (await duba("books", "summary", "--by", "vendor")).groups;
        await until(async () => (await books())[0]?.attempts === digits.length);
        const [group, ...others] = await books();
        assert.deepEqual([group.group, group.unpriced, group.cost, others], [name, 0, cost, []]);
        const { agreed, differences } = await duba("books", "reconcile", invoice, "--vendor", name);
        assert.deepEqual([agreed.count, agreed.vendor, differences], [billed.length, cost, []]);
        const heading = "reference,time,last4,price";
        const lines = readFileSync(invoice, "utf8").trim().split("\n").slice(1);
        const lineOf = (last4: string) => lines.find((line) => line.split(",")[2] === last4)!;
        const changed = [
          ...lines.filter((line) => ![lineOf("4717"), lineOf("4709")].includes(line)),
          lineOf("4717").replace(/[^,]+$/, "99"),
          lineOf("4702"),
          `foreign,${new Date().toISOString()},9999,45`,
        ];
        writeFileSync(invoice, [heading, ...changed].join("\n"));
        const found: Record<string, string>[] = (await duba("books", "reconcile", invoice, "--vendor", name))
          .differences;
        assert.deepEqual(
          found.map(({ difference, digits, vendor_price }) => [difference, digits!.slice(-4), vendor_price]),
          [
            ["other_price", "4717", "99"],
            ["doubled", "4702", "45"],
            ["only_vendor", "9999", "45"],
            ["only_here", "4709", null],
          ],
        );

        const metricsPort = await service.metrics!.listen();
        const written = {
          log: JSON.stringify(service.lines),
          events: (await service.ask("/api/v2/events?after=0", { credential })).text,
          metrics: (await ask(metricsPort, "/metrics")).text,
          trail: (await ran(["audit", "export"], { environment: store })).out,
        };
        assert.match(written.metrics, /duba_answers_total/);
        const people = digits.map((end) => inventedPerson("bvn", numberOf(end), phoneOfNumber(numberOf(end))));
        const canaries = people.flatMap(({ bvn_number: bvn, personal_info: { full_name, phone_number } }) => [
          ...[bvn, full_name, phone_number.slice(1)],
        ]);
        for (const [where, text] of Object.entries(written))
          for (const canary of canaries) assert.ok(!text.includes(canary), `${where} holds ${canary}`);
      } finally {
        await standIn.close();
        await service.close();
      }
    });
  }
});

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { ran } from "../../../../test/support/command-line.ts";
import { append } from "../../../audit/append.ts";
import { followJournal } from "../../../ledger/journal/follow-journal.ts";
import { TimeZone } from "../../../runtime/time-zone.ts";
import type { IdentityOutcome } from "../../../vendors/ports/identity-upstream.ts";
import { negative, unavailable, unknown } from "../../../vendors/ports/outcomes.ts";
import { engines, newRequest, suiteStore } from "../../../verification/identity.fixture.ts";
import { attemptsOf } from "../../../verification/ledger.fixture.ts";
import { answering, verified } from "../../../verification/played-upstream.fixture.ts";

const zone = new TimeZone("Africa/Lagos");
const day = 86_400_000;
const prices = { bvn: 4_500, "bvn.not_found": 2_011 };
const dearer = "bvn=57.77,bvn.not_found=25,*.failed=3";

interface Entry {
  facts: Record<"prices" | "attempts" | "before" | "after", unknown>;
}

for (const engine of engines)
  suite(`the bill of an attempt on ${engine.name}`, () => {
    const store = suiteStore(engine);
    /** Each test gets a day of its own. */
    let at = Date.now() - day;
    const period = () => ["--from", zone.dayOf(at), "--to", zone.dayOf(at)];
    const follow = () => followJournal({ db: store.db, audit: append, zone });

    /** Runs a command line with these prices in the settings. */
    const duba = async (price: string, ...line: string[]) => {
      const { dataDirectory, databaseUrl } = store.settings;
      const prices = price.replace(/(^|,)(?=.)/g, "$1dojah.");
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl, DUBA_UPSTREAM_PRICES: prices };
      return ran(line, { environment });
    };
    /** Returns the vendor's figures of the day, and the exit code of `duba audit reconcile`. */
    const booksWith = async (price: string) => {
      const summary = await duba(price, "books", "summary", "--by", "vendor", ...period(), "--json");
      const [{ attempts, cost, cost_unknown }] = JSON.parse(summary.out).groups;
      return [attempts, cost, cost_unknown, (await duba(price, "audit", "reconcile")).exitCode];
    };
    const priced = (...given: string[]) => duba("", "books", "price", ...given, "--vendor", "dojah", ...period());

    /** Verifies once per outcome, on a day before today. */
    const asked = async (t: TestContext, ...outcomes: (IdentityOutcome | typeof verified)[]) => {
      at -= day;
      const { upstream } = answering(async (attempt, nth) => {
        const outcome = outcomes[nth - 1]!;
        return typeof outcome === "function" ? outcome(attempt) : outcome;
      });
      const vendor = { ...upstream, name: "dojah" };
      const identity = await store.open(t, {
        upstreams: { test: upstream, live: [vendor] },
        now: () => at,
        audit: append,
        settings: { limits: null, vendorPrices: { dojah: prices } },
      });
      const { accountId } = newRequest();
      for (const _ of outcomes) await identity.verify(newRequest({ accountId, mode: "live" })).catch(() => {});
      await follow();
      return () => attemptsOf(store.db, { accountId });
    };

    test("the bill of an attempt keeps the prices of its time, whatever the settings say later", async (t) => {
      const ended = [negative("not_found"), verified, unavailable("no_money"), unknown];
      const attempts = await asked(t, ...ended, { ...negative("phone_mismatch"), billed: "unknown" });
      const bills = (await attempts()).map(({ bill, bill_certain }) => (bill_certain === 1 ? bill : `perhaps ${bill}`));
      assert.deepEqual(bills.map(String).sort(), ["0", "2011", "4500", "perhaps 4500", "perhaps 4500"]);
      const books = [5, "155.11", "90", 0];
      assert.deepEqual(await booksWith("bvn=45,bvn.not_found=20.11"), books);
      assert.deepEqual(await booksWith(dearer), books);
      const invoice = join(store.settings.dataDirectory, "invoice.csv");
      const lines = (await attempts()).flatMap(({ reference, bill }) =>
        bill === 0 ? [] : [`${reference},${bill! / 100}`],
      );
      writeFileSync(invoice, `reference,amount\n${lines.join("\n")}\n`);
      const checked = ["books", "reconcile", invoice, "--vendor", "dojah", "--month", zone.monthOf(at)];
      assert.equal((await duba(dearer, ...checked)).exitCode, 0);
      assert.match((await duba(dearer, "books", "rebuild-sums")).out, /^All sums are what the ledger adds up to/);

      const open = (await attempts()).find(({ outcome }) => outcome === "unknown")!;
      const reason = ["--reason", "The vendor says so", "--yes"];
      const settled = await duba(dearer, "ledger", "settle", open.reference, "--outcome", "not_found", ...reason);
      assert.equal(settled.exitCode, 0, settled.err);
      await follow();
      assert.deepEqual(await booksWith(dearer), [5, "135.11", "45", 0], "it ended under the new prices");
      assert.deepEqual(await booksWith(""), [5, "135.11", "45", 0]);
    });

    test("books price corrects the bill of an attempt by the prices of its day, with an audit entry", async (t) => {
      await asked(t, negative("not_found"), verified, unknown, unavailable("no_money"));
      assert.deepEqual(await booksWith(dearer), [4, "110.11", "45", 0]);
      const corrected = await priced("bvn=50,bvn.not_found=21.5,*.failed=1");
      assert.match(
        corrected.out,
        /^4 of 4 attempts at dojah .* have another bill now: ₦122\.50 in all, before ₦110\.11\.$/m,
        corrected.err,
      );
      assert.deepEqual(await booksWith(dearer), [4, "122.5", "50", 0]);
      const again = await priced("bvn=50,bvn.not_found=21.5,*.failed=1");
      assert.match(again.out, /^0 of 4 attempts/);
      assert.match((await priced("bvn.not_found=5")).err, /Give the price of a kind of number/);
      const { entries } = JSON.parse((await duba("", "audit", "tail", "--kind", "books.priced", "--json")).out);
      assert.deepEqual(
        entries.map(({ facts: { prices, attempts, before, after } }: Entry) => [prices, attempts, before, after]),
        [
          ["bvn=50,bvn.not_found=21.5,*.failed=1", 4, "110.11", "122.5"],
          ["bvn=50,bvn.not_found=21.5,*.failed=1", 0, "122.5", "122.5"],
        ],
      );
    });
  });

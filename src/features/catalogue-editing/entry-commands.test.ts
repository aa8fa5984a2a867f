import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type CatalogueTerminal, openTerminal } from "../../../test/support/catalogue-terminal.ts";
import { terminalActor } from "../../../test/support/command-line.ts";
import { usualEngines } from "../../../test/support/engines.ts";

for (const engine of usualEngines)
  suite(`duba catalogue entries and edit on ${engine.name}`, () => {
    let terminal: CatalogueTerminal;
    before(async () => {
      terminal = await openTerminal(engine);
    });
    after(() => terminal.close());

    test("cost and availability can be set by hand or file, and the list of entries filtered by either", async () => {
      const entries = async (...options: string[]) =>
        JSON.parse((await terminal.duba("catalogue", "entries", ...options, "--json")).out) as Record<
          string,
          unknown
        >[];
      const [first] = await entries("--search", "50mb 24hrs", "--provider", "mtndata");
      assert.deepEqual([first!.code, first!.cost, first!.available, first!.since], ["MTNDATA 104", null, "yes", null]);
      const { out } = await terminal.duba(
        "catalogue",
        "edit",
        "MTNDATA",
        "104",
        "--cost",
        "91.50",
        "--available",
        "no",
      );
      assert.match(out, /MTNDATA 104 +modified +cost: not known → "91.5", available: not known → "no"\n/);
      const [gone, ...others] = await entries("--available", "no");
      assert.deepEqual(others, []);
      assert.deepEqual([gone!.code, gone!.cost, gone!.told_by], ["MTNDATA 104", "91.5", terminalActor]);
      assert.ok(Math.abs(Date.parse(String(gone!.since)) - Date.now()) < 600_000);

      // The export has the columns now, so its import states the known facts again.
      const { out: exported } = await terminal.duba("catalogue", "export", "--list", "data-bundles");
      const file = terminal.write("data-bundles.csv", exported);
      assert.match((await terminal.duba("catalogue", "import", file)).out, /^Nothing changed/);
      const told = terminal.read("data-bundles.csv").replace(",91.5,no", ",92,yes");
      assert.equal((await terminal.duba("catalogue", "import", terminal.write("data-bundles.csv", told))).exitCode, 0);
      const without = terminal
        .read("data-bundles.csv")
        .replace(/,cost,available\r?\n/, "\n")
        .replace(/,(92|),(yes|no|)$/gm, "");
      assert.match(
        (await terminal.duba("catalogue", "import", terminal.write("data-bundles.csv", without))).out,
        /^Nothing changed/,
      );
      const wrong = terminal.write("data-bundles.csv", told.replace(",92,yes", ",0,maybe"));
      const refused = (await terminal.duba("catalogue", "import", wrong)).err;
      assert.match(refused, /cost is 0: leave it empty[\s\S]*available must be yes, no or empty/);

      const held = await terminal.duba("catalogue", "edit", "MTNDATA", "104", "--price", "91.99");
      assert.match(held.err, /MTNDATA 104: the price is ₦91\.99, below its cost of ₦92\./);
      await terminal.duba("catalogue", "reject", /approve (d\d+)/.exec(held.err)![1]!);
      assert.deepEqual(
        (await entries("--min", "95", "--max", "100", "--provider", "MTNDATA")).map(({ list, price }) => [list, price]),
        [["data-bundles", "100"]],
      );
      assert.deepEqual((await entries("--search", "HDPVR")).map(({ list }) => list).slice(-1), ["cable-add-ons"]);
      assert.match((await terminal.duba("catalogue", "entries", "--provider", "NONE")).err, /no provider NONE\./);
      assert.equal((await terminal.duba("catalogue", "edit", "MTNDATA", "104", "--cost", "unknown")).exitCode, 0);
      assert.equal((await entries("--search", "50mb 24hrs", "--provider", "MTNDATA"))[0]!.cost, null);
    });

    test("change-prices previews, then changes the chosen prices in one revision or waits for approval", async () => {
      const entries = async (...options: string[]) =>
        JSON.parse((await terminal.duba("catalogue", "entries", ...options, "--json")).out) as Record<string, string>[];
      const change = (...options: string[]) => terminal.duba("catalogue", "change-prices", ...options);
      const chosen = ["--provider", "MTNDATA", "--max", "3000"];
      const pricesOf = (rows: Record<string, string>[]) => new Map(rows.map(({ code, price }) => [code!, price!]));
      const [before, all] = [await entries(...chosen), pricesOf(await entries("--min", "0"))];
      assert.ok(before.length > 5 && before.length < all.size, `${before.length} of ${all.size}`);

      const shown = await change("--by", "3%", ...chosen, "--round", "5", "--dry-run");
      assert.match(shown.out, new RegExp(`^${before.length} entries changed\\.$`, "m"));
      assert.match(shown.out, /^data-bundles +MTNDATA 104 +₦100\.00 +₦105\.00 +\+5 % +price$/m);
      assert.match(shown.err, /this was a dry run/);
      assert.deepEqual(pricesOf(await entries("--min", "0")), all);

      const made = await change("--by", "3%", ...chosen, "--round", "5");
      assert.match(made.out, new RegExp(`Revision \\d+ is published: ${before.length} entries changed\\.`));
      const kobo = (naira: string) => Math.round(Number(naira) * 100);
      const codes = new Set(before.map(({ code }) => code));
      for (const [code, price] of pricesOf(await entries("--min", "0"))) {
        const [old, now] = [kobo(all.get(code)!), kobo(price)];
        assert.equal(now, codes.has(code) ? Math.ceil((old * 1.03) / 500 - 1e-9) * 500 : old, code);
      }
      assert.match((await terminal.duba("catalogue", "history", "--limit", "1")).out, /Prices \+3 % to the next 5/);

      assert.equal((await change("--by=-5.50", "--search", "50mb 24hrs", "--provider", "mtndata")).exitCode, 0);
      assert.equal((await entries("--search", "50mb 24hrs", "--provider", "mtndata"))[0]!.price, "99.5");
      await terminal.duba("catalogue", "edit", "MTNDATA", "104", "--cost", "97");
      const held = await change("--by=-3%", "--search", "50mb 24hrs", "--provider", "mtndata");
      assert.match(held.err, /MTNDATA 104: the price is ₦96\.52, below its cost of ₦97\./);
      assert.equal(held.exitCode, 1);
      const later = await change("--by", "1", ...chosen, "--holds-from", "2099-01-01T00:00Z");
      assert.match(later.out, /Scheduled as d\d+: \d+ entries changed/);

      for (const [options, code, expected] of [
        [["--by", "3%"], 2, /^Choose entries/],
        [["--by", "3%", "--search", "no such thing"], 1, /^No entry that has a price fits/],
        [["--by", "3%", "--list", "data-providers"], 1, /^No entry that has a price fits/],
        [["--by=-99.50", "--max", "200", "--provider", "MTNDATA"], 1, /costs ₦[\d.]+: nothing would be left/],
        [["--by=-100%", "--max", "200"], 2, /^--by must be a margin/],
      ] as const) {
        const refused = await change(...options);
        assert.deepEqual([refused.exitCode, refused.out], [code, ""], options.join(" "));
        assert.match(refused.err, expected);
      }
    });
  });

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

    test("tells what an entry costs and whether it is to be had, by hand and by file, and finds entries by it", async () => {
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

      // The export has the columns now, and so tells the same again.
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
      assert.match(held.err, /MTNDATA 104: the price is 91\.99, below its cost of 92\./);
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
  });

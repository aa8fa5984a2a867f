import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type CatalogueTerminal, deskOn, openTerminal } from "../../../test/support/catalogue-terminal.ts";
import { ran } from "../../../test/support/command-line.ts";
import { engines, usualEngines } from "../../../test/support/engines.ts";
import { startService } from "../../../test/support/service.ts";
import { until } from "../../../test/support/until.ts";

/** Replaces the text `from`, which must occur, with the text `to`. */
function edited(text: string, from: string, to: string): string {
  assert.ok(text.includes(from), from);
  return text.replace(from, to);
}

for (const engine of usualEngines)
  suite(`duba catalogue import and export on ${engine.name}`, () => {
    let terminal: CatalogueTerminal;
    before(async () => {
      terminal = await openTerminal(engine);
    });
    after(() => terminal.close());

    test("importing an older file keeps later changes, and names members changed on both sides", async () => {
      const { revision } = JSON.parse((await terminal.duba("catalogue", "history", "--json")).out).revisions[0];
      const since = String(revision);
      const text = (await terminal.duba("catalogue", "export", "--list", "data-bundles")).out;
      const changed = edited(text, "MTNDATA,104,50MB 24Hrs,100,100,", "MTNDATA,104,Fifty,100,110,");
      const file = terminal.write(
        "data-bundles.csv",
        edited(changed, "MTNDATA,113,150MB 24Hrs,200,200,", "MTNDATA,113,Many,200,200,"),
      );
      await terminal.duba("catalogue", "edit", "MTNDATA", "104", "--price", "120");
      await terminal.duba("catalogue", "edit", "MTNDATA", "113", "--price", "190");

      const argv = ["catalogue", "import", file, "--since", since];
      const dry = await terminal.duba(...argv, "--dry-run");
      const conflict =
        "Not changed: data-bundles MTNDATA 104 was changed on both sides: price is 110 in the file and 120 now.\n";
      assert.ok(dry.err.includes(conflict), dry.err);
      const { exitCode, out, err } = await terminal.duba(...argv);
      assert.deepEqual([exitCode, err], [1, conflict]);
      assert.match(out, /MTNDATA 104 +modified +description: "50MB 24Hrs" → "Fifty"\n/);
      assert.match(out, /MTNDATA 113 +modified +description: "150MB 24Hrs" → "Many"\n/);
      const now = (await terminal.duba("catalogue", "export", "--list", "data-bundles")).out;
      assert.match(now, /\nMTNDATA,104,Fifty,100,120,.*\nMTNDATA,113,Many,200,190,/);
      const again = await terminal.duba(...argv);
      assert.match(again.out, /^Nothing changed: /);
      for (const bad of ["0", "latest"]) {
        const refused = await terminal.duba("catalogue", "import", file, "--since", bad);
        assert.equal(refused.exitCode, 2);
        assert.match(refused.err, /^--since must be a number such as 7/);
      }
      assert.match(
        (await terminal.duba("catalogue", "import", file, "--since", "999")).err,
        /^There is no revision 999/,
      );
      await terminal.duba("catalogue", "import", terminal.write("data-bundles.csv", text));
    });

    test("texts that only look alike are shown with invisible characters escaped", async () => {
      const { revision } = JSON.parse((await terminal.duba("catalogue", "history", "--json")).out).revisions[0];
      const text = (await terminal.duba("catalogue", "export", "--list", "data-bundles")).out;
      const other = terminal.write("data-bundles.csv", edited(text, "104,50MB 24Hrs", "104,50MB\u00a024Hrs"));
      const dry = await terminal.duba("catalogue", "import", other, "--dry-run");
      assert.match(dry.out, /description: "50MB 24Hrs" → "50MB\\u00a024Hrs"/);
      assert.match((await terminal.duba("catalogue", "import", other)).out, /→ "50MB\\u00a024Hrs"/);
      const third = terminal.write("data-bundles.csv", edited(text, "104,50MB 24Hrs", "104,50MB\u200b 24Hrs"));
      const { err } = await terminal.duba("catalogue", "import", third, "--since", String(revision));
      assert.match(err, /description is 50MB\\u200b 24Hrs in the file and 50MB\\u00a024Hrs now/);
      await terminal.duba("catalogue", "import", terminal.write("data-bundles.csv", text));
    });

    for (const [problem, argv, sentence] of [
      ["a file of another kind", ["import", "prices.xlsx"], /must end in \.csv or \.json/],
      [
        "a CSV file that is not named after a list",
        ["import", "monday.csv"],
        /does not have the name of a list\. Choose the list: one of data-providers,/,
      ],
      ["an unknown list", ["import", "a.csv", "--list", "bundles"], /^--list must be one of data-providers,/],
      [
        "a day for a time",
        ["import", "a.csv", "--holds-from", "2099-01-01"],
        /^--holds-from must be a later time, such as 2027-02-01T00:00 or /,
      ],
      [
        "a time that is past",
        ["import", "a.csv", "--holds-from", "2020-01-01T00:00Z"],
        /^--holds-from must be a later time/,
      ],
      [
        "two files of a named list",
        ["import", "a.csv", "b.csv", "--list", "data-bundles"],
        /You can name the list of one file only/,
      ],
      ["CSV of everything in one file", ["export", "--format", "csv"], /^A CSV file contains one list/],
      ["a revision that is not a number", ["show", "latest"], /^<revision> must be a number such as 7/],
      ["a draft without a d before its number", ["approve", "7"], /^<draft> must be a draft such as d7/],
    ] as const)
      test(`duba catalogue refuses ${problem} as wrong usage`, async () => {
        const { exitCode, out, err } = await terminal.duba("catalogue", ...argv);
        assert.deepEqual([exitCode, out], [2, ""]);
        assert.match(err, sentence);
      });

    for (const [problem, argv, sentence] of [
      ["a file that is not there", ["import", "data-bundles.csv"], /^There is no file data-bundles\.csv\.\n$/],
      ["an unknown revision", ["show", "999"], /^There is no revision 999\.\nAll are in: duba catalogue history\n$/],
      ["an unknown draft", ["approve", "d999"], /^There is no draft d999\.\n/],
      [
        "a place that cannot be written",
        ["export", "--out", "/proc/none/a.json"],
        /^Duba cannot write the file \/proc\/none\/a\.json/,
      ],
    ] as const)
      test(`duba catalogue fails with a sentence at ${problem}`, async () => {
        const { exitCode, out, err } = await terminal.duba("catalogue", ...argv);
        assert.deepEqual([exitCode, out], [1, ""]);
        assert.match(err, sentence);
      });

    test("3,000 new rows are published at once, and an import that removes them waits for approval", async () => {
      const rows = Array.from({ length: 3_000 }, (_, n) => `many${n},Many ${n}`).join("\n");
      const { out } = await terminal.duba("catalogue", "export", "--list", "corporate-bundles");
      const file = terminal.write("corporate-bundles.csv", `${out}${rows}\n`);
      assert.match((await terminal.duba("catalogue", "import", file)).out, /is published: 3000 entries added\.\n$/);
      const back = await terminal.duba("catalogue", "import", terminal.write("corporate-bundles.csv", out));
      assert.match(back.err, /^This change waits for approval as d\d+\. Duba does not serve it yet:\n {2}3000 of /);
      assert.match(back.err, /3000 of 3022 entries of corporate-bundles are removed: 99\.3 %, above 30 %\.\n/);
    });

    test("catalogue show shortens a long difference on a terminal, unless --all is given", async () => {
      const diff = async (isTerminal: boolean, ...options: string[]) => {
        const argv = ["catalogue", "show", "--since", "1", ...options];
        return (await ran(argv, { environment: terminal.environment, isTerminal })).out;
      };
      assert.match(await diff(true), /… and \d+ more: --all shows them\.\n/);
      for (const whole of [await diff(true, "--all"), await diff(false)]) assert.ok(whole.split("\n").length > 3_000);
    });
  });

for (const engine of usualEngines)
  suite(`duba catalogue beside a process that serves, on ${engine.name}`, () => {
    test("seconds after an import, callers get the new price, and an account with a margin its own price", async () => {
      const service = await startService({ DUBA_LIMITS: "off" }, engine);
      const terminal = deskOn(service.settings);
      try {
        const key = await service.newKey();
        const { out } = await terminal.duba("catalogue", "export", "--list", "data-bundles");
        const file = terminal.write("data-bundles.csv", edited(out, "50MB 24Hrs,100,100,", "50MB 24Hrs,120,120,"));
        assert.equal((await terminal.duba("catalogue", "import", file)).exitCode, 0);
        const set = await terminal.duba("prices", "set", "sandbox@example.com", "MTNDATA", "--margin=-10%");
        assert.equal(set.exitCode, 0, set.err);
        const path = "/api/v2/internet/data/lookup?provider=MTNDATA";
        const price = async (credential: string | false) =>
          (await service.ask(path, { credential })).json.data.data[0].price;
        await until(async () => (await price(key.text)) === "108");
        assert.equal(await price(false), "120");
      } finally {
        await terminal.close();
        await service.close();
      }
    });
  });

suite("the help of duba catalogue import", () => {
  test("the help of catalogue import says what an import removes, and which changes wait for approval", async () => {
    const terminal = await openTerminal(engines[0]!);
    const { out } = await terminal.duba("catalogue", "import", "--help");
    await terminal.close();
    const words = out.replace(/\s+/g, " ");
    assert.match(words, /An import removes entries that are not in the file of their list\./);
    assert.match(words, /waits for approval\. Duba does not serve it before\./);
  });
});

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { type CatalogueDesk, deskOn, openDesk } from "../../test/support/catalogue-desk.ts";
import { engines } from "../../test/support/engines.ts";
import { startService } from "../../test/support/service.ts";
import { until } from "../../test/support/until.ts";
import { listNames } from "./model/lists.ts";

/** One text in place of another, which must be there. */
function edited(text: string, from: string, to: string): string {
  assert.ok(text.includes(from), from);
  return text.replace(from, to);
}

for (const engine of engines)
  suite(`duba catalogue on ${engine.name}`, () => {
    let desk: CatalogueDesk;
    before(async () => {
      desk = await openDesk(engine);
    });
    after(() => desk.close());

    /** The exported data bundles with one text in place of another. */
    const bundles = async (from: string, to: string) => {
      const { out } = await desk.duba("catalogue", "export", "--list", "data-bundles");
      return desk.write("data-bundles.csv", edited(out, from, to));
    };

    test("imports what it exported without a change: CSV of one list, CSV of every list, JSON", async () => {
      const one = await desk.duba(
        "catalogue",
        "export",
        "--list",
        "data-bundles",
        "--out",
        desk.path("data-bundles.csv"),
      );
      assert.deepEqual(one, {
        exitCode: 0,
        out: "",
        err: `Duba wrote ${desk.path("data-bundles.csv")}.\nThis is revision 1 of the catalogue.\n`,
      });
      await desk.duba("catalogue", "export", "--out", desk.path("lists/"));
      assert.deepEqual(readdirSync(desk.path("lists")).sort(), listNames.map((list) => `${list}.csv`).sort());
      await desk.duba("catalogue", "export", "--out", desk.path("catalogue.json"));
      assert.equal((await desk.duba("catalogue", "export")).out, desk.read("catalogue.json"));
      const every = listNames.map((list) => desk.path(`lists/${list}.csv`));
      for (const files of [[desk.path("data-bundles.csv")], every, [desk.path("catalogue.json")]]) {
        const { exitCode, out } = await desk.duba("catalogue", "import", ...files);
        assert.deepEqual([exitCode, out], [0, "Nothing changed: revision 1 of the catalogue is already the same.\n"]);
      }
    });

    test("shows a dry run, price moves first and the farthest before the others, and changes nothing", async () => {
      const one = await bundles("50MB 24Hrs,100,100,", 'Fifty megabytes,"₦105",105,');
      const file = desk.write(
        "other.csv",
        edited(desk.read("data-bundles.csv"), "150MB 24Hrs,200,200,", "150MB 24Hrs,200,300,"),
      );
      assert.ok(one);
      const { exitCode, out, err } = await desk.duba(
        "catalogue",
        "import",
        file,
        "--list",
        "data-bundles",
        "--dry-run",
      );
      assert.equal(exitCode, 0);
      assert.deepEqual(
        out.split("\n").map((line) => line.replace(/ +/g, " ").trimEnd()),
        [
          "Prices",
          "",
          "list entry price was now move",
          "data-bundles MTNDATA 113 price 200 300 +50 %",
          "data-bundles MTNDATA 104 amount 100 105 +5 %",
          "data-bundles MTNDATA 104 price 100 105 +5 %",
          "",
          "Other changes",
          "",
          "list entry change what",
          'data-bundles MTNDATA 104 modified description: "50MB 24Hrs" → "Fifty megabytes"',
          "",
          "2 modified.",
          "",
        ],
      );
      assert.equal(err, "Nothing was changed: this was a dry run.\n");
      const { reasons, changes } = JSON.parse(
        (await desk.duba("catalogue", "import", file, "--list", "data-bundles", "--dry-run", "--json")).out,
      );
      assert.deepEqual([reasons, changes.length, changes[0].new.price], [[], 2, "105"]);
      assert.equal(JSON.parse((await desk.duba("catalogue", "history", "--json")).out).revisions.length, 1);
    });

    test("publishes an import as one revision, tells its history, compares and undoes it", async () => {
      const file = await bundles("50MB 24Hrs,100,100,", "50MB 24Hrs,110,110,");
      const { exitCode, out } = await desk.duba(
        "catalogue",
        "import",
        file,
        "--note",
        "MTN raised a price",
        "--author",
        "ada",
      );
      assert.equal(exitCode, 0);
      assert.match(out, /\nRevision 2 is published: 1 modified\.\n$/);

      const history = (await desk.duba("catalogue", "history")).out.split("\n");
      assert.match(history[0]!, /^revision +published +author +source +changes +note$/);
      assert.match(history[1]!, /^ +2 .*Z +terminal:ada +import +1 modified +MTN raised a price$/);
      const { changes, ...facts } = JSON.parse((await desk.duba("catalogue", "show", "2", "--json")).out);
      assert.deepEqual([facts.revision, facts.author, facts.modified], [2, "terminal:ada", 1]);
      assert.deepEqual(
        [changes[0].list, changes[0].change, changes[0].old.price, changes[0].new.price],
        ["data-bundles", "modified", "100", "110"],
      );
      assert.match(
        (await desk.duba("catalogue", "show", "2")).out,
        /^revision +2\n.*data-bundles +MTNDATA 104 +price +100 +110 +\+10 %\n/s,
      );
      assert.equal(
        (await desk.duba("catalogue", "diff", "1")).out,
        (await desk.duba("catalogue", "diff", "1", "2")).out,
      );
      assert.match((await desk.duba("catalogue", "diff", "2", "1")).out, /price +110 +100 +-9\.1 %/);
      assert.match((await desk.duba("catalogue", "diff", "2")).out, /^No differences\.\n/);
      const before = (await desk.duba("catalogue", "export", "--revision", "1", "--list", "data-bundles")).out;
      assert.match(before, /50MB 24Hrs,100,100,/);

      assert.match((await desk.duba("catalogue", "revert", "2", "--dry-run")).out, /price +110 +100/);
      const undone = await desk.duba("catalogue", "revert", "2");
      assert.match(undone.out, /\nRevision 3 is published: 1 modified\.\n$/);
      assert.equal((await desk.duba("catalogue", "export", "--list", "data-bundles")).out, before);
      const again = await desk.duba("catalogue", "revert", "2");
      assert.equal(again.exitCode, 1);
      assert.match(
        again.err,
        /^Not changed: .* was changed again since: amount, price\.\nRevision 2 has no changes to undo\.\n$/,
      );
    });

    test("takes nothing of a file in which anything is wrong, and tells every faulty row by its line", async () => {
      const file = await bundles("MTNDATA,104,50MB 24Hrs,100,100,", "MTNDATA,1 04,50MB 24Hrs,1e5,100,");
      const lines = desk.read("data-bundles.csv").trimEnd();
      desk.write("data-bundles.csv", `${lines}\nNONE,x,,1,1,,\nMTNDATA,113,,1,1,,\n`);
      const { exitCode, out, err } = await desk.duba("catalogue", "import", file);
      assert.deepEqual([exitCode, out], [1, ""]);
      assert.deepEqual(err.split("\n"), [
        "data-bundles, line 2: code must be 1 to 64 visible ASCII characters without spaces.",
        "data-bundles, line 2: amount has an exponent, as spreadsheets write long numbers (format the column as a number): write naira such as 1234.50.",
        "data-bundles, line 81: NONE is not in data-providers.",
        "data-bundles, line 82: MTNDATA 113 is listed twice, first in line 3.",
        "",
      ]);
      assert.match((await desk.duba("catalogue", "diff", "1")).out, /^No differences\./);
    });

    test("holds a far move, and says why, until it is approved or rejected", async () => {
      const file = await bundles("50MB 24Hrs,100,100,", "50MB 24Hrs,100,1000,");
      const held = await desk.duba("catalogue", "import", file);
      assert.equal(held.exitCode, 1);
      const [, draft = ""] = /approve (d\d+)/.exec(held.err) ?? [];
      assert.match(
        held.err,
        /^This change waits for approval as d\d+\. Duba does not serve it yet:\n {2}MTNDATA 104: price moves from 100 to 1000, by more than a factor of 2\.\n/,
      );
      assert.match((await desk.duba("catalogue", "history")).out, new RegExp(`^draft .*\n *${draft} +held +at once`));
      assert.match((await desk.duba("catalogue", "show", draft)).out, /reasons +\["MTNDATA 104: price moves/);
      assert.match((await desk.duba("catalogue", "diff", "1")).out, /^No differences\./);
      assert.match((await desk.duba("catalogue", "approve", draft)).out, /Revision 4 is published: 1 modified\.\n$/);
      assert.match(
        (await desk.duba("catalogue", "approve", draft)).err,
        /is published: only what is held can be approved/,
      );

      const back = await desk.duba("catalogue", "revert", "4", "--json");
      assert.equal(back.exitCode, 1);
      const { state, draft: second, reasons } = JSON.parse(back.out);
      assert.deepEqual([state, reasons.length], ["held", 1]);
      assert.equal(
        (await desk.duba("catalogue", "reject", second)).out,
        `${second} is rejected. The served catalogue does not change.\n`,
      );
      assert.equal(JSON.parse((await desk.duba("catalogue", "history", "--json")).out).waiting.length, 0);
      const third = JSON.parse((await desk.duba("catalogue", "revert", "4", "--json")).out).draft;
      assert.equal(JSON.parse((await desk.duba("catalogue", "approve", third, "--json")).out).revision, 5);
    });

    test("gives a draft with another difference a new name, and approves nothing by the old one", async () => {
      const held = await desk.duba("catalogue", "import", await bundles("50MB 24Hrs,100,100,", "50MB 24Hrs,100,1000,"));
      const [, draft = ""] = /approve (d\d+)/.exec(held.err) ?? [];
      await desk.duba("catalogue", "import", await bundles("50MB 24Hrs,100,100,", "50MB 24Hrs,100,110,"));
      for (const person of ["ada", "bola"]) {
        const { exitCode, out, err } = await desk.duba("catalogue", "approve", draft, "--author", person);
        assert.equal(exitCode, 1);
        assert.match(out, /MTNDATA 104 +price +110 +1000/);
        assert.match(
          err,
          new RegExp(`^The catalogue has changed since ${draft} was made\\..*: duba catalogue approve ${draft}\\.2\n$`),
        );
      }
      assert.match((await desk.duba("catalogue", "history")).out, new RegExp(`^ *${draft}\\.2 +held`, "m"));
      assert.equal((await desk.duba("catalogue", "show", `${draft}.2`, "--json")).exitCode, 0);
      assert.match((await desk.duba("catalogue", "approve", `${draft}.3`)).err, /the draft is d\d+\.2\.\n$/);
      assert.equal((await desk.duba("catalogue", "approve", `${draft}.2`)).exitCode, 0);
      const back = await desk.duba("catalogue", "edit", "MTNDATA", "104", "--price", "100");
      const [, last = ""] = /approve (d\d+)/.exec(back.err) ?? [];
      assert.equal((await desk.duba("catalogue", "approve", last)).exitCode, 0);
    });

    test("schedules an import, and shows until when it waits", async () => {
      const file = await bundles("50MB 24Hrs,100,100,", "50MB 24Hrs,120,120,");
      const { exitCode, out } = await desk.duba("catalogue", "import", file, "--holds-from", "2099-01-01T00:00+01:00");
      assert.equal(exitCode, 0);
      assert.match(out, /Scheduled as d\d+: 1 modified, from 2098-12-31 23:00Z on\.\n$/);
      const [waiting] = JSON.parse((await desk.duba("catalogue", "history", "--json")).out).waiting;
      assert.deepEqual([waiting.state, waiting.holds_from], ["scheduled", "2098-12-31T23:00:00.000Z"]);
      await desk.duba("catalogue", "reject", waiting.draft);
    });

    test("imports several lists together, also where one alone would leave others behind", async () => {
      await desk.duba("catalogue", "export", "--out", desk.path("lists/"));
      const without = (name: string, code: string) =>
        desk.write(
          `lists/${name}.csv`,
          desk
            .read(`lists/${name}.csv`)
            .split("\n")
            .filter((line) => !line.includes(code))
            .join("\n"),
        );
      const providers = without("data-providers", "9MOBILEDATA");
      const alone = await desk.duba("catalogue", "import", providers);
      assert.match(alone.err, /^data-providers: 9MOBILEDATA is left out, and 11 of data-bundles belong to it/);
      const both = await desk.duba("catalogue", "import", providers, without("data-bundles", "9MOBILEDATA"));
      assert.match(both.err, /9MOBILEDATA has nothing left in data-bundles\./);
    });

    test("edits the price of one entry, by its codes or by a code that only one entry has", async () => {
      const { exitCode, out } = await desk.duba("catalogue", "edit", "mtndata", "104", "--price", "105");
      assert.equal(exitCode, 0);
      assert.match(
        out,
        /data-bundles +MTNDATA 104 +price +100 +105 +\+5 %\n[\s\S]*Revision \d+ is published: 1 modified\.\n$/,
      );
      const [made] = JSON.parse((await desk.duba("catalogue", "history", "--json")).out).revisions;
      assert.deepEqual([made.source, made.note], ["edit", "Price of mtndata 104"]);
      assert.match(
        (await desk.duba("catalogue", "edit", "MTNDATA", "104", "--price", "105")).out,
        /^Nothing changed: /,
      );
      const dry = await desk.duba("catalogue", "edit", "PRWE36", "--price", "1", "--dry-run");
      assert.match(dry.err, /would wait for approval/);
      const held = await desk.duba("catalogue", "edit", "MTNDATA", "104", "--price", "900", "--amount", "900");
      assert.equal(held.exitCode, 1);
      const [, draft = ""] = /approve (d\d+)/.exec(held.err) ?? [];
      await desk.duba("catalogue", "reject", draft);
      assert.equal((await desk.duba("catalogue", "edit", "MTNDATA 104", "--price", "100")).exitCode, 0);
      for (const [argv, exitCode, sentence] of [
        [["nothing", "--price", "5"], 1, /^The catalogue has no entry with a price for nothing: name the provider/],
        [["PRWE36", "HDPVRE36", "--amount", "5"], 1, /is in cable-add-ons, which have no amount\.\n$/],
        [["MTNDATA", "104"], 2, /^The command has nothing to change\. Add --price or --amount\.\n$/],
        [["MTNDATA", "104", "--price", "0"], 2, /^--price must be an amount in naira above 0/],
        [["--price", "5"], 2, /^<code> is required/],
      ] as const) {
        const refused = await desk.duba("catalogue", "edit", ...argv);
        assert.match(refused.err, sentence);
        assert.deepEqual([refused.exitCode, refused.out], [exitCode, ""]);
      }
    });

    test("imports an older file without undoing what others changed, and names what both changed", async () => {
      const { revision } = JSON.parse((await desk.duba("catalogue", "history", "--json")).out).revisions[0];
      const since = String(revision);
      const text = (await desk.duba("catalogue", "export", "--list", "data-bundles")).out;
      const changed = edited(text, "MTNDATA,104,50MB 24Hrs,100,100,", "MTNDATA,104,Fifty,100,110,");
      const file = desk.write(
        "data-bundles.csv",
        edited(changed, "MTNDATA,113,150MB 24Hrs,200,200,", "MTNDATA,113,Many,200,200,"),
      );
      await desk.duba("catalogue", "edit", "MTNDATA", "104", "--price", "120");
      await desk.duba("catalogue", "edit", "MTNDATA", "113", "--price", "190");

      const argv = ["catalogue", "import", file, "--since", since];
      const dry = await desk.duba(...argv, "--dry-run");
      const conflict =
        "Not changed: data-bundles MTNDATA 104 was changed on both sides: price is 110 in the file and 120 now.\n";
      assert.ok(dry.err.includes(conflict), dry.err);
      const { exitCode, out, err } = await desk.duba(...argv);
      assert.deepEqual([exitCode, err], [1, conflict]);
      assert.match(out, /MTNDATA 104 +modified +description: "50MB 24Hrs" → "Fifty"\n/);
      assert.match(out, /MTNDATA 113 +modified +description: "150MB 24Hrs" → "Many"\n/);
      const now = (await desk.duba("catalogue", "export", "--list", "data-bundles")).out;
      assert.match(now, /\nMTNDATA,104,Fifty,100,120,.*\nMTNDATA,113,Many,200,190,/);
      const again = await desk.duba(...argv);
      assert.match(again.out, /^Nothing changed: /);
      for (const bad of ["0", "latest"]) {
        const refused = await desk.duba("catalogue", "import", file, "--since", bad);
        assert.equal(refused.exitCode, 2);
        assert.match(refused.err, /^--since must be a number such as 7/);
      }
      assert.match((await desk.duba("catalogue", "import", file, "--since", "999")).err, /^There is no revision 999/);
      await desk.duba("catalogue", "import", desk.write("data-bundles.csv", text));
    });

    for (const [fault, argv, sentence] of [
      ["a file of another kind", ["import", "prices.xlsx"], /must end in \.csv or \.json/],
      [
        "a CSV file that is not named after a list",
        ["import", "prices.csv"],
        /does not have the name of a list\. Use --list with one of data-providers,/,
      ],
      ["an unknown list", ["import", "a.csv", "--list", "bundles"], /^--list must be one of data-providers,/],
      [
        "a time without its zone",
        ["import", "a.csv", "--holds-from", "2099-01-01"],
        /^--holds-from must be a later time with its zone/,
      ],
      [
        "a time that is past",
        ["import", "a.csv", "--holds-from", "2020-01-01T00:00Z"],
        /^--holds-from must be a later time/,
      ],
      [
        "two files of a named list",
        ["import", "a.csv", "b.csv", "--list", "data-bundles"],
        /--list works with one file only/,
      ],
      ["CSV of everything in one file", ["export", "--format", "csv"], /^A CSV file contains one list/],
      ["a revision that is no number", ["show", "latest"], /^<revision> must be a number such as 7/],
      ["a draft that is none", ["approve", "7"], /^<draft> must be a draft such as d7/],
    ] as const)
      test(`refuses ${fault} as a command line that cannot be used`, async () => {
        const { exitCode, out, err } = await desk.duba("catalogue", ...argv);
        assert.deepEqual([exitCode, out], [2, ""]);
        assert.match(err, sentence);
      });

    for (const [fault, argv, sentence] of [
      [
        "a file that is not there",
        ["import", "data-bundles.csv"],
        /^Duba cannot read the file data-bundles\.csv \(ENOENT\)\.\n$/,
      ],
      ["an unknown revision", ["show", "999"], /^There is no revision 999: duba catalogue history lists all\.\n$/],
      ["an unknown draft", ["approve", "d999"], /^There is no draft d999: /],
      [
        "a place that cannot be written",
        ["export", "--out", "/proc/none/a.json"],
        /^Duba cannot write the file \/proc\/none\/a\.json/,
      ],
    ] as const)
      test(`fails with a sentence at ${fault}`, async () => {
        const { exitCode, out, err } = await desk.duba("catalogue", ...argv);
        assert.deepEqual([exitCode, out], [1, ""]);
        assert.match(err, sentence);
      });

    test("publishes thousands of new rows at once, and asks before it removes them", async () => {
      const rows = Array.from({ length: 3_000 }, (_, n) => `many${n},Many ${n}`).join("\n");
      const { out } = await desk.duba("catalogue", "export", "--list", "corporate-bundles");
      const file = desk.write("corporate-bundles.csv", `${out}${rows}\n`);
      assert.match((await desk.duba("catalogue", "import", file)).out, /is published: 3000 added\.\n$/);
      const back = await desk.duba("catalogue", "import", desk.write("corporate-bundles.csv", out));
      assert.match(
        back.err,
        /^This change waits for approval as d\d+\. Duba does not serve it yet:\n {2}3000 of 3022 entries of corporate-bundles are removed: 99\.3 %, above 30 %\.\n/,
      );
    });

    test("shortens a long difference unless all of it is asked for", async () => {
      const { out } = await desk.duba("catalogue", "diff", "1");
      assert.match(out, /… and \d+ more: --all shows them\.\n/);
      const whole = (await desk.duba("catalogue", "diff", "1", "--all")).out;
      assert.ok(whole.split("\n").length > 3_000);
    });
  });

for (const engine of engines)
  suite(`duba catalogue beside a process that serves, on ${engine.name}`, () => {
    test("is served soon after the import, to an account at its own price", async () => {
      const service = await startService({ DUBA_LIMITS: "off" }, engine);
      const desk = deskOn(service.settings);
      try {
        const key = await service.newKey();
        const { out } = await desk.duba("catalogue", "export", "--list", "data-bundles");
        const file = desk.write("data-bundles.csv", edited(out, "50MB 24Hrs,100,100,", "50MB 24Hrs,120,120,"));
        assert.equal((await desk.duba("catalogue", "import", file)).exitCode, 0);
        const set = await desk.duba("prices", "set", "sandbox@example.com", "MTNDATA", "--margin=-10%");
        assert.equal(set.exitCode, 0, set.err);
        const path = "/api/v2/internet/data/lookup?provider=MTNDATA";
        const price = async (credential: string | false) =>
          (await service.ask(path, { credential })).json.data.data[0].price;
        await until(async () => (await price(key.text)) === "108");
        assert.equal(await price(false), "120");
      } finally {
        await desk.close();
        await service.close();
      }
    });
  });

suite("the help of duba catalogue import", () => {
  test("says that an import replaces, and what is held", async () => {
    const desk = await openDesk(engines[0]!);
    const { out } = await desk.duba("catalogue", "import", "--help");
    await desk.close();
    const words = out.replace(/\s+/g, " ");
    assert.match(words, /An import removes entries that are not in the file of their list\./);
    assert.match(words, /waits for approval\. Duba does not serve it before\./);
  });
});

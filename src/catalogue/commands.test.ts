import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { type CatalogueTerminal, openTerminal } from "../../test/support/catalogue-terminal.ts";
import { terminalActor } from "../../test/support/command-line.ts";
import { usualEngines } from "../../test/support/engines.ts";
import { listNames } from "../lists/index.ts";

/** Replaces the text `from`, which must occur, with the text `to`. */
function edited(text: string, from: string, to: string): string {
  assert.ok(text.includes(from), from);
  return text.replace(from, to);
}

for (const engine of usualEngines)
  suite(`duba catalogue on ${engine.name}`, () => {
    let terminal: CatalogueTerminal;
    before(async () => {
      terminal = await openTerminal(engine);
    });
    after(() => terminal.close());

    /** The exported data bundles with one text replaced by another. */
    const bundles = async (from: string, to: string) => {
      const { out } = await terminal.duba("catalogue", "export", "--list", "data-bundles");
      return terminal.write("data-bundles.csv", edited(out, from, to));
    };

    test("importing an export changes nothing: CSV of one list, CSV of every list, JSON", async () => {
      const one = await terminal.duba(
        "catalogue",
        "export",
        "--list",
        "data-bundles",
        "--out",
        terminal.path("data-bundles.csv"),
      );
      assert.deepEqual(one, {
        exitCode: 0,
        out: "",
        err: `Duba wrote ${terminal.path("data-bundles.csv")}.\nThis is revision 1 of the catalogue.\n`,
      });
      await terminal.duba("catalogue", "export", "--out", terminal.path("lists/"));
      assert.deepEqual(readdirSync(terminal.path("lists")).sort(), listNames.map((list) => `${list}.csv`).sort());
      await terminal.duba("catalogue", "export", "--out", terminal.path("catalogue.json"));
      assert.equal((await terminal.duba("catalogue", "export")).out, terminal.read("catalogue.json"));
      const every = listNames.map((list) => terminal.path(`lists/${list}.csv`));
      for (const files of [[terminal.path("data-bundles.csv")], every, [terminal.path("catalogue.json")]]) {
        const { exitCode, out } = await terminal.duba("catalogue", "import", ...files);
        assert.deepEqual([exitCode, out], [0, "Nothing changed: revision 1 of the catalogue is already the same.\n"]);
      }
    });

    test("a dry run changes nothing, and shows price moves first, the largest at the top", async () => {
      const one = await bundles("50MB 24Hrs,100,100,", 'Fifty megabytes,"₦105",105,');
      const file = terminal.write(
        "other.csv",
        edited(terminal.read("data-bundles.csv"), "150MB 24Hrs,200,200,", "150MB 24Hrs,200,300,"),
      );
      assert.ok(one);
      const { exitCode, out, err } = await terminal.duba(
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
          "list entry was now move what",
          "data-bundles MTNDATA 113 ₦200.00 ₦300.00 +50 % price",
          "data-bundles MTNDATA 104 ₦100.00 ₦105.00 +5 % amount",
          "data-bundles MTNDATA 104 ₦100.00 ₦105.00 +5 % price",
          "",
          "Other changes",
          "",
          "list entry change what",
          'data-bundles MTNDATA 104 modified description: "50MB 24Hrs" → "Fifty megabytes"',
          "",
          "2 entries changed.",
          "",
        ],
      );
      assert.equal(err, "Nothing was changed: this was a dry run.\n");
      const { reasons, changes } = JSON.parse(
        (await terminal.duba("catalogue", "import", file, "--list", "data-bundles", "--dry-run", "--json")).out,
      );
      assert.deepEqual([reasons, changes.length, changes[0].new.price], [[], 2, "105"]);
      assert.equal(JSON.parse((await terminal.duba("catalogue", "history", "--json")).out).revisions.length, 1);
    });

    test("duba catalogue publishes an import as one revision, lists, compares and undoes the revision", async () => {
      const file = await bundles("50MB 24Hrs,100,100,", "50MB 24Hrs,110,110,");
      const { exitCode, out } = await terminal.duba("catalogue", "import", file, "--note", "MTN raised a price");
      assert.equal(exitCode, 0);
      assert.match(out, /\nRevision 2 is published: 1 entry changed\.\n$/);

      const history = (await terminal.duba("catalogue", "history")).out.split("\n");
      assert.match(history[0]!, /^revision +published_at +author +source +changes +note$/);
      assert.match(
        history[1]!,
        new RegExp(`^2 .*\\+01 +${terminalActor} +import +1 entry changed +MTN raised a price$`),
      );
      const { changes, ...facts } = JSON.parse((await terminal.duba("catalogue", "show", "2", "--json")).out);
      assert.deepEqual([facts.revision, facts.author, facts.modified], [2, terminalActor, 1]);
      assert.deepEqual(
        [changes[0].list, changes[0].change, changes[0].old.price, changes[0].new.price],
        ["data-bundles", "modified", "100", "110"],
      );
      assert.match(
        (await terminal.duba("catalogue", "show", "2")).out,
        /^revision +2\n.*data-bundles +MTNDATA 104 +₦100\.00 +₦110\.00 +\+10 % +price\n/s,
      );
      assert.equal(
        (await terminal.duba("catalogue", "show", "--since", "1")).out,
        (await terminal.duba("catalogue", "show", "2", "--since", "1")).out,
      );
      assert.match(
        (await terminal.duba("catalogue", "show", "1", "--since", "2")).out,
        /₦110\.00 +₦100\.00 +−9\.1 % +price/,
      );
      assert.match((await terminal.duba("catalogue", "show", "--since", "2")).out, /^No differences\.$/m);
      const before = (await terminal.duba("catalogue", "export", "--revision", "1", "--list", "data-bundles")).out;
      assert.match(before, /50MB 24Hrs,100,100,/);

      assert.match((await terminal.duba("catalogue", "revert", "2", "--dry-run")).out, /₦110\.00 +₦100\.00 .* price/);
      const undone = await terminal.duba("catalogue", "revert", "2");
      assert.match(undone.out, /\nRevision 3 is published: 1 entry changed\.\n$/);
      assert.equal((await terminal.duba("catalogue", "export", "--list", "data-bundles")).out, before);
      const again = await terminal.duba("catalogue", "revert", "2");
      assert.equal(again.exitCode, 1);
      assert.equal(again.err, "Revision 2 has no changes to undo.\n");
    });

    test("a file with any problem changes nothing, and every faulty row is named by its line", async () => {
      const file = await bundles("MTNDATA,104,50MB 24Hrs,100,100,", "MTNDATA,1 04,50MB 24Hrs,1e5,100,");
      const lines = terminal.read("data-bundles.csv").trimEnd();
      terminal.write("data-bundles.csv", `${lines}\nNONE,x,,1,1,,\nMTNDATA,113,,1,1,,\n`);
      const { exitCode, out, err } = await terminal.duba("catalogue", "import", file);
      assert.deepEqual([exitCode, out], [1, ""]);
      assert.deepEqual(err.split("\n"), [
        "data-bundles, line 2: code must be 1 to 64 visible ASCII characters without spaces.",
        "data-bundles, line 2: amount has an exponent, as spreadsheets write long numbers (format the column as a " +
          "number): write naira such as 1234.50.",
        "data-bundles, line 81: NONE is not in data-providers.",
        "data-bundles, line 82: MTNDATA 113 is listed twice, first in line 3.",
        "",
      ]);
      assert.match((await terminal.duba("catalogue", "show", "--since", "1")).out, /^No differences\./m);
    });

    test("a far price move is held with its reason until it is approved or rejected", async () => {
      const file = await bundles("50MB 24Hrs,100,100,", "50MB 24Hrs,100,1000,");
      const held = await terminal.duba("catalogue", "import", file);
      assert.equal(held.exitCode, 1);
      const [, draft = ""] = /approve (d\d+)/.exec(held.err) ?? [];
      assert.match(
        held.err,
        /^This change waits for approval as d\d+\. Duba does not serve it yet:\n {2}MTNDATA 104: price ₦/,
      );
      assert.match(held.err, / price ₦100 → ₦1,000 \(\+900 %\), beyond the guard's factor of 2\.\n/);
      assert.match(
        (await terminal.duba("catalogue", "history")).out,
        new RegExp(`^draft .*\n *${draft} +held +at once`),
      );
      assert.match((await terminal.duba("catalogue", "show", draft)).out, /reasons +MTNDATA 104: price ₦/);
      assert.match((await terminal.duba("catalogue", "show", "--since", "1")).out, /^No differences\./m);
      assert.match(
        (await terminal.duba("catalogue", "approve", draft)).out,
        /Revision 4 is published: 1 entry changed\.\n$/,
      );
      assert.match(
        (await terminal.duba("catalogue", "approve", draft)).err,
        /is published: only what is held can be approved/,
      );

      const back = await terminal.duba("catalogue", "revert", "4", "--json");
      assert.equal(back.exitCode, 1);
      const { state, draft: second, reasons } = JSON.parse(back.out);
      assert.deepEqual([state, reasons.length], ["held", 1]);
      assert.equal(
        (await terminal.duba("catalogue", "reject", second)).out,
        `${second} is rejected. The served catalogue does not change.\n`,
      );
      assert.equal(JSON.parse((await terminal.duba("catalogue", "history", "--json")).out).waiting.length, 0);
      const third = JSON.parse((await terminal.duba("catalogue", "revert", "4", "--json")).out).draft;
      assert.equal(JSON.parse((await terminal.duba("catalogue", "approve", third, "--json")).out).revision, 5);
    });

    test("a draft gets a new name when its difference changes, and its old name approves nothing", async () => {
      const held = await terminal.duba(
        "catalogue",
        "import",
        await bundles("50MB 24Hrs,100,100,", "50MB 24Hrs,100,1000,"),
      );
      const [, draft = ""] = /approve (d\d+)/.exec(held.err) ?? [];
      await terminal.duba("catalogue", "import", await bundles("50MB 24Hrs,100,100,", "50MB 24Hrs,100,110,"));
      for (const author of ["ada", "bola"]) {
        const { exitCode, err } = await terminal.duba("catalogue", "approve", draft, "--author", author);
        assert.equal(exitCode, 1);
        const says = `^The catalogue has changed since ${draft} was made, .*\\nSee it: duba catalogue show ${draft}\\.2\n$`;
        assert.match(err, new RegExp(says));
      }
      const { out } = await terminal.duba("catalogue", "show", `${draft}.2`);
      assert.match(out, /data-bundles +MTNDATA 104 +₦110\.00 +₦1,000\.00/);
      assert.match((await terminal.duba("catalogue", "history")).out, new RegExp(`^ *${draft}\\.2 +held`, "m"));
      assert.equal((await terminal.duba("catalogue", "show", `${draft}.2`, "--json")).exitCode, 0);
      assert.match((await terminal.duba("catalogue", "approve", `${draft}.3`)).err, /the draft is d\d+\.2\.\n$/);
      assert.equal((await terminal.duba("catalogue", "approve", `${draft}.2`)).exitCode, 0);
      const back = await terminal.duba("catalogue", "edit", "MTNDATA", "104", "--price", "100");
      const [, last = ""] = /approve (d\d+)/.exec(back.err) ?? [];
      assert.equal((await terminal.duba("catalogue", "approve", last)).exitCode, 0);
    });

    test("duba catalogue schedules an import, and shows when it takes effect", async () => {
      const file = await bundles("50MB 24Hrs,100,100,", "50MB 24Hrs,120,120,");
      const { exitCode, out } = await terminal.duba(
        "catalogue",
        "import",
        file,
        "--holds-from",
        "2099-01-01T00:00+01:00",
      );
      assert.equal(exitCode, 0);
      assert.match(out, /Scheduled as d\d+: 1 entry changed, from 2099-01-01 00:00\+01 on\.\n$/);
      const [waiting] = JSON.parse((await terminal.duba("catalogue", "history", "--json")).out).waiting;
      assert.deepEqual([waiting.state, waiting.holds_from], ["scheduled", "2098-12-31T23:00:00.000Z"]);
      await terminal.duba("catalogue", "reject", waiting.draft);
    });

    test("duba catalogue imports several lists together, even if they depend on one another", async () => {
      await terminal.duba("catalogue", "export", "--out", terminal.path("lists/"));
      const without = (name: string, code: string) =>
        terminal.write(
          `lists/${name}.csv`,
          terminal
            .read(`lists/${name}.csv`)
            .split("\n")
            .filter((line) => !line.includes(code))
            .join("\n"),
        );
      const providers = without("data-providers", "9MOBILEDATA");
      const alone = await terminal.duba("catalogue", "import", providers);
      assert.match(alone.err, /^data-providers: 9MOBILEDATA is left out, and 11 of data-bundles belong to it/);
      const both = await terminal.duba("catalogue", "import", providers, without("data-bundles", "9MOBILEDATA"));
      assert.match(both.err, /9MOBILEDATA has nothing left in data-bundles\./);
    });

    test("duba catalogue edit finds an entry by all its codes, or by its own code if that is unique", async () => {
      const { exitCode, out } = await terminal.duba("catalogue", "edit", "mtndata", "104", "--price", "105");
      assert.equal(exitCode, 0);
      assert.match(out, /data-bundles +MTNDATA 104 +₦100\.00 +₦105\.00 +\+5 % +price\n/);
      assert.match(out, /Revision \d+ is published: 1 entry changed\.\n$/);
      const [made] = JSON.parse((await terminal.duba("catalogue", "history", "--json")).out).revisions;
      assert.deepEqual([made.source, made.note], ["edit", "Price of mtndata 104"]);
      assert.match(
        (await terminal.duba("catalogue", "edit", "MTNDATA", "104", "--price", "105")).out,
        /^Nothing changed: /,
      );
      const dry = await terminal.duba("catalogue", "edit", "PRWE36", "--price", "1", "--dry-run");
      assert.match(dry.err, /would wait for approval/);
      const held = await terminal.duba("catalogue", "edit", "MTNDATA", "104", "--price", "900", "--amount", "900");
      assert.equal(held.exitCode, 1);
      const [, draft = ""] = /approve (d\d+)/.exec(held.err) ?? [];
      await terminal.duba("catalogue", "reject", draft);
      assert.equal((await terminal.duba("catalogue", "edit", "MTNDATA 104", "--price", "100")).exitCode, 0);
      for (const [argv, exitCode, sentence] of [
        [["nothing", "--price", "5"], 1, /^The catalogue has no entry for nothing: name the provider/],
        [["PRWE36", "HDPVRE36", "--amount", "5"], 1, /is in cable-add-ons, which have no amount\.\n$/],
        [["MTNDATA", "104"], 2, /^The command has nothing to change\. Give a price, an amount, a cost, or whether/],
        [["MTNDATA", "104", "--price", "0"], 2, /^--price must be an amount in naira above 0/],
        [["--price", "5"], 2, /^<code> is required/],
        [["MTNDATA", "104", "--cost", "0"], 2, /^--cost must be an amount in naira above 0.*, or unknown/],
      ] as const) {
        const refused = await terminal.duba("catalogue", "edit", ...argv);
        assert.match(refused.err, sentence);
        assert.deepEqual([refused.exitCode, refused.out], [exitCode, ""]);
      }
    });
  });

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type CatalogueTerminal, openTerminal } from "../../../test/support/catalogue-terminal.ts";
import { usualEngines } from "../../../test/support/engines.ts";

const shop = "shop@example.com";

for (const engine of usualEngines)
  suite(`duba prices on ${engine.name}`, () => {
    let terminal: CatalogueTerminal;
    before(async () => {
      terminal = await openTerminal(engine);
      for (const email of [shop, "other@example.com"])
        await terminal.duba("accounts", "create", "--name", email, "--email", email);
    });
    after(() => terminal.close());

    test("duba prices sets margins and prices, and shows how each price is computed", async () => {
      for (const argv of [
        ["mtndata", "--margin=-2.5%"],
        ["dstv", "--margin", "50"],
        ["MTNDATA", "104", "--price", "95.50"],
        ["dstv", "PRWE36", "hdpvre36", "--price", "5800"],
      ]) {
        const { exitCode, err } = await terminal.duba("prices", "set", shop, ...argv);
        assert.deepEqual([exitCode, err], [0, ""]);
      }
      const shown = JSON.parse((await terminal.duba("prices", "show", "Shop@Example.com", "--json")).out);
      assert.deepEqual(shown, [
        { of: "dstv", price: "+50" },
        { of: "dstv PRWE36 HDPVRE36", price: "5800" },
        { of: "MTNDATA", price: "-2.5 %" },
        { of: "MTNDATA 104", price: "95.5" },
      ]);
      const prices = JSON.parse((await terminal.duba("prices", "show", shop, "MTNDATA", "--json")).out);
      assert.deepEqual(prices[0], {
        list: "data-bundles",
        entry: "MTNDATA 104",
        catalogue: "100",
        own: "95.5",
        cost: null,
      });
      assert.deepEqual([prices[1].catalogue, prices[1].own], ["200", "195"]);
      const list = (await terminal.duba("prices", "list")).out.split("\n");
      assert.match(list[0]!, /^id +name +email +group +prices +overtaken +below_cost$/);
      assert.match(list[1]!, /^acc_\w+ +shop@example\.com +shop@example\.com +- +4 +0 +0$/);
      assert.equal(list.length, 3);
    });

    test("a price rule is a revision that can be undone, and is not part of a catalogue export", async () => {
      const history = JSON.parse((await terminal.duba("catalogue", "history", "--json")).out).revisions;
      assert.deepEqual([history[0].source, history[0].note, history[0].added], ["prices", `Prices of ${shop}`, 1]);
      const { out } = await terminal.duba("catalogue", "show", String(history[0].revision));
      assert.match(out, /prices +dstv PRWE36 HDPVRE36 for acc_\w+ +added +₦5,800/);
      await terminal.duba("catalogue", "revert", String(history[0].revision));
      assert.equal(JSON.parse((await terminal.duba("prices", "show", shop, "--json")).out).length, 3);
      assert.ok(!(await terminal.duba("catalogue", "export")).out.includes("acc_"));
    });

    test("a price import replaces prices of its accounts only, and importing an export changes nothing", async () => {
      await terminal.duba("prices", "set", "other@example.com", "dstv", "--margin", "-0.50");
      await terminal.duba("prices", "set", shop, "MTNDATA", "104", "--price", "96");
      const file = terminal.path("prices.csv");
      assert.equal((await terminal.duba("catalogue", "export", "--list", "prices", "--out", file)).exitCode, 0);
      const text = terminal.read("prices.csv");
      assert.match(text, /^\ufeffaccount,codes,margin,price\nshop@example\.com,dstv,50,\n/);
      assert.match(text, /\nshop@example\.com,MTNDATA,'-2\.5%,\n/);
      assert.match(text, /\nother@example\.com,dstv,'-0\.5,\n$/);
      assert.match((await terminal.duba("catalogue", "import", "--list", "prices", file)).out, /^Nothing changed: /);
      assert.equal(
        (await terminal.duba("catalogue", "export", "--list", "prices", "--account", "other@example.com")).out.split(
          "\n",
        ).length,
        3,
      );

      const before = (await terminal.duba("prices", "show", "other@example.com", "--json")).out;
      const lines = ["account,codes,price,margin", "SHOP@example.com,mtndata 104,97,", "shop@example.com,DSTV,,3%", ""];
      terminal.write("december.csv", lines.join("\n"));
      const dry = await terminal.duba(
        "catalogue",
        "import",
        "--list",
        "prices",
        terminal.path("december.csv"),
        "--dry-run",
      );
      assert.match(dry.err, /Nothing was changed: this was a dry run\.\n$/);
      const { out } = await terminal.duba(
        "catalogue",
        "import",
        "--list",
        "prices",
        terminal.path("december.csv"),
        "--note",
        "December",
      );
      assert.match(out, /Revision \d+ is published: 2 entries changed, 1 removed\.\n$/);
      assert.deepEqual(JSON.parse((await terminal.duba("prices", "show", shop, "--json")).out), [
        { of: "dstv", price: "+3 %" },
        { of: "MTNDATA 104", price: "97" },
      ]);
      assert.equal((await terminal.duba("prices", "show", "other@example.com", "--json")).out, before);
      assert.equal((await terminal.duba("catalogue", "import", "--list", "prices", file)).exitCode, 0);
      await terminal.duba("prices", "remove", "other@example.com");
    });

    test("a price file with any problem changes nothing, and every problem is named by its line", async () => {
      const before = (await terminal.duba("catalogue", "export", "--list", "prices")).out;
      const lines = [
        "account,codes,margin,price",
        "nobody@example.com,MTNDATA,3%,",
        `${shop},MTNDATA 999999,,95`,
        `${shop},MTNDATA,3%,95`,
        `${shop},MTNDATA,,95`,
        `${shop},MTNDATA,cheap,`,
        `${shop},dstv PRWE36,,0`,
        `${shop},,3%,`,
        `${shop},dstv,1,`,
        `${shop},DSTV,2,`,
        `${shop},dstv,2`,
        "",
      ];
      const file = terminal.write("faulty.csv", lines.join("\n"));
      const { exitCode, out, err } = await terminal.duba("catalogue", "import", "--list", "prices", file);
      assert.deepEqual([exitCode, out], [1, ""]);
      assert.deepEqual(err.trimEnd().split("\n"), [
        "line 2: account must be the id or e-mail of an account, or a group such as group:agents.",
        "line 4: needs either a margin or a price.",
        "line 5: a price needs one entry, or a size: add its code after the provider.",
        "line 6: margin must be a margin such as -2.5%, 3%, 50 or -0.50: " +
          "a percentage above -100% and at most 10000%, or naira.",
        'line 7: price must be an amount in naira above 0, such as "95" or "95.50".',
        "line 8: codes is empty: name a provider, or a provider and a code.",
        "line 11: has 3 values, and the heading has 4.",
        "line 3: The catalogue has no MTNDATA 999999: name the provider, then the code.",
        "line 10: DSTV is listed twice, first in line 9.",
      ]);
      assert.equal((await terminal.duba("catalogue", "export", "--list", "prices")).out, before);
      const heading = terminal.write("heading.csv", "account,code,price\n");
      assert.equal(
        (await terminal.duba("catalogue", "import", "--list", "prices", heading)).err,
        'line 1: the heading lacks codes and has "code"; the columns of prices are account, codes, margin, price, ' +
          "round, from, until, group.\n",
      );
      assert.equal((await terminal.duba("catalogue", "import", "--list", "prices", file, heading)).exitCode, 2);
      assert.match(
        (await terminal.duba("catalogue", "import", "--list", "prices", terminal.path("gone.csv"))).err,
        /^There is no file /,
      );
    });

    test("setting an equal price changes nothing, and prices can be removed singly or together", async () => {
      const again = await terminal.duba("prices", "set", shop, "MTNDATA", "--margin=-2.5%");
      assert.match(again.out, /^Nothing changed:/);
      const changed = await terminal.duba("prices", "set", shop, "MTNDATA", "--margin", "3%");
      assert.match(changed.out, /prices +MTNDATA for acc_\w+ +modified +-2\.5 % → \+3 %/);
      assert.match((await terminal.duba("prices", "remove", shop, "mtndata", "104")).out, /1 entry removed\.\n$/);
      assert.match((await terminal.duba("prices", "remove", shop)).out, /2 entries removed\.\n$/);
      assert.match((await terminal.duba("prices", "list")).out, /^Every account has the catalogue's prices\./);
    });

    test("list and doctor report a fixed price that the catalogue has overtaken, until it is set again", async () => {
      const told = async () => {
        const [account] = JSON.parse((await terminal.duba("prices", "list", "--json")).out);
        const found: { check: string; passed: boolean; sentence: string; mends: { line: string }[] }[] = JSON.parse(
          (await terminal.duba("doctor", "--json")).out,
        );
        const doctor = found.filter(({ check, passed }) => check === "prices" && !passed);
        return [account.overtaken, ...doctor.map(({ sentence, mends }) => `${sentence} ${mends[0]!.line}`)];
      };
      for (const argv of [
        ["MTNDATA", "104", "--price", "95"],
        ["MTNDATA", "113", "--price", "215"],
        ["dstv", "PRWE36", "--margin=-10%"],
      ])
        await terminal.duba("prices", "set", shop, ...argv);
      await terminal.duba("catalogue", "edit", "MTNDATA", "113", "--price", "210");
      await terminal.duba("catalogue", "edit", "MTNDATA", "104", "--price", "98");
      assert.deepEqual(await told(), [0]);
      await terminal.duba("catalogue", "edit", "MTNDATA", "104", "--price", "120");
      const [count, sentence, ...others] = await told();
      assert.deepEqual([count, others], [1, []]);
      assert.match(
        sentence,
        /^acc_\w+ pays ₦95 for MTNDATA 104, whose price rose from ₦100 to ₦120 since\. duba prices /,
      );
      assert.match(sentence, / duba prices set acc_\w+ MTNDATA 104 --price 95$/);
      const [rule] = JSON.parse((await terminal.duba("prices", "show", shop, "--json")).out).slice(-2);
      assert.deepEqual(rule, { of: "MTNDATA 104", price: "95", catalogue: "120", was: "100" });
      // Importing the current rules changes nothing, but a person who sets a price again changes the price's date.
      const file = terminal.path("same.csv");
      await terminal.duba("catalogue", "export", "--list", "prices", "--out", file);
      assert.match((await terminal.duba("catalogue", "import", "--list", "prices", file)).out, /^Nothing changed: /);
      assert.equal((await told()).length, 2);
      const again = await terminal.duba("prices", "set", shop, "MTNDATA", "104", "--price", "95");
      assert.match(again.out, /prices +MTNDATA 104 for acc_\w+ +modified +₦95, beside a catalogue's price of ₦120\n/);
      assert.deepEqual(await told(), [0]);
      assert.match(
        (await terminal.duba("prices", "set", shop, "MTNDATA", "104", "--price", "95")).out,
        /^Nothing changed:/,
      );
      await terminal.duba("prices", "remove", shop);
      await terminal.duba("catalogue", "edit", "MTNDATA", "104", "--price", "100");
    });

    test("the guard holds an account's new price that is far from what the account pays so far", async () => {
      const { exitCode, err } = await terminal.duba("prices", "set", shop, "MTNDATA", "104", "--price", "9.55");
      assert.equal(exitCode, 1);
      assert.match(err, /MTNDATA 104: price for acc_\w+ ₦[\d.]+ → ₦9\.55 \(−[\d.]+ %\), beyond /);
    });

    for (const [problem, argv, exitCode, sentence] of [
      [
        "an unknown account",
        ["set", "nobody@example.com", "MTNDATA", "--margin", "1%"],
        1,
        /^No account has the id, e-mail or name/,
      ],
      ["an unknown provider", ["set", shop, "NONE", "--margin", "1%"], 1, /^The catalogue has no provider NONE\.\n$/],
      ["an unknown code", ["set", shop, "MTNDATA", "none", "--margin", "1%"], 1, /^The catalogue has no MTNDATA none:/],
      ["no price at all", ["set", shop, "MTNDATA"], 2, /^Give either a margin or a price\.\n$/],
      ["a margin and a price", ["set", shop, "MTNDATA", "104", "--margin", "1%", "--price", "1"], 2, /^Give either/],
      ["a price of a whole provider", ["set", shop, "MTNDATA", "--price", "95"], 2, /^A price is of one entry/],
      [
        "a margin that is none",
        ["set", shop, "MTNDATA", "--margin", "1.005%"],
        2,
        /^--margin must be a margin such as -2\.5%, 3%, 50 or -0\.50/,
      ],
      ["a margin that leaves nothing", ["set", shop, "MTNDATA", "--margin=-100%"], 2, /a percentage above -100%/],
      [
        "a price of nothing",
        ["set", shop, "MTNDATA", "104", "--price", "0"],
        2,
        /^--price must be an amount in naira above 0/,
      ],
      ["nothing to remove", ["remove", "other@example.com"], 1, /^This account has no price of its own\.\n$/],
    ] as const)
      test(`duba prices refuses ${problem}`, async () => {
        const ran = await terminal.duba("prices", ...argv);
        assert.deepEqual([ran.exitCode, ran.out], [exitCode, ""]);
        assert.match(ran.err, sentence);
      });
  });

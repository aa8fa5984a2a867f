import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type CatalogueTerminal, openTerminal } from "../../../test/support/catalogue-terminal.ts";
import { usualEngines } from "../../../test/support/engines.ts";

const [shop, kiosk] = ["shop@example.com", "kiosk@example.com"];

for (const engine of usualEngines)
  suite(`duba prices of groups on ${engine.name}`, () => {
    let terminal: CatalogueTerminal;
    const json = async (...argv: string[]) => JSON.parse((await terminal.duba(...argv, "--json")).out);
    const done = async (...argv: string[]) => {
      const { exitCode, err } = await terminal.duba(...argv);
      assert.equal(exitCode, 0, `${argv.join(" ")}: ${err}`);
    };
    before(async () => {
      terminal = await openTerminal(engine);
      for (const email of [shop, kiosk]) await done("accounts", "create", "--name", "Shop", "--email", email);
    });
    after(() => terminal.close());

    test("a price group gets prices, then members, and price lists show what members pay", async () => {
      const early = await terminal.duba("prices", "join", "agents", shop);
      const [sentence, first, all] = early.err.split("\n");
      assert.equal(sentence, "There is no group agents.");
      assert.equal(first, "To set its first price: duba prices set group:agents <codes>");
      assert.equal(all, "To look for it: duba prices list");
      await done("prices", "set", "group:agents", "list=data-bundles", "--margin", "3%", "--round", "5");
      await done("prices", "set", "group:agents", "size=1.5gb", "--price", "950");
      await done("prices", "join", "agents", shop, kiosk);
      await done("prices", "set", kiosk, "MTNDATA", "104", "--price", "95");
      const rows = (await json("prices", "list")) as Record<string, unknown>[];
      assert.deepEqual(
        rows.map(({ id, name, group, prices }) => [String(id).replace(/^acc_.*/, "acc"), name, group, prices]),
        [
          ["group:agents", "2 accounts", null, 2],
          ["acc", "Shop", "agents", 0],
          ["acc", "Shop", "agents", 1],
        ],
      );
      assert.deepEqual(await json("prices", "show", "group:agents"), [
        { of: "list=data-bundles", price: "+3 % to the next 5" },
        { of: "size=1.5GB", price: "950" },
      ]);
      const sheet = (await json("prices", "sheet", shop, "--list", "data-bundles")) as Record<string, unknown>[];
      const small = sheet.find(({ network, code }) => network === "MTN" && code === "104");
      assert.deepEqual(small, {
        network: "MTN",
        code: "104",
        name: "50MB 24Hrs",
        size: "50MB",
        validity: "24Hrs",
        price: "105",
        per_gb: "2150.4",
      });
      assert.ok(sheet.filter(({ size }) => size === "1.5GB").every(({ price }) => price === "950"));
      const own = (await json("prices", "sheet", kiosk, "--list", "data-bundles")) as Record<string, unknown>[];
      assert.deepEqual(own.find(({ code }) => code === "104")!.price, "95");
      const csv = (await terminal.duba("prices", "sheet", "group:agents", "--csv")).out;
      assert.match(csv, /network,code,name,size,validity,price,per_gb\r?\n/);
      assert.match(csv, /MTN,104,50MB 24Hrs,50MB,24Hrs,105,2150\.4/);
      assert.match((await terminal.duba("prices", "sheet", "group:none")).err, /There is no group:none\./);
      assert.match(
        (await terminal.duba("prices", "set", "group:a b", "MTNDATA", "--margin", "1%")).err,
        /must be group:/,
      );
      assert.match(
        (await terminal.duba("prices", "set", shop, "size=big", "--margin", "1%")).err,
        /size=big is no size such as/,
      );
    });

    test("prices list and the doctor name an entry that an account gets below cost", async () => {
      await done("catalogue", "edit", "MTNDATA", "104", "--cost", "94");
      await done("catalogue", "edit", "MTNDATA", "104", "--cost", "96");
      const { out } = await terminal.duba("prices", "list");
      assert.match(out, /MTNDATA 104: acc_\w+ pays ₦95, below its cost of ₦96\./);
      const doctor = await terminal.duba("doctor");
      assert.match(doctor.out + doctor.err, /MTNDATA 104: acc_\w+ pays ₦95, below its cost of ₦96\./);
      assert.deepEqual(
        ((await json("prices", "list")) as Record<string, unknown>[]).map(({ below_cost }) => below_cost),
        [0, 0, 1],
      );
      await done("catalogue", "edit", "MTNDATA", "104", "--cost", "unknown");
    });

    test("a group's price below the cost is told as what its members pay, by prices set and prices show", async () => {
      await done("catalogue", "edit", "MTNDATA", "104", "--cost", "95");
      await done("catalogue", "edit", "MTNDATA", "113", "--cost", "190");
      const says = "The members of group:resellers pay MTNDATA 113 at its cost of ₦190.";
      const set = ["prices", "set", "group:resellers", "MTNDATA", "113", "--price", "180"];
      const rehearsed = await terminal.duba(...set, "--dry-run");
      assert.ok(rehearsed.err.includes(says), rehearsed.err);
      const { exitCode, err } = await terminal.duba(...set);
      assert.equal(exitCode, 0, err);
      assert.ok(err.includes(says), err);
      const dear = await json("prices", "set", "group:resellers", "MTNDATA", "104", "--price", "99");
      assert.equal(dear.at_cost, undefined);
      const shown = (await json("prices", "show", "group:resellers")) as { of: string; members_pay?: string }[];
      assert.deepEqual(
        shown.map(({ of, members_pay }) => [of, members_pay]),
        [
          ["MTNDATA 104", undefined],
          ["MTNDATA 113", "MTNDATA 113 at its cost of ₦190"],
        ],
      );
      // The nearer rules decide, and 104 is not below its cost by its own.
      const wide = await json("prices", "set", "group:resellers", "MTNDATA", "--margin=-90%", "--dry-run");
      assert.match(wide.at_cost, /MTNDATA 113 at its cost of ₦190/);
      assert.doesNotMatch(wide.at_cost, /MTNDATA 104/);
      await done("prices", "remove", "group:resellers");
    });

    test("importing an exported price file changes nothing, and an edited price file replaces the rules", async () => {
      await done(
        "prices",
        "set",
        "group:agents",
        "GLODATA",
        "--margin=-20",
        "--from",
        "2098-12-01",
        "--until",
        "2098-12-31",
      );
      const file = terminal.path("prices.csv");
      await terminal.duba("catalogue", "export", "--list", "prices", "--out", file);
      const text = terminal.read("prices.csv");
      assert.match(text, /^\ufeffaccount,codes,margin,price,round,from,until,group\n/);
      assert.match(text, /\ngroup:agents,list=data-bundles,3%,,5,,,\n/);
      assert.match(text, /\ngroup:agents,GLODATA,'-20,,,2098-11-30T23:00:00Z,2098-12-31T23:00:00Z,\n/);
      assert.match(text, /\nshop@example\.com,,,,,,,group:agents\n/);
      assert.match((await terminal.duba("catalogue", "import", "--list", "prices", file)).out, /^Nothing changed: /);
      const lines = (...rows: string[]) => terminal.write("other.csv", `${rows.join("\n")}\n`);
      // Without the column, the account stays in its group.
      const plain = lines("account,codes,margin,price", `${kiosk},MTNDATA,1%,`);
      assert.match(
        (await terminal.duba("catalogue", "import", "--list", "prices", plain)).out,
        /published: 1 entry added, 1 removed\.\n$/,
      );
      const moved = lines(
        "account,codes,margin,price,group",
        `${kiosk},MTNDATA,1%,,`,
        "group:vip,MTNDATA,2%,,",
        `${shop},,,,vip`,
      );
      assert.match(
        (await terminal.duba("catalogue", "import", "--list", "prices", moved)).out,
        /published: 1 entry added, 1 changed, 1 removed\.\n$/,
      );
      assert.deepEqual(
        ((await json("prices", "list")) as Record<string, unknown>[]).map(({ id, group }) => [
          String(id).slice(0, 4),
          group,
        ]),
        [
          ["grou", null],
          ["grou", null],
          ["acc_", "vip"],
          ["acc_", null],
        ],
      );
      const wrong = lines(
        "account,codes,margin,price,round,until,group",
        `${shop},MTNDATA,,,,,vip`,
        `${shop},,,,,,nobody`,
        "group:vip,MTNDATA,1%,,7,,",
        "group:vip,dstv,1%,,,2020-01-01,",
        "group:VIP!,dstv,1%,,,,",
      );
      assert.deepEqual(
        (await terminal.duba("catalogue", "import", "--list", "prices", wrong)).err.split("\n").slice(0, 4),
        [
          "line 2: a membership has an account and a group only.",
          "line 4: round must be 5 or 10 naira, or empty.",
          "line 5: until must be later than now, and than from.",
          "line 6: account must be the id or e-mail of an account, or a group such as group:agents.",
        ],
      );
      await done("prices", "join", "none", shop);
    });

    test("an imported rule with an end replaces one without an end, unless the file has both", async () => {
      const rulesOf = async () =>
        ((await json("prices", "show", kiosk)) as Record<string, unknown>[]).map(
          ({ of, price }) => `${of}: ${String(price).replace(/ from \S+/, "")}`,
        );
      const imported = async (...rows: string[]) => {
        const file = terminal.write("ends.csv", `account,codes,margin,price,until\n${rows.join("\n")}\n`);
        return done("catalogue", "import", "--list", "prices", file);
      };
      await imported(`${kiosk},size=1GB,1%,,`, `${kiosk},MTNDATA 104,,95,`);
      await imported(`${kiosk},size=1024MB,1%,,`, `${kiosk},MTNDATA 104,,95,2099-12-31`);
      const ending = "MTNDATA 104: 95 until 2099-12-31T23:00:00Z";
      assert.deepEqual((await rulesOf()).sort(), [ending, "size=1GB: +1 %"]);
      await imported(`${kiosk},MTNDATA 104,,96,`, `${kiosk},MTNDATA 104,,95,2099-12-31`);
      assert.deepEqual((await rulesOf()).sort(), [ending, "MTNDATA 104: 96"]);
      const twice = terminal.write(
        "twice.csv",
        `account,codes,margin,until\n${kiosk},size=1GB,1%,\n${kiosk},size=1024MB,1%,\n`,
      );
      assert.equal(
        (await terminal.duba("catalogue", "import", "--list", "prices", twice)).err,
        "line 3: size=1024MB is listed twice, first in line 2.\n",
      );
    });
  });

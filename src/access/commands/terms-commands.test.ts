import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { suiteTerminal } from "../../../test/support/command-line.ts";
import { usualEngines } from "../../../test/support/engines.ts";

for (const engine of usualEngines)
  suite(`terms on ${engine.name}`, () => {
    const { duba } = suiteTerminal(engine);
    const shop = "shop@example.com";
    const shown = async () => JSON.parse((await duba("accounts", "show", shop, "--json")).out);

    before(() => duba("accounts", "create", "--name", "Corner Shop", "--email", shop));

    test("duba shows, changes and removes the terms of an account", async () => {
      const none = await shown();
      const caps = ["--cap-naira", "50000.50", "--cap-count", "500"];
      const limits = ["--limit-verification", "300/min", "--limit-in-flight", "50", "--limit-negatives", "9/h"];
      const { exitCode, out } = await duba("accounts", "change", shop, ...caps, ...limits);
      assert.equal(exitCode, 0);
      assert.match(out, /cap_naira +₦50,000\.50/);
      const { cap_naira, cap_count, spent_naira, spent_count, ...rest } = await shown();
      assert.deepEqual(
        { cap_naira, cap_count, spent_naira, spent_count },
        { cap_naira: "50000.5", cap_count: 500, spent_naira: "0", spent_count: 0 },
      );
      const { limit_verification, limit_in_flight, limit_negatives } = rest;
      assert.deepEqual([limit_verification, limit_in_flight, limit_negatives], ["300/min", 50, "9/h"]);
      assert.match((await duba("accounts", "list")).out, / spent .*\n.* ₦0\.00 of ₦50,000\.50 /s);
      await duba("accounts", "change", shop, "--cap-naira", "none", "--cap-count", "none");
      const words = ["--limit-verification", "default", "--limit-in-flight", "default", "--limit-negatives", "default"];
      await duba("accounts", "change", shop, ...words);
      assert.deepEqual(await shown(), none);
    });

    test("a change of one fee keeps the other fee, and a change without a new value is refused", async () => {
      const fees = ["--bvn-fee", "80.50", "--nin-fee", "60"];
      const made = ["accounts", "create", "--name", "Terms", "--email", "terms@example.com", ...fees];
      assert.equal(JSON.parse((await duba(...made, "--json")).out).bvn_fee, "80.5");
      const change = ["accounts", "change", "terms@example.com"];
      const { out } = await duba(...change, "--bvn-fee", "default", "--answers", "masked");
      assert.match(out, /pays the default fee for a BVN and ₦60\.00 for a NIN, and receives masked records\.$/m);
      const listed = JSON.parse((await duba("accounts", "list", "--json")).out);
      const { name, bvn_fee, nin_fee, answers } = listed.find(
        ({ email }: { email: string }) => email === "terms@example.com",
      );
      assert.deepEqual([name, bvn_fee, nin_fee, answers], ["Terms", null, "60", "masked"]);
      for (const [argv, sentence] of [
        [[], /^The command has nothing to change/],
        [["--bvn-fee", "eighty"], /^--bvn-fee must be an amount in naira/],
        [["--answers", "some"], /full, masked/],
      ] as const) {
        const { exitCode, err } = await duba(...change, ...argv);
        assert.equal(exitCode, 2);
        assert.match(err, sentence);
      }
    });

    test("duba accounts change reports all bad values at once", async () => {
      const bad = ["--cap-naira", "lots", "--cap-count", "0", "--limit-verification", "9", "--limit-in-flight", "few"];
      const { exitCode, err } = await duba("accounts", "change", shop, ...bad);
      assert.equal(exitCode, 2);
      assert.deepEqual(
        err.split("\n").map((line) => line.split(" ")[0]),
        ["--cap-naira", "--cap-count", "--limit-verification", "--limit-in-flight", "See:", ""],
      );
      assert.match(err, /^--cap-naira must be an amount in naira, such as "100" or "100\.50", or "none"\.\n/);
      const both = await duba("accounts", "change", shop, "--prepaid", "on", "--cap-count", "5");
      assert.deepEqual([both.exitCode, both.err.split("\n")[0]], [2, "An account has a cap or a balance, not both."]);
    });

    test("a top-up is corrected by a further line of the balance, and no line is changed", async () => {
      const top = (amount: string, ...more: string[]) =>
        duba("accounts", "top-up", shop, amount, "--reason", "transfer of 3 November", ...more);
      const unsure = await top("90000");
      assert.equal(unsure.exitCode, 2);
      assert.match(unsure.err, /^Nothing was changed: .+ With --yes: ₦90,000\.00 is added to the balance\. /);
      assert.match(unsure.err, /shop@example\.com is not prepaid: it uses its balance once it is\./);
      const early = await top("90000", "--yes");
      assert.match(
        early.err,
        /it does not use its balance yet\.\nLet it pay before: duba accounts change shop@example\.com --prepaid on/,
      );
      await duba("accounts", "change", shop, "--prepaid", "on");
      assert.equal((await top("81000", "--take-back")).out, "The balance of Corner Shop is ₦9,000.00.\n");
      assert.match((await duba("accounts", "list")).out, / balance .*\n.* ₦9,000\.00 /s);
      const { balance, prepaid } = await shown();
      assert.deepEqual([balance, prepaid], ["9000", true]);
      const tooMuch = await top("9000.01", "--take-back");
      assert.deepEqual(
        [tooMuch.exitCode, tooMuch.err],
        [1, "The balance of the account is less than the amount that you take back.\n"],
      );
      assert.equal((await top("0")).exitCode, 2);
      assert.equal((await duba("accounts", "top-up", shop, "5")).exitCode, 2);
    });
  });

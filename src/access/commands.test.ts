import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { suiteTerminal } from "../../test/support/command-line.ts";
import { usualEngines } from "../../test/support/engines.ts";
import { mayText } from "./commands/list-keys-command.ts";
import { readApiKey } from "./secrets.ts";

for (const engine of usualEngines) {
  suite(`accounts and keys on ${engine.name}`, () => {
    const { duba, atTerminal } = suiteTerminal(engine);
    before(() => duba("accounts", "create", "--name", "Corner Shop", "--email", "Shop@Example.com"));

    test("duba creates accounts and lists them", async () => {
      const { exitCode, out, err } = await duba(
        "accounts",
        "create",
        "--name",
        " Other ",
        "--email",
        "other@example.com",
      );
      assert.equal(exitCode, 0);
      assert.match(out, /^Account acc_\w+ is created for Other\.\n$/);
      assert.match(err, /duba keys create --account other@example\.com/);
      const list = (await duba("accounts", "list")).out.split("\n");
      assert.equal(
        list[0]!.replaceAll(/ +/g, " "),
        "id name email suspended_at bvn_fee nin_fee limit_verification balance spent created_at last_used_at",
      );
      assert.match(
        list[1]!.replaceAll(/ +/g, " "),
        /^acc_\w+ Corner Shop shop@example\.com - default default default - ₦0\.00 \d{4}-\d\d-\d\d [\d:]+\+01 never$/,
      );
    });

    test("duba finds an account by its id or by its e-mail in any case", async () => {
      const shown = async (named: string) => JSON.parse((await duba("accounts", "show", named, "--json")).out);
      const byEmail = await shown("SHOP@example.COM");
      assert.equal(byEmail.name, "Corner Shop");
      assert.deepEqual(await shown(byEmail.id), byEmail);
    });

    test("duba accounts list --json prints accounts as JSON", async () => {
      const made = JSON.parse(
        (await duba("accounts", "create", "--name", "Third", "--email", "third@example.com", "--json")).out,
      );
      const listed = JSON.parse((await duba("accounts", "list", "--json")).out);
      const { balance, prepaid, cap_naira, cap_count, spent_naira, spent_before, spent_count, ...rest } = listed.find(
        ({ id }: { id: string }) => id === made.id,
      );
      assert.deepEqual(
        [balance, prepaid, cap_naira, cap_count, spent_naira, spent_before, spent_count],
        [null, false, null, null, "0", "0", null],
      );
      const { limit_verification, limit_in_flight, limit_negatives, last_used_at, state, stopped_at, ...facts } = rest;
      assert.deepEqual([state, stopped_at], ["active", null]);
      assert.deepEqual([limit_verification, limit_in_flight, limit_negatives], [null, null, null]);
      assert.deepEqual([last_used_at, facts], [null, made]);
      const names = "id name email bvn_fee nin_fee answers address tax_number created_at suspended_at";
      assert.deepEqual(Object.keys(made), names.split(" "));
    });

    test("duba finds an account by its name, and asks for the e-mail if several share the name", async () => {
      for (const email of ["first@example.com", "second@example.com"])
        await duba("accounts", "create", "--name", "Danfo Ride", "--email", email);
      await duba("accounts", "create", "--name", "Lagos Till", "--email", "till@example.com");
      const { email } = JSON.parse((await duba("accounts", "show", " lagos till", "--json")).out);
      assert.equal(email, "till@example.com");
      const noted = await duba("accounts", "note", "Lagos Till", "--note", "Pays by transfer", "--json");
      assert.equal(JSON.parse(noted.out).account, "till@example.com");
      const several = await duba("accounts", "show", "Danfo Ride");
      assert.deepEqual(
        [several.exitCode, several.err],
        [1, '2 accounts have the name "Danfo Ride". Give an e-mail: first@example.com, second@example.com.\n'],
      );
    });

    for (const [problem, argv, sentence] of [
      [
        "an account with a taken e-mail",
        ["accounts", "create", "--name", "S", "--email", "SHOP@example.com"],
        /^Another account has/,
      ],
      [
        "a key for an unknown account",
        ["keys", "create", "--account", "nobody@example.com"],
        /^No account has the id, e-mail or name/,
      ],
      [
        "to list the keys of an unknown account",
        ["keys", "list", "--account", "nobody@example.com"],
        /^No account has/,
      ],
      ["to suspend an unknown account", ["accounts", "suspend", "nobody@example.com"], /^No account has/],
      ["to roll an unknown key", ["keys", "roll", "missing"], /^No key has the public id "missing"\.\n$/],
      ["to revoke an unknown key", ["keys", "revoke", "missing", "--yes"], /^No key has the public id "missing"\.\n$/],
    ] as const) {
      test(`duba refuses ${problem}`, async () => {
        const { exitCode, out, err } = await duba(...argv);
        assert.deepEqual({ exitCode, out }, { exitCode: 1, out: "" });
        assert.match(err, sentence);
        assert.match(err, /^[^\n]+\n$/);
      });
    }

    test("duba refuses a malformed e-mail as a bad value", async () => {
      for (const email of [
        "",
        "example.com",
        "a@b@c",
        "a b@example.com",
        "a:b@example.com",
        "08031415926@example.com",
      ]) {
        const { exitCode, err } = await duba("accounts", "create", "--name", "S", "--email", email);
        assert.equal(exitCode, 2, email);
        assert.match(err, /^--email (must be an e-mail address without a number of ten digits|is required)/);
      }
    });

    test("duba keys create reports all bad values at once, and makes no key", async () => {
      const before = (await duba("keys", "list", "--json")).out;
      const bad = ["--mode", "x", "--scope", "all", "--address", "here", "--expires", "2020-01-01"];
      const { exitCode, out, err } = await duba("keys", "create", ...bad);
      assert.deepEqual({ exitCode, out }, { exitCode: 2, out: "" });
      assert.deepEqual(
        err.split("\n").map((line) => line.split(" ")[0]),
        ["--account", "--mode", "--scope", "--expires", "--address", "See:", ""],
      );
      assert.equal((await duba("keys", "list", "--json")).out, before);
    });

    test("duba keys list --csv prints keys as CSV with a heading", async () => {
      await duba("keys", "create", "--account", "shop@example.com");
      const [names, first] = (await duba("keys", "list", "--csv")).out.split("\n");
      const [key] = JSON.parse((await duba("keys", "list", "--json")).out);
      assert.equal(names, Object.keys(key).join(","));
      assert.ok(first!.startsWith(`${key.id},shop@example.com,${key.account_id},test,`));
    });

    test("duba revokes no key at a terminal until the person types its id", async () => {
      const { id } = JSON.parse((await duba("keys", "create", "--account", "shop@example.com", "--json")).out);
      const stateOf = async () =>
        JSON.parse((await duba("keys", "list", "--json")).out).find((key: { id: string }) => key.id === id).state;
      const refused = await atTerminal("no\n", "keys", "revoke", id);
      assert.equal(refused.exitCode, 1);
      assert.match(refused.err, new RegExp(`type ${id}: You did not confirm\\. Nothing was changed\\.\n$`));
      assert.equal(await stateOf(), "active");
      assert.equal((await atTerminal(`${id}\n`, "keys", "revoke", id)).exitCode, 0);
      assert.equal(await stateOf(), "revoked");
      assert.equal((await atTerminal("", "keys", "revoke", id, "--yes")).exitCode, 0);
    });

    test("duba prints a new key once, alone on standard output, and never in a list", async () => {
      const { exitCode, out, err } = await duba(
        "keys",
        "create",
        "--account",
        "SHOP@example.com",
        "--label",
        "checkout",
      );
      assert.equal(exitCode, 0);
      const key = out.trim();
      const { id, mode } = readApiKey(key) ?? {};
      assert.equal(mode, "test");
      assert.match(err, /does not show it again/);
      assert.ok(!err.includes(key));
      const [{ scopes, addresses, expires_at }] = JSON.parse((await duba("keys", "list", "--json")).out).filter(
        (row: { label: string }) => row.label === "checkout",
      );
      assert.deepEqual([scopes, addresses, expires_at], [["catalogue:read", "identity:verify"], [], null]);
      assert.equal(mayText({ scopes }), "look-ups and verifications");
      assert.equal(mayText({ scopes: [...scopes, "events:manage"] }), "everything");
      for (const form of [[], ["--json"]]) {
        const list = (await duba("keys", "list", "--account", "shop@example.com", ...form)).out;
        assert.ok(list.includes(id!));
        assert.ok(!list.includes("duba_test_"));
        assert.doesNotMatch(list, /hash|[0-9a-f]{64}/);
      }
    });

    test("duba never prints a key that was pasted, whole or with a typing mistake", async () => {
      const made = ["keys", "create", "--account", "shop@example.com"];
      const key = (await duba(...made)).out.trim();
      const secret = key.split("_").at(-1)!;
      const mistyped = `${key.slice(0, -1)}${key.endsWith("a") ? "b" : "a"}`;
      for (const pasted of [key, mistyped, mistyped.replace("duba_test", "duba_live")])
        for (const argv of [
          [pasted],
          ["accounts", "suspend", pasted],
          ["accounts", "change", pasted, "--answers", "full"],
          ["keys", "list", "--account", pasted],
          [...made.slice(0, 3), pasted],
          [...made, "--scope", pasted],
          [...made, "--address", pasted],
          [...made, "--expires", pasted],
          ["keys", "create", pasted],
          ["ledger", "show", pasted],
          ["ledger", "summary", "--account", pasted],
          ["audit", "tail", "--kind", pasted],
          ["prices", "list", "--account", pasted],
          ["catalogue", "show", pasted],
          ["keyring", "retire", pasted, "--yes"],
          ["upstreams", "test", pasted],
          ["call", pasted],
          ["keys", "revoke", pasted, "--yes"],
          ["keys", "roll", pasted],
        ]) {
          const { out, err } = await duba(...argv);
          assert.ok(!`${out}${err}`.includes(secret.slice(0, -1)), `duba ${argv.slice(0, 2).join(" ")}: ${out}${err}`);
        }
    });

    test("duba binds a key to its mode, scopes, addresses and expiry", async () => {
      const argv = ["keys", "create", "--account", "shop@example.com", "--mode", "live", "--scope", "identity:verify"];
      const limits = ["--address", "203.0.113.7", "--address", "10.0.0.0/8", "--expires", "90d", "--json"];
      const { key, ...made } = JSON.parse((await duba(...argv, ...limits)).out);
      assert.equal(readApiKey(key)?.mode, "live");
      const listed = JSON.parse((await duba("keys", "list", "--json")).out);
      assert.deepEqual(
        listed.find(({ id }: { id: string }) => id === made.id),
        made,
      );
      assert.deepEqual(made.scopes, ["identity:verify"]);
      assert.deepEqual(made.addresses, ["203.0.113.7", "10.0.0.0/8"]);
      assert.equal(Date.parse(made.expires_at) - Date.parse(made.created_at) > 89 * 86_400_000, true);
      assert.equal(made.state, "active");
    });

    test("duba changes a key, lists the change, and refuses a change without a new value", async () => {
      const argv = ["keys", "create", "--account", "shop@example.com", "--address", "10.0.0.1", "--json"];
      const { id } = JSON.parse((await duba(...argv)).out);
      const row = async () => (await duba("keys", "list")).out.split("\n").find((line) => line.startsWith(id))!;
      assert.match(await row(), / active .* 10\.0\.0\.1 +never +never +-$/);
      const change = ["keys", "change", id];
      const addresses = ["--address", "203.0.113.7", "--address", "2001:db8::/32"];
      const { out } = await duba(...change, ...addresses, "--label", "till", "--expires", "2099-01-31");
      const sentence = `The test key ${id} (till) of shop@example.com has catalogue:read and identity:verify, from 203.0.113.7 and 2001:db8::/32, until 2099-01-31 00:00+01.\n`;
      assert.equal(out, sentence);
      assert.match(await row(), / till .* 203\.0\.113\.7, 2001:db8::\/32 .* 2099-01-31 00:00\+01 /);
      const open = await duba(...change, "--address", "any", "--expires", "never", "--label", "", "--json");
      const { addresses: none, expires_at, label } = JSON.parse(open.out);
      assert.deepEqual([none, expires_at, label], [[], null, ""]);
      assert.match(await row(), / any /);
      for (const [argv, sentence] of [
        [[], /^The command has nothing to change/],
        [["--expires", "2020-01-01"], /^--expires must be a later day such as .* or "never"\.\n/],
        [["--address", "here"], /^--address must be an IP address or a network.* or "any"\.\n/],
        [["--address", "any", "--address", "10.0.0.1"], /^"any" allows every address/],
        [["--scope", "all"], /^--scope must be one of catalogue:read, identity:verify, events:manage\.\n/],
      ] as const) {
        const { exitCode, err } = await duba(...change, ...argv);
        assert.equal(exitCode, 2);
        assert.match(err, sentence);
      }
      assert.match(
        (await duba("keys", "change", "missing", "--label", "x")).err,
        /^No key has the public id "missing"\.\n$/,
      );
    });

    test("duba accounts change changes the e-mail of an account", async () => {
      await duba("accounts", "create", "--name", "Moved", "--email", "before@example.com");
      const { out } = await duba("accounts", "change", "before@example.com", "--email", "After@example.com");
      assert.match(out, /^Account acc_\w+ \(Moved, after@example\.com\) pays /);
      assert.equal((await duba("accounts", "show", "before@example.com")).exitCode, 1);
      assert.equal((await duba("accounts", "change", "after@example.com", "--email", "after@example.com")).exitCode, 0);
      const change = ["accounts", "change", "after@example.com", "--name", "Lost", "--email", "SHOP@example.com"];
      const taken = await duba(...change);
      assert.deepEqual([taken.exitCode, taken.err], [1, "Another account has the e-mail shop@example.com.\n"]);
      assert.match((await duba("accounts", "show", "after@example.com")).out, /^name +Moved$/m);
      assert.equal((await duba("accounts", "change", "after@example.com", "--email", "x")).exitCode, 2);
    });

    test("duba suspends an account and resumes it", async () => {
      await duba("accounts", "create", "--name", "Paused", "--email", "paused@example.com");
      const suspended = async () =>
        JSON.parse((await duba("accounts", "list", "--json")).out).find(
          ({ email }: { email: string }) => email === "paused@example.com",
        ).suspended_at;
      assert.match((await duba("accounts", "suspend", "paused@example.com")).out, /is suspended since .+ 5 seconds/);
      const since = await suspended();
      assert.match(since, /Z$/);
      await duba("accounts", "suspend", "paused@example.com");
      assert.equal(await suspended(), since);
      assert.match((await duba("accounts", "resume", "paused@example.com")).out, /is active/);
      assert.equal(await suspended(), null);
    });

    test("duba rolls a key, shows the new key once, and keeps the old key until the overlap ends", async () => {
      const argv = ["keys", "create", "--account", "shop@example.com", "--label", "rolled", "--mode", "live", "--json"];
      const old = JSON.parse((await duba(...argv)).out);
      const { exitCode, out, err } = await duba("keys", "roll", old.id, "--overlap", "1h");
      assert.equal(exitCode, 0);
      assert.equal(readApiKey(out.trim())?.mode, "live");
      assert.match(err, new RegExp(`replaces ${old.id}, which ends`));
      const listed = JSON.parse((await duba("keys", "list", "--json")).out) as { id: string; expires_at: string }[];
      const end = Date.parse(listed.find(({ id }) => id === old.id)!.expires_at);
      assert.ok(Math.abs(end - Date.now() - 3_600_000) < 60_000);
      for (const overlap of ["soon", "31d", "721h", "999999d"]) {
        const { exitCode, err } = await duba("keys", "roll", old.id, "--overlap", overlap);
        assert.equal(exitCode, 2);
        assert.match(err, /--overlap must be a length of time of at most 30d/);
      }
      assert.equal((await duba("keys", "roll", old.id, "--overlap", "30d")).exitCode, 0);
    });

    test("duba revokes a key by its id or its whole text, and says when running instances apply that", async () => {
      for (const named of ["id", "key"]) {
        const made = JSON.parse((await duba("keys", "create", "--account", "shop@example.com", "--json")).out);
        const { exitCode, out } = await duba("keys", "revoke", made[named], "--yes");
        assert.equal(exitCode, 0);
        assert.match(out, /^Key \w+ is revoked since .+\. Running instances apply it within 5 seconds\.\n$/);
        const line = (await duba("keys", "list")).out.split("\n").find((row) => row.startsWith(made.id));
        assert.match(line!, / revoked +catalogue/);
      }
    });
  });
}

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Ran, ran, terminalActor } from "../../../test/support/command-line.ts";
import { usualEngines } from "../../../test/support/engines.ts";
import { findAccount } from "../../access/accounts/accounts.ts";
import { storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { requestLife } from "../../storage/tables/ledger-tables.ts";
import { type Operators, startOperators } from "./operators.fixture.ts";

for (const engine of usualEngines)
  suite(`who acted and who approves on ${engine.name}`, () => {
    let operators: Operators;
    let duba: (...argv: string[]) => Promise<Ran>;

    before(async () => {
      operators = await startOperators(engine, { DUBA_FOUR_EYES: "on" });
      const { dataDirectory, databaseUrl } = operators.service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl, DUBA_FOUR_EYES: "on" };
      duba = (...argv) => ran(argv, { environment: { ...environment, DUBA_CONSOLE: "127.0.0.1:8090" } });
    });
    after(() => operators.service.close());

    const entries = (kind: string) => operators.entries(kind);

    test("nobody can approve their own change, even after a change of e-mail", async () => {
      const { post, confirm, deedOf, by, send } = operators;
      const held = await confirm("/catalogue/edit", by.officer, { code: "MTNDATA 104", price: "9000" });
      const [, draft = ""] = /waits for approval as (d\d+)/.exec(held.text) ?? [];
      await confirm("/people/change", by.officer, { person: "officer@example.com", email: "other@example.com" });
      // An approval that would be refused asks for no passkey.
      assert.deepEqual((await deedOf("/catalogue/approve", by.officer, { draft })).json, {});
      const own = await post("/catalogue/approve", by.officer, { draft });
      assert.match(own.text, /You made d\d+\. DUBA_FOUR_EYES is on, so another person must approve it/);

      const officer = `person:${by.officer.id}`;
      assert.deepEqual([(await entries("catalogue.held"))[0]!.actor], [officer]);
      const [changed] = await entries("person.changed");
      assert.equal(changed!.actor, officer);
      assert.deepEqual(
        [changed!.facts.former_email, changed!.facts.email],
        ["officer@example.com", "other@example.com"],
      );
      for (const path of ["/catalogue", "/audit", `/catalogue/show?revision=${draft}`]) {
        const { text } = await send(path, { cookie: by.viewer.cookie });
        assert.match(text.replaceAll("<wbr>", ""), /other@example\.com/, path);
        assert.doesNotMatch(text, /person:per_/, path);
      }
      const { out } = await duba("catalogue", "history");
      assert.match(out, /held +at once +other@example\.com/);
      const { waiting } = JSON.parse((await duba("catalogue", "history", "--json")).out);
      assert.equal(waiting[0].author, officer);

      const second = await operators.signIn("second@example.com", "officer");
      const { page } = (await deedOf("/catalogue/approve", second, { draft })).json;
      assert.match(page, /It makes these changes: 1 entry changed/);
      const approved = await confirm("/catalogue/approve", second, { draft });
      assert.match(approved.text, /Revision 2 is published/);
    });

    test("a draft whose difference has changed is refused before any passkey is asked for", async () => {
      const { post, confirm, deedOf, by } = operators;
      const approver = await operators.signIn("third@example.com", "officer");
      const draftOf = async (price: string, who = by.officer) => {
        const held = await confirm("/catalogue/edit", who, { code: "MTNDATA 104", price });
        return /waits for approval as (d\d+)/.exec(held.text)![1]!;
      };
      const [first, second] = [await draftOf("90000"), await draftOf("80000")];
      assert.match((await confirm("/catalogue/approve", approver, { draft: second })).text, /is published/);
      const refused = await deedOf("/catalogue/approve", approver, { draft: first });
      assert.deepEqual(refused.json, {});
      const { text } = await post("/catalogue/approve", approver, { draft: first });
      assert.match(text, /its difference is another one[^<]*<a href="\/catalogue\/show\?revision=(d\d+\.2)">/);
      const renewed = await confirm("/catalogue/approve", approver, { draft: `${first}.2` });
      assert.match(renewed.text, /is published/);
    });

    test("no change can be approved at the terminal, whatever author is named", async () => {
      const held = await duba("catalogue", "edit", "MTNDATA", "104", "--price", "100", "--author", "bob");
      const [, draft = ""] = /approve (d\d+)/.exec(held.err) ?? [];
      for (const author of ["grace", "bob"]) {
        const { exitCode, err } = await duba("catalogue", "approve", draft, "--author", author);
        assert.equal(exitCode, 1);
        assert.match(err, /DUBA_FOUR_EYES is on, so a person must approve it in the console/);
      }
      const made = (await entries("catalogue.held")).at(-1)!;
      assert.equal(made.actor, terminalActor);
      assert.deepEqual([made.facts.author, made.facts.author_note], [made.actor, "bob"]);
    });

    test("above last month's charges, top-ups and corrections without a reference need a second person", async () => {
      const { confirm, by, service } = operators;
      const email = await service.newAccount("Kiosk");
      const { db } = await service.store();
      const account = await findAccount(db, email);
      const zone = new TimeZone("Africa/Lagos");
      const lastMonth = zone.startOfMonth(zone.monthOf(Date.now())) - 5 * 86_400_000;
      await storeRows(db, verifiedRow(account.id, lastMonth, { fee: 500_000 }));
      const second = await operators.signIn("second.officer@example.com", "officer");
      const given = async (table: "top_up" | "adjustment") => {
        const rows = await db.selectFrom(table).select("kobo").where("account_id", "=", account.id).execute();
        return rows.map(({ kobo }) => kobo);
      };
      for (const [path, table, member] of [
        ["/accounts/top-up", "top_up", "amount"],
        ["/books/adjust", "adjustment", "debit"],
      ] as const) {
        const fields = (amount: string) => ({ account: email, [member]: amount, reason: "Cash", sure: "true" });
        await confirm(path, by.officer, fields("4000"));
        assert.deepEqual(await given(table), [400_000], path);
        for (const who of [by.officer, by.officer])
          assert.match((await confirm(path, who, fields("1000.01"))).text, /waits for a second person/);
        assert.match((await confirm(path, second, fields("1000.02"))).text, /waits for a second person/);
        assert.deepEqual(await given(table), [400_000], path);
        assert.doesNotMatch((await confirm(path, second, fields("1000.01"))).text, /waits for/);
        assert.deepEqual(await given(table), [400_000, 100_001], path);
        // The first person's request expires after a day.
        await confirm(path, by.officer, fields("1000.03"));
        await db
          .updateTable("money_request")
          .set((row) => ({ at: row("at", "-", requestLife) }))
          .execute();
        assert.match((await confirm(path, second, fields("1000.03"))).text, /waits for a second person/);
        // A second person's confirmation applies once.
        assert.match((await confirm(path, second, fields("1000.01"))).text, /waits for a second person/);
        assert.deepEqual(await given(table), [400_000, 100_001], path);
      }
      const terminal = await duba("accounts", "top-up", email, "9000", "--reason", "Cash");
      assert.match(terminal.err, /DUBA_FOUR_EYES is on, so two people must give it in the console/);
      assert.deepEqual((await entries("money.requested"))[0]!.facts.amount, "1000.01");
    });

    test("nobody can get an e-mail that another person had", async () => {
      await duba("people", "invite", "ada@example.com", "--role", "operator");
      const [ada] = JSON.parse((await duba("people", "list", "--json")).out).slice(-1);
      await duba("people", "change", "ada@example.com", "--email", "ada.obi@example.com");
      const taken = /was the e-mail of another person/;
      assert.match((await duba("people", "invite", "ada@example.com")).err, taken);
      assert.match((await duba("people", "change", "viewer@example.com", "--email", "Ada@example.com")).err, taken);
      assert.match((await duba("people", "list")).out, /ada\.obi@example\.com +operator/);

      await duba("people", "remove", "ada.obi@example.com", "--yes");
      assert.match((await duba("people", "change", "viewer@example.com", "--email", "ada@example.com")).err, taken);
      assert.match((await duba("audit", "tail", "--lines", "200")).out, /person\.invited +terminal/);
      // A person who returns keeps the old id.
      await duba("people", "invite", "ada@example.com");
      const [back] = JSON.parse((await duba("people", "list", "--json")).out).slice(-1);
      assert.deepEqual([back.id, back.email, back.role], [ada.id, "ada@example.com", "viewer"]);
      // People may return to their own former e-mail.
      assert.equal((await duba("people", "change", "ada@example.com", "--email", "ada.obi@example.com")).exitCode, 0);
    });
  });

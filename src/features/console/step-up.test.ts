import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Ran, ran } from "../../../test/support/command-line.ts";
import { usualEngines } from "../../../test/support/engines.ts";
import { until } from "../../../test/support/until.ts";
import { confirms, givenAway, mayRun, roles } from "../../declare/command.ts";
import { everyCommand } from "../../wire/every-command.ts";
import { type Operators, startOperators } from "./operators.fixture.ts";
import { beginSession, findSession } from "./people/sessions.ts";
import { pathOf } from "./site-map.ts";

const commands = (await everyCommand()).filter(({ only, store }) => only !== "terminal" && store !== "own");

test("the commands that give something away are exactly those of the design's list", () => {
  const by = Object.fromEntries(
    givenAway.map((gift) => [gift, commands.filter(({ gives }) => gives === gift).map(({ id }) => id)]),
  );
  assert.deepEqual(by, {
    money: [
      ...["accounts.change", "accounts.top-up"],
      ...["catalogue.import", "catalogue.revert", "catalogue.approve", "catalogue.edit", "catalogue.change-prices"],
      ...["catalogue.map.approve", "catalogue.map.set", "catalogue.map.import"],
      ...["prices.set", "prices.remove", "prices.join"],
      ...["ledger.release", "ledger.settle", "books.adjust", "books.price", "books.settle-unknown", "upstreams.test"],
    ],
    authority: ["people.invite", "people.change", "people.remove", "passkeys.add", "passkeys.remove"],
    credentials: ["keys.create", "keys.change", "keys.roll", "events.endpoints.add", "events.endpoints.roll"],
    "personal data": ["subjects.export", "subjects.erase"],
    protection: ["accounts.resume", "routes.resume"],
  });
});

test("the commands that need no passkey give nothing away and weaken no protection", () => {
  const changes = commands.filter(({ kind }) => kind !== "read");
  assert.deepEqual(
    changes.filter((command) => confirms(command) === "never").map(({ id }) => id),
    [
      ...["alarms.acknowledge", "alarms.acknowledge-all", "accounts.note", "accounts.create"],
      ...["catalogue.reject", "catalogue.map.propose", "sources.pull"],
      ...[
        "ledger.note",
        "books.rebuild-sums",
        "events.resend",
        "events.resend-all",
        "sessions.end",
        "sessions.end-others",
      ],
    ],
  );
});

for (const engine of usualEngines)
  suite(`what an action gives away on ${engine.name}`, () => {
    let operators: Operators;
    let duba: (...argv: string[]) => Promise<Ran>;

    before(async () => {
      operators = await startOperators(engine);
      const { dataDirectory, databaseUrl } = operators.service.settings;
      duba = (...argv) => ran(argv, { environment: { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl } });
      await operators.service.newAccount("Shop");
      await operators.service.verify();
    });
    after(() => operators.service.close());

    const entries = (kind: string) => operators.entries(kind);

    const isRevoked = async (id: string) => {
      const { db } = await operators.service.store();
      const { revoked_at } = await db
        .selectFrom("api_key")
        .select("revoked_at")
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      return revoked_at !== null;
    };

    test("a stolen cookie cannot run a command that needs a passkey, and changes nothing", async () => {
      const { post, confirm, by, service } = operators;
      const key = await service.newKey();
      const example = (texts: object) =>
        Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, String([text].flat().join("\n"))]));
      // These commands are refused here before a passkey is asked for: files are missing, the vendor is not set up, or
      // the passkey is the only one.
      const refused = ["catalogue.import", "catalogue.map.import", "upstreams.test", "passkeys.remove"];
      const always = commands.filter((command) => confirms(command) === "always" && !refused.includes(command.id));
      assert.ok(always.length > 10);
      const { db } = await service.store();
      // The job that reads the journal may write audit entries of earlier verifications at any moment: not counted.
      const others = ["console.refused", "verification.ended"];
      const written = async () =>
        (await db.selectFrom("audit_entry").select("id").where("kind", "not in", others).execute()).length;
      const held = await confirm("/catalogue/edit", by.operator, { code: "MTNDATA 104", price: "9000" });
      const [, draft = ""] = /waits for approval as (d\d+)/.exec(held.text) ?? [];
      const invitations = () => db.selectFrom("person_invitation").select("secret_hash").execute();
      const body = { bvn: "00000000006", phone: "08000000006", amount: "100" };
      const unknown = await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body });
      const lost = unknown.json.error.request_reference as string;
      await db.updateTable("verification").set({ started_at: 1 }).where("reference", "=", lost).execute();
      await duba("routes", "pause", "dojah");
      // The targets of the commands exist, because a refused command asks for no passkey.
      const endpoint = JSON.parse(
        (await duba("events", "endpoints", "add", "https://hooks.example.com/duba", "--json")).out,
      );
      const match = { source: "ebills", list: "data-bundles", source_code: "MTNDATA 231" };
      await db
        .insertInto("catalogue_mapping")
        .values({
          source: "ebills",
          list: "data-bundles",
          code: "MTNDATA 231",
          state: "unclear",
          own: null,
          is_new: 0,
          about: "",
          why: "",
          looks: null,
          seen: null,
          decided_by: null,
          decided_at: null,
        })
        .execute();
      const fitting: Record<string, Record<string, string>> = {
        "events.endpoints.roll": { id: endpoint.id },
        "events.endpoints.remove": { id: endpoint.id },
        "catalogue.map.approve": { source: "ebills" },
        "catalogue.map.set": { ...match, own: "none" },
        "keys.revoke-all": { account: "sandbox@example.com" },
        "accounts.resume": { account: "shop@example.com" },
        "people.change": { person: "viewer@example.com", role: "operator" },
        "people.remove": { person: "viewer@example.com" },
        "routes.resume": { vendor: "dojah" },
        "ledger.release": { reference: lost, reason: "Not done" },
        "ledger.settle": { reference: lost, outcome: "not_found", reason: "They say so" },
      };
      const before = { entries: await written(), invitations: await invitations() };
      const sometimes: Record<string, Record<string, string>> = {
        "catalogue.change-prices": { by: "-15%", list: "data-bundles" },
        "catalogue.edit": { code: "MTNDATA 104", cost: "1" },
        "catalogue.revert": { revision: "1" },
        "prices.set": { account: "shop@example.com", codes: "MTNDATA", margin: "-1%" },
      };
      for (const command of commands.filter((command) => always.includes(command) || command.id in sometimes)) {
        const role = roles.find((each) => mayRun(each, command))!;
        const own = {
          ...(sometimes[command.id] ?? example(command.examples[0]!)),
          ...(command.id === "catalogue.approve" && { draft }),
          ...(command.id === "keys.revoke" && { id: key.id }),
          ...(command.id === "books.adjust" && { sure: "on" }),
          ...fitting[command.id],
          ...(command.id.startsWith("subjects") && { number: "22000000017" }),
        };
        for (const extra of [{}, { _passkey: "{}", _deed: "x" }]) {
          const { text } = await post(pathOf(command), by[role], { ...own, ...extra });
          assert.match(text, /Your passkey must confirm this|Nobody has registered this passkey/, command.id);
        }
      }
      assert.deepEqual({ entries: await written(), invitations: await invitations() }, before);
    });

    test("the console cannot make or invite an officer", async () => {
      const { confirm, post, by } = operators;
      const only = /at the terminal only/;
      const invited = { email: "mallory@example.com", role: "officer" };
      assert.match((await post("/people/invite", by.officer, invited)).text, only);
      assert.match((await post("/people/invite", by.officer, { email: "officer@example.com" })).text, only);
      const again = { email: "officer@example.com", role: "viewer" };
      assert.match((await post("/people/invite", by.officer, again)).text, only);
      const promoted = { person: "operator@example.com", role: "officer" };
      assert.match((await post("/people/change", by.officer, promoted)).text, only);
      const fine = await confirm("/people/invite", by.officer, { email: "new@example.com", role: "operator" });
      assert.match(fine.text, /join#/);
    });

    test("a command that would be refused asks for no passkey, and its page calls a client by name", async () => {
      const match = { source: "vtpass", list: "data-bundles", source_code: "MTNDATA 231" };
      const { by, post, deedOf } = operators;
      for (const [path, who, fields, refusal] of [
        ["/keys/create", by.operator, { account: "Nobody", mode: "live" }, /No account has the id, e-mail or name/],
        ["/people/invite", by.officer, { email: "x@example.com", role: "officer" }, /at the terminal only/],
        ["/people/remove", by.officer, { person: "officer@example.com" }, /You cannot remove yourself/],
        ["/passkeys/remove", by.officer, { passkey: by.officer.passkey.id }, /your only passkey/],
        ["/routes/resume", by.operator, { vendor: "prembly" }, /There is no such pause/],
        ["/ledger/release", by.officer, { reference: "3wKwKW719640695", reason: "None" }, /has no verification/],
        [
          "/events/endpoints/add",
          by.operator,
          { url: "https://x.example/", account: "Nobody" },
          /No account has the id/,
        ],
        ["/events/endpoints/add", by.operator, { url: "http://x.example/" }, /Use an https:\/\/ URL/],
        ["/events/endpoints/roll", by.operator, { id: "ep_q3Jx0vT5bZ1K" }, /No endpoint has this id/],
        ["/events/endpoints/remove", by.operator, { id: "ep_q3Jx0vT5bZ1K" }, /No endpoint has this id/],
        ["/prices/set", by.operator, { account: "Nobody", codes: "MTNDATA", margin: "1%" }, /No account has the id/],
        ["/prices/set", by.operator, { account: "shop", codes: "MTNDATA" }, /either a margin or a price/],
        ["/prices/remove", by.operator, { account: "Nobody" }, /No account has the id/],
        ["/prices/join", by.operator, { group: "none", accounts: "Nobody" }, /No account has the id/],
        ["/books/price", by.officer, { vendor: "dojah", prices: "*.failed=5" }, /Give the price of a kind/],
        ["/subjects/export", by.officer, { number: "2200000001" }, /must be 11 digits/],
        ["/catalogue/map/set", by.operator, { ...match, own: "a b" }, /must be one code without spaces/],
        ["/catalogue/map/set", by.operator, { ...match, own: "104" }, /MTNDATA 231/],
        [
          ...(["/catalogue/map/approve", by.operator, { ...match, list: "cable-products" }] as const),
          /Nothing is proposed for MTNDATA 231/,
        ],
      ] as const) {
        assert.deepEqual((await deedOf(path, who, fields)).json, {}, path);
        assert.match((await post(path, who, fields)).text, refusal);
      }
      const { json } = await deedOf("/keys/create", by.operator, { account: "shop", mode: "live" });
      assert.match(json.page, /New key for Shop\?/i);
    });

    test("a confirmation is valid for one target, input, command, session and person only", async () => {
      const { service, by, post, deedOf } = operators;
      const [one, other] = [await service.newKey(), await service.newKey()];
      const signed = async (fields: Record<string, string>, who = by.operator, path = "/keys/revoke") => {
        const { json } = await deedOf(path, who, fields);
        return { _deed: json.deed, _passkey: JSON.stringify(who.passkey.sign(json.options!.challenge)) };
      };
      const before = (await operators.refusals()).length;
      // A page of another site shows the console in a frame, where the person may not see what is signed.
      for (const more of [{ crossOrigin: true }, { topOrigin: "https://elsewhere.example" }]) {
        const { json } = await deedOf("/keys/revoke", by.operator, { id: one.id });
        const _passkey = JSON.stringify(by.operator.passkey.sign(json.options!.challenge, operators.origin, more));
        const framed = await post("/keys/revoke", by.operator, { id: one.id, _deed: json.deed!, _passkey });
        assert.match(framed.text, /The passkey did not sign what the console asked for/);
        assert.ok(!(await isRevoked(one.id)));
      }
      const moved = await post("/keys/revoke", by.operator, { id: other.id, ...(await signed({ id: one.id })) });
      assert.match(moved.text, /The passkey did not sign what the console asked for/);
      assert.ok(!(await isRevoked(other.id)));
      const elsewhere = await post("/accounts/top-up", by.operator, {
        account: "shop@example.com",
        amount: "5",
        reason: "Cash",
        ...(await signed({ id: one.id })),
      });
      assert.match(elsewhere.text, /The passkey did not sign/);
      const live = { account: "shop@example.com", mode: "live", scope: "catalogue:read" };
      const narrow = await signed(live, by.operator, "/keys/create");
      const wider = await post("/keys/create", by.operator, { ...live, scope: "identity:verify", ...narrow });
      assert.match(wider.text, /The passkey did not sign/);
      // A colleague's session with the first person's signature.
      const colleague = await operators.signIn("colleague@example.com", "operator");
      const stolen = await post("/keys/revoke", colleague, { id: one.id, ...(await signed({ id: one.id })) });
      assert.equal(stolen.status, 403);
      // Another session of the same person.
      const { db, now } = await service.store();
      const secret = await beginSession(db, by.operator.id, now());
      const { formToken: token } = (await findSession(db, secret, now(), false))!;
      const second = { ...by.operator, token, cookie: `${by.operator.cookie.split("=")[0]}=${secret}` };
      const inOther = await post("/keys/revoke", second, { id: one.id, ...(await signed({ id: one.id })) });
      assert.match(inOther.text, /The passkey did not sign/);
      // The signature comes with a changed time.
      const late = await signed({ id: one.id });
      const [nonce, at] = late._deed.split(".");
      const shifted = await post("/keys/revoke", by.operator, {
        id: one.id,
        ...late,
        _deed: `${nonce}.${Number(at) + 1}`,
      });
      assert.match(shifted.text, /The passkey did not sign/);
      assert.ok(!(await isRevoked(one.id)));
      assert.equal((await operators.refusals()).slice(before).filter(({ reason }) => reason === "passkey").length, 8);

      const used = await signed({ id: one.id });
      assert.match((await post("/keys/revoke", by.operator, { id: one.id, ...used })).text, /is revoked since/);
      const again = await post("/keys/revoke", by.operator, { id: one.id, ...used });
      assert.match(again.text, /The passkey did not sign/);
    });

    test("the confirmation page shows the action and its effect", async () => {
      const { service, by, deedOf } = operators;
      const key = await service.newKey({ label: "till of the corner shop" });
      const page = async (path: string, who: typeof by.officer, fields: Record<string, string>) =>
        (await deedOf(path, who, fields)).json.page.replaceAll("<wbr>", "");
      const revoking = await page("/keys/revoke", by.operator, { id: key.id });
      assert.match(revoking, /Nobody can undo this/);
      for (const fact of ["Sandbox", "till of the corner shop", "Last used", "never"])
        assert.ok(revoking.includes(fact), fact);
      const paying = await page("/accounts/top-up", by.operator, {
        account: "shop@example.com",
        amount: "5000",
        reason: "Cash",
      });
      assert.match(paying, /This moves money/);
      assert.match(paying, /Top up Shop\?[\s\S]*shop@example\.com[\s\S]*₦5,000\.00 is added to the balance/);
      const removing = await page("/people/remove", by.officer, { person: "viewer@example.com" });
      assert.match(removing, /Remove viewer@example\.com\?[\s\S]*viewer/);
      const exported = await page("/subjects/export", by.officer, { number: "22000000017" });
      assert.doesNotMatch(exported, /22000000017/);
    });

    test("an erasure shows what it would erase, and needs no passkey if nothing would be erased", async () => {
      const { by, deedOf, post } = operators;
      const { page } = (await deedOf("/subjects/erase", by.officer, { number: "22000000017" })).json;
      assert.match(page, /the BVN ending 0017: 1 of sandbox@example\.com \(test\), with 0 records/);
      assert.doesNotMatch(page, /22000000017/);
      assert.deepEqual((await deedOf("/subjects/erase", by.officer, { number: "22000000555" })).json, {});
      const { text } = await post("/subjects/erase", by.officer, { number: "22000000555" });
      assert.match(text, /Duba holds nothing about the BVN ending 0555, so nothing was erased and there is no receipt/);
    });

    test("a live key and new terms need a passkey, but a test key and a new name need none", async () => {
      const { post, confirm, by, deedOf } = operators;
      const account = "shop@example.com";
      const made = await post("/keys/create", by.operator, { account, mode: "test" });
      const [, id = ""] = /data-address="\/keys\/show\?id=(\w+)"/.exec(made.text) ?? [];
      assert.match((await post("/keys/change", by.operator, { id, label: "till" })).text, /The test key till of/);
      assert.match(
        (await post("/accounts/change", by.operator, { account, name: "Shop" })).text,
        /The account Shop pays/,
      );
      assert.deepEqual((await deedOf("/accounts/change", by.operator, { account, name: "Shop" })).json, {});
      for (const [path, fields] of [
        ["/keys/create", { account, mode: "live" }],
        ["/accounts/change", { account, bvn_fee: "1" }],
        ["/accounts/change", { account, prepaid: "on" }],
      ] as const)
        assert.match((await post(path, by.operator, fields)).text, /Your passkey must confirm this/, path);
      const live = await confirm("/keys/create", by.operator, { account, mode: "live" });
      const [, liveId = ""] = /data-address="\/keys\/show\?id=(\w+)"/.exec(live.text) ?? [];
      assert.match((await post("/keys/roll", by.operator, { id: liveId })).text, /Your passkey must confirm this/);
      assert.match((await confirm("/keys/roll", by.operator, { id: liveId })).text, /replaces/);
    });

    test("the audit entry proves who confirmed an action, and contains no personal data", async () => {
      const { confirm, by } = operators;
      const account = "shop@example.com";
      await confirm("/accounts/change", by.operator, { account, prepaid: "on" });
      const given = { account, amount: "250", reason: "They paid 22000000017" };
      assert.match((await confirm("/accounts/top-up", by.operator, given)).text, /250/);
      await confirm("/subjects/export", by.officer, { number: "22000000017" });
      const [{ actor, facts }] = (await entries("account.topped_up")) as [Awaited<ReturnType<typeof entries>>[number]];
      assert.equal(actor, `person:${by.operator.id}`);
      const { command, input, passkey } = facts.confirmation;
      assert.deepEqual([command, input.account, input.amount], ["accounts.top-up", account, "250"]);
      assert.match(input.reason, /^hmac-sha256:[\w-]{43}$/);
      assert.equal(passkey, by.operator.passkey.id);
      const [exported] = await entries("subject.exported");
      assert.match(exported!.facts.confirmation.input.number, /^hmac-sha256:/);
      assert.doesNotMatch(JSON.stringify([facts, exported]), /22000000017/);
      assert.match((await duba("audit", "tail", "--kind", "account.topped_up")).out, /confirmation=by passkey/);
      // The entries are sealed within a second.
      await until(async () => {
        const { out } = await duba("audit", "verify", "--json");
        const { whole, unsealed, problems } = JSON.parse(out);
        assert.deepEqual(problems, []);
        return whole && unsealed === 0;
      });
    });
  });

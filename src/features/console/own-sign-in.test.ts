import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { engines } from "../../../test/support/engines.ts";
import { softwarePasskey } from "../../../test/support/software-passkey.ts";
import { until } from "../../../test/support/until.ts";
import { type Operators, type SignedInOperator, startOperators } from "./operators.fixture.ts";

const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0";
const edge =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, " +
  "like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36 EdgA/142.0.0.0";

for (const engine of engines)
  suite(`a person's own sign-in on ${engine.name}`, () => {
    let operators: Operators;
    before(async () => {
      operators = await startOperators(engine);
    });
    after(() => operators.service.close());

    const signIn = async (passkey: SignedInOperator["passkey"], agent = firefox) => {
      const { send, origin } = operators;
      const headers = { "Content-Type": "application/json", Origin: origin, "User-Agent": agent };
      const ask = (path: string, body: object) => send(path, { method: "POST", body: JSON.stringify(body), headers });
      const { challenge } = JSON.parse((await ask("/sign-in/options", {})).text);
      const answer = await ask("/sign-in", { response: passkey.sign(challenge) });
      return { status: answer.status, cookie: String(answer.headers["set-cookie"]).split(";")[0]! };
    };
    const page = async (who: { cookie: string }) => (await operators.send("/you", { cookie: who.cookie })).text;
    const rows = (text: string, heading: string) =>
      text
        .split(`<h2>${heading}</h2>`)[1]!
        .split("</table>")[0]!
        .split("<tr")
        .slice(2)
        .map((row) => ({
          text: row.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " "),
          link: /<a href="([^"]+)"/.exec(row)?.[1]?.split("=")[1],
        }));
    /** Makes what a browser would make for the form that adds a passkey. */
    const made = async (who: SignedInOperator) => {
      const passkey = softwarePasskey(operators.origin);
      const { text } = await operators.post("/passkeys/options", who, {});
      const { challenge, excludeCredentials } = JSON.parse(text);
      return { passkey, excludeCredentials, credential: JSON.stringify(passkey.register(challenge)) };
    };
    const add = async (who: SignedInOperator, name: string) => {
      const { passkey, credential } = await made(who);
      const { text } = await operators.confirm("/passkeys/add", who, { name, credential });
      assert.match(text, new RegExp(`The passkey ${name} is added`));
      return passkey;
    };
    const entries = async (kind: string) =>
      (await operators.entries(kind)).map(({ actor, facts }) => ({ actor, ...facts }));

    test("a person of any role adds a passkey by confirming with an old one, and both passkeys work", async () => {
      const { by, confirm, send } = operators;
      const who = by.viewer;
      const { excludeCredentials, credential } = await made(who);
      assert.deepEqual(
        excludeCredentials.map(({ id }: { id: string }) => id),
        [who.passkey.id],
      );
      const unconfirmed = await operators.post("/passkeys/add", who, { name: "Phone", credential });
      assert.match(unconfirmed.text, /Your passkey must confirm this/);
      assert.equal(rows(await page(who), "Your passkeys").length, 1);

      const phone = await add(who, "Phone");
      const listed = rows(await page(who), "Your passkeys");
      assert.match(listed[1]!.text, /Phone \d\d:\d\d\S* never/);
      const { status, cookie } = await signIn(phone, edge);
      assert.equal(status, 200);
      assert.doesNotMatch(rows(await page(who), "Your passkeys")[1]!.text, /never/);
      // The new passkey's own session confirms with the new passkey.
      const text = (await send("/keys", { cookie })).text;
      const [, token = ""] = /name="_token" value="([^"]+)"/.exec(text) ?? [];
      await confirm("/passkeys/remove", { ...who, cookie, token, passkey: phone }, { passkey: phone.id });
      assert.equal((await signIn(phone)).status, 403);
      const [added] = await entries("passkey.added");
      assert.deepEqual([added.actor, added.name], [`person:${who.id}`, "Phone"]);
      assert.match(added.confirmation.input.credential, /^hmac-sha256:/);
      assert.deepEqual(
        (await entries("passkey.removed")).map(({ name, passkey }) => [name, passkey]),
        [["Phone", added.passkey]],
      );
      // The entries are sealed within a second.
      const { dataDirectory, databaseUrl } = operators.service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      await until(async () => {
        const { whole, unsealed, problems } = JSON.parse(
          (await ran(["audit", "verify", "--json"], { environment })).out,
        );
        assert.deepEqual(problems, []);
        return whole && unsealed === 0;
      });
    });

    test("two concurrent removals never remove a person's last passkey", async () => {
      const who = await operators.signIn("two@example.com", "viewer");
      const { credential } = await made(who);
      const refused = await operators.post("/passkeys/add", who, { name: "Phone 0800 000 0017", credential });
      assert.match(refused.text, /Name must not hold a number of ten or more digits/);
      const phone = await add(who, "Phone");
      const deeds = await Promise.all(
        [who.passkey, phone].map(async ({ id }) => {
          const { json } = await operators.deedOf("/passkeys/remove", who, { passkey: id });
          const _passkey = JSON.stringify(who.passkey.sign(json.options!.challenge, operators.origin));
          return { passkey: id, _passkey, _deed: json.deed! };
        }),
      );
      const removed = await Promise.all(deeds.map((deed) => operators.post("/passkeys/remove", who, deed)));
      assert.equal(removed.filter(({ text }) => /is removed/.test(text)).length, 1);
      // The later request meets the last passkey, or was signed by the one just removed.
      const second = /This is your only passkey|The passkey did not sign|Nobody has registered this passkey/;
      assert.equal(removed.filter(({ text }) => second.test(text)).length, 1);
      const people = await operators.send("/people", { cookie: operators.by.officer.cookie });
      assert.match(people.text, /two@example\.com[\s\S]*?data-label="Passkeys">1</);
    });

    test("nobody can change another person's passkeys or sessions, or add another person's credential", async () => {
      const { by, confirm, post } = operators;
      const victim = await operators.signIn("victim@example.com", "officer");
      await add(victim, "Phone");
      const other = await made(victim);
      const foreign = await confirm("/passkeys/add", by.operator, { name: "Mine", credential: other.credential });
      assert.match(foreign.text, /The passkey did not sign what the console asked for/);
      const taken = await post("/passkeys/remove", by.operator, { passkey: victim.passkey.id });
      assert.match(taken.text, /You have no such passkey/);
      const [{ link } = { link: "" }] = rows(await page(victim), "Your sessions");
      const { db } = await operators.service.store();
      const { secret_hash } = await db
        .selectFrom("console_session")
        .select("secret_hash")
        .where("person_id", "=", victim.id)
        .executeTakeFirstOrThrow();
      assert.equal(link, undefined, "this session ends by signing out");
      assert.match((await post("/sessions/end", by.operator, { session: secret_hash })).text, /You have no other/);
      assert.match((await post("/sessions/end-others", by.operator, {})).text, /You have no other/);
      assert.equal(rows(await page(victim), "Your passkeys").length, 2);
    });

    test("a person can end one session, all other sessions, or the sessions of a lost passkey", async () => {
      const { post, confirm, send } = operators;
      const who = await operators.signIn("many@example.com", "viewer");
      const lives = async ({ cookie }: { cookie: string }) => (await send("/keys", { cookie })).status === 200;
      const [one, two] = [await signIn(who.passkey), await signIn(who.passkey, edge)];
      const listed = rows(await page(who), "Your sessions");
      assert.deepEqual(
        listed.map(({ text }) =>
          /(?:Firefox on Windows|Edge on Android|A browser on another system).* (?:yes|no)/
            .exec(text)?.[0]
            .replace(/ \d.* /, " "),
        ),
        ["Edge on Android no", "Firefox on Windows no", "A browser on another system yes"],
      );
      assert.match((await post("/sessions/end", who, { session: listed[1]!.link! })).text, /The session has ended/);
      assert.deepEqual([await lives(one), await lives(two), await lives(who)], [false, true, true]);
      assert.match((await post("/sessions/end-others", who, {})).text, /Your other sessions have ended/);
      assert.deepEqual([await lives(two), await lives(who)], [false, true]);
      const lost = await add(who, "Lost");
      const stolen = await signIn(lost);
      await confirm("/passkeys/remove", who, { passkey: lost.id });
      assert.deepEqual([await lives(stolen), await lives(who)], [false, true]);
      assert.deepEqual(
        (await entries("session.ended")).map(({ actor, sessions }) => [actor, sessions]),
        [
          [`person:${who.id}`, 1],
          [`person:${who.id}`, 1],
        ],
      );
      // The session stores neither address nor user agent.
      const { db } = await operators.service.store();
      const kept = JSON.stringify(await db.selectFrom("console_session").selectAll().execute());
      assert.doesNotMatch(kept, /Mozilla|198\.51|127\.0/);
    });
  });

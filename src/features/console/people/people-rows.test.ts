import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ran } from "../../../../test/support/command-line.ts";
import { type FreshSettings, usualEngines } from "../../../../test/support/engines.ts";
import { withSuiteStore } from "../../../../test/support/fresh-store.ts";
import { recorded } from "../../../access/access.fixture.ts";
import type { Store } from "../../../storage/store.ts";
import { invitedPerson, inviteFirst, invitePerson } from "./people-rows.ts";
import { beginSession, endSession, findSession, isFormToken } from "./sessions.ts";

const minute = 60_000;

for (const engine of usualEngines)
  suite(`people on ${engine.name}`, () => {
    let settings: FreshSettings;
    let store: Store;
    const clock = { at: 1_800_000_000_000 };
    const now = () => clock.at;
    const room = () => ({ ...recorded(store.db), now });
    const duba = (argv: string[], console: string | undefined = "127.0.0.1:8090") => {
      const { dataDirectory, databaseUrl } = settings;
      return ran(argv, {
        environment: { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl, DUBA_CONSOLE: console },
      });
    };

    withSuiteStore(engine, (opened, itsSettings) => {
      store = opened;
      settings = itsSettings;
    });

    test("an officer invites, lists, changes and removes people at a terminal", async () => {
      const { out, err, exitCode } = await duba(["people", "invite", "Ada@example.com", "--role", "operator"]);
      assert.equal(exitCode, 0);
      assert.match(out, /^http:\/\/localhost:8090\/join#[0-9A-Za-z]{43}\n$/);
      assert.match(err, /ada@example\.com is invited as operator\. The link works once/);
      assert.match((await duba(["people", "list"])).out, /ada@example\.com +operator +invited +0 +terminal/);
      assert.equal((await duba(["people", "change", "ada@example.com", "--role", "officer"])).exitCode, 0);
      assert.match((await duba(["people", "remove", "ada@example.com", "--yes"])).out, /ada@example\.com is removed/);
      assert.match((await duba(["people", "list"])).out, /Nobody is invited yet/);
      assert.match((await duba(["people", "remove", "ada@example.com", "--yes"])).err, /No person has/);
    });

    test("without a console nobody can be invited", async () => {
      const { exitCode, err } = await duba(["people", "invite", "ada@example.com"], "");
      assert.equal(exitCode, 2);
      assert.match(err, /Set DUBA_CONSOLE/);
    });

    test("an invitation works for 15 minutes, and a later one replaces it", async () => {
      const first = await invitePerson(room(), { email: "grace@example.com", role: "viewer" });
      const second = await invitePerson(room(), { email: "grace@example.com" });
      assert.equal(second.person.id, first.person.id);
      assert.equal(second.person.role, "viewer");
      assert.equal(await invitedPerson(store.db, first.secret, now()), undefined);
      assert.equal((await invitedPerson(store.db, second.secret, now()))?.email, "grace@example.com");
      assert.equal(await invitedPerson(store.db, second.secret, now() + 15 * minute), undefined);
    });

    test("the first officer is invited at each start until somebody has a passkey", async () => {
      const officer = await inviteFirst(room());
      assert.equal(officer?.person.role, "officer");
      const [id, person_id] = ["credential", officer!.person.id];
      const passkey = { id, person_id, public_key: "", counter: 0, transports: "[]", name: "", created_at: now() };
      await store.db.insertInto("passkey").values(passkey).execute();
      assert.equal(await inviteFirst(room()), undefined);
    });

    test("a session ends after 12 hours, after 30 idle minutes, at sign-out, and with its person", async () => {
      const { person } = await invitePerson(room(), { email: "mary@example.com", role: "officer" });
      const begin = () => beginSession(store.db, person.id, now());
      const lives = async (secret: string, isUse = true) =>
        (await findSession(store.db, secret, now(), isUse)) !== undefined;

      const used = await begin();
      for (let passed = 0; passed < 12 * 60; passed += 20) {
        assert.ok(await lives(used), `after ${passed} minutes`);
        clock.at += 20 * minute;
      }
      assert.ok(!(await lives(used)));

      const idle = await begin();
      clock.at += 29 * minute;
      assert.ok(await lives(idle, false));
      clock.at += minute;
      assert.ok(!(await lives(idle)), "a page that refreshes itself is no use");

      const ended = await begin();
      await endSession(store.db, ended);
      assert.ok(!(await lives(ended)));

      const removed = await begin();
      assert.ok(await lives(removed));
      assert.equal((await duba(["people", "remove", "mary@example.com", "--yes"])).exitCode, 0);
      assert.ok(!(await lives(removed)));
    });

    test("a session has the current role of its person, and its own form token", async () => {
      const { person } = await invitePerson(room(), { email: "joan@example.com", role: "officer" });
      const [one, other] = [
        await beginSession(store.db, person.id, now()),
        await beginSession(store.db, person.id, now()),
      ];
      await duba(["people", "change", "joan@example.com", "--role", "viewer"]);
      const session = (await findSession(store.db, one, now(), true))!;
      assert.equal(session.person.role, "viewer");
      assert.ok(isFormToken(session, session.formToken));
      assert.ok(!isFormToken(session, (await findSession(store.db, other, now(), true))!.formToken));
      assert.ok(!isFormToken(session, ""));
    });
  });

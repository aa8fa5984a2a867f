import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { findAccount } from "../src/access/accounts/accounts.ts";
import { resend } from "../src/features/events/deliveries.ts";
import { addEndpoint } from "../src/features/events/endpoints.ts";
import { eventKeyring, openReceiver } from "../src/features/events/events.fixture.ts";
import { announce } from "../src/storage/events/announce.ts";
import { failingEndpoints, undelivered } from "../src/storage/events/undelivered.ts";
import { ran } from "./support/command-line.ts";
import { usualEngines } from "./support/engines.ts";
import { suiteService } from "./support/service.ts";
import { until } from "./support/until.ts";

const day = 86_400_000;
const path = "/api/v2/events/endpoints";

for (const engine of usualEngines)
  suite(`endpoints of a key that ended on ${engine.name}`, () => {
    const service = suiteService({ DUBA_EVENT_NETWORKS: "127.0.0.0/8", DUBA_LIMITS: "off" }, engine);

    const duba = async (...argv: string[]) => {
      const { dataDirectory, databaseUrl = "" } = service.settings;
      return ran(argv, { environment: { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl } });
    };
    const json = async (...argv: string[]) => JSON.parse((await duba(...argv, "--json")).out);
    const receiving = async (t: TestContext) => {
      const receiver = await openReceiver();
      t.after(() => receiver.close());
      return receiver;
    };
    const managing = (account: string) =>
      service.newKey({ account, scopes: ["catalogue:read", "identity:verify", "events:manage"] });
    const add = async (credential: string, url: string): Promise<string> => {
      const { status, json, text } = await service.ask(path, { method: "POST", body: { url }, credential });
      assert.equal(status, 200, text);
      return json.data.id;
    };
    const listed = async (account: string, id: string) =>
      (await json("events", "endpoints", "list", "--account", account)).find((one: { id: string }) => one.id === id);
    const happens = async (account: string, about: string) => {
      const { db } = await service.store();
      const data = { key: about, revoked_at: new Date(0).toISOString() };
      const { id: audience } = await findAccount(db, account);
      await announce(db, { type: "key.revoked", audience, mode: "test", about, data, at: Date.now() });
    };
    const doctor = async () =>
      (await json("doctor")).find(({ check }: { check: string }) => check === "endpoints") as {
        passed: boolean;
        sentence: string;
      };

    test("revoking a key names its endpoints and switches them off before the client's next event", async (t) => {
      const account = await service.newAccount("Robbed");
      const [thief, shop] = [await receiving(t), await receiving(t)];
      const [stolen, own] = [await managing(account), await managing(account)];
      const [bad, good] = [await add(stolen.text, thief.url), await add(own.text, shop.url)];
      const { exitCode, out } = await duba("keys", "revoke", stolen.id, "--yes");
      assert.equal(exitCode, 0);
      assert.match(out, new RegExp(`It made the endpoint ${bad} of 127\\.0\\.0\\.1:\\d+, which is off since `));
      assert.ok(!out.includes(good));
      await until(() => shop.received.length === 1);
      await happens(account, "another");
      await until(() => shop.received.length === 2);
      assert.equal(thief.received.length, 0);

      assert.equal((await listed(account, bad)).mark, "its key is revoked");
      assert.deepEqual([(await listed(account, good)).mark, (await listed(account, good)).off_since], [null, null]);
      const { endpoints } = await json("keys", "show", stolen.id);
      assert.partialDeepStrictEqual(endpoints, [{ endpoint: bad, mark: "its key is revoked" }]);
      assert.match((await duba("keys", "show", stolen.id)).out, new RegExp(`${bad}.+its key is revoked`));
      const shown = (await duba("accounts", "show", account)).out;
      assert.match(shown, new RegExp(`\nEndpoints that need a look:\n\n[^\n]+\n${bad}.+its key is revoked`));
      const { db } = await service.store();
      assert.deepEqual(
        (await failingEndpoints(db, Date.now())).filter(({ id }) => id === bad),
        [],
        "it is off on purpose, and no alarm",
      );
      assert.equal((await undelivered(db)).dead, 0);
      const entries = await db.selectFrom("audit_entry").select("facts").where("kind", "=", "endpoint.off").execute();
      assert.ok(entries.some(({ facts }) => facts.includes(bad) && facts.includes(`"key":"${stolen.id}"`)));
    });

    test("an endpoint of a revoked key has no deliveries, and an operator can switch it on again", async (t) => {
      const account = await service.newAccount("Waits");
      const receiver = await receiving(t);
      receiver.behaves = () => 500;
      const key = await managing(account);
      const id = await add(key.text, receiver.url);
      await happens(account, "one");
      await until(() => receiver.received.length > 0);
      await duba("keys", "revoke", key.id, "--yes");
      const { db } = await service.store();
      const left = db.selectFrom("event_delivery").selectAll().where("endpoint_id", "=", id);
      assert.deepEqual(await left.execute(), []);
      receiver.behaves = () => 204;
      assert.equal((await duba("events", "resend", id)).exitCode, 0);
      assert.partialDeepStrictEqual(await listed(account, id), { off_since: null, mark: "its key is revoked" });
      assert.match((await doctor()).sentence, new RegExp(`${id} of .+ its key is revoked`));
      await duba("keys", "revoke", key.id, "--yes");
      assert.notEqual((await listed(account, id)).off_since, null, "revoked once more, the key takes it along again");
    });

    test("with --keep-endpoints, a revoked key's endpoints stay on and are marked", async (t) => {
      const account = await service.newAccount("Keeps");
      const receiver = await receiving(t);
      const key = await managing(account);
      const id = await add(key.text, receiver.url);
      const { out, err } = await duba("keys", "revoke", key.id, "--keep-endpoints", "--yes");
      assert.match(out + err, new RegExp(`${id} of .+, which stays on and gets events`));
      assert.partialDeepStrictEqual(await listed(account, id), { off_since: null, mark: "its key is revoked" });
      await until(() => receiver.received.length === 1);
    });

    test("a key that was revoked a moment ago adds no endpoint, and switches none on", async (t) => {
      const account = await service.newAccount("Late");
      const receiver = await receiving(t);
      const key = await managing(account);
      const id = await add(key.text, receiver.url);
      await duba("keys", "revoke", key.id, "--yes");
      const { db } = await service.store();
      const place = { db, audit: async () => {}, actor: `key:${key.id}`, keyring: eventKeyring, now: Date.now() };
      const wanted = {
        accountId: account,
        mode: "test" as const,
        url: new URL("https://late.example.com/"),
        types: [],
      };
      await assert.rejects(addEndpoint(place, wanted), { code: "invalid_credentials" });
      await assert.rejects(resend(place, { endpoint: id }, Date.now()), { code: "invalid_credentials" });
      assert.notEqual((await listed(account, id)).off_since, null);
    });

    test("keys roll names the key's endpoints and leaves them on, and doctor reports the expired key", async (t) => {
      const account = await service.newAccount("Rolls");
      const receiver = await receiving(t);
      const key = await managing(account);
      const id = await add(key.text, receiver.url);
      const { err } = await duba("keys", "roll", key.id, "--overlap", "1h");
      assert.match(err, new RegExp(`${key.id} made the endpoint ${id} of .+, which stays on\\.`));
      assert.partialDeepStrictEqual(await listed(account, id), { off_since: null, mark: null });
      const { db } = await service.store();
      await db
        .updateTable("api_key")
        .set({ expires_at: Date.now() - day })
        .where("id", "=", key.id)
        .execute();
      assert.equal((await listed(account, id)).mark, "its key has expired");
      const { passed, sentence } = await doctor();
      assert.match(sentence, new RegExp(`${id} of .+ goes to 127\\.0\\.0\\.1:\\d+, and its key has expired`));
      assert.ok(passed);
    });

    test("an endpoint without a known maker is marked in lists and when a key of its account is revoked", async (t) => {
      const account = await service.newAccount("Old");
      const receiver = await receiving(t);
      const key = await managing(account);
      const id = await add(key.text, receiver.url);
      const { db } = await service.store();
      await db.updateTable("event_endpoint").set({ made_by: null }).where("id", "=", id).execute();
      assert.partialDeepStrictEqual(await listed(account, id), { made_by: null, mark: "nobody kept who made it" });
      const { out, err } = await duba("keys", "revoke", key.id, "--yes");
      assert.match(out + err, new RegExp(`Nobody kept who made the endpoint ${id} of its account`));
      assert.equal((await listed(account, id)).off_since, null);
    });

    test("events of a suspended account wait, and get their full delivery time when it is resumed", async (t) => {
      const account = await service.newAccount("Pauses");
      const receiver = await receiving(t);
      const key = await managing(account);
      const id = await add(key.text, receiver.url);
      await duba("accounts", "suspend", account);
      await happens(account, "meanwhile");
      assert.equal((await listed(account, id)).mark, "its account is suspended");
      assert.match((await duba("accounts", "show", account)).out, new RegExp(`${id}.+its account is suspended`));
      const { db } = await service.store();
      const long = { give_up_at: Date.now() - day };
      await db.updateTable("event_delivery").set(long).where("endpoint_id", "=", id).execute();
      // An event of another account is delivered meanwhile, which shows that deliveries ran.
      const other = await service.newAccount("Others");
      const [theirs, otherKey] = [await receiving(t), await managing(other)];
      await add(otherKey.text, theirs.url);
      await happens(other, "theirs");
      await until(() => theirs.received.length === 1);
      assert.equal(receiver.received.length, 0);
      receiver.behaves = () => 500;
      await duba("accounts", "resume", account);
      await until(() => receiver.received.length === 1);
      receiver.behaves = () => 204;
      await until(() => receiver.received.length === 2);
    });
  });

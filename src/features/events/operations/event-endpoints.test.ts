import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ran } from "../../../../test/support/command-line.ts";
import { engines } from "../../../../test/support/engines.ts";
import { assertFailure } from "../../../../test/support/failure.ts";
import { PostgresDoor } from "../../../../test/support/postgres-door.ts";
import { type AskOptions, type ServiceResponse, startService, suiteService } from "../../../../test/support/service.ts";
import { until } from "../../../../test/support/until.ts";
import { pathMembers, type Scope, scopes } from "../../../declare/operation.ts";
import { openReceiver, readDelivery } from "../events.fixture.ts";
import { eventOperations } from "./index.ts";

const path = "/api/v2/events/endpoints";
const managing = eventOperations.filter(({ scope }) => scope === "events:manage");

for (const engine of engines)
  suite(`webhook endpoints by key on ${engine.name}`, () => {
    const service = suiteService({ DUBA_EVENT_NETWORKS: "127.0.0.0/8", DUBA_LIMITS: "off" }, engine);
    const closed = suiteService({ DUBA_LIMITS: "off" }, engine);

    const keyOf = (
      account: string,
      options: { mode?: "test" | "live"; scopes?: readonly Scope[] } = {},
      at = service,
    ) => at.newKey({ account, scopes, ...options });
    const post = (to: string, credential: string, body: object = {}, at = service): Promise<ServiceResponse> =>
      at.ask(to, { method: "POST", body, credential });
    const add = async (credential: string, url: string) => {
      const { status, json, text } = await post(path, credential, { url });
      assert.equal(status, 200, text);
      return json as { data: { id: string }; secret: string };
    };
    const list = async (credential: string) => (await service.ask(path, { credential })).json.data;
    const duba = async (...argv: string[]) => {
      const { dataDirectory, databaseUrl = "" } = service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      const { exitCode, out, err } = await ran([...argv, "--json"], { environment });
      assert.equal(exitCode, 0, err);
      return JSON.parse(out);
    };
    /** The audit entries about an endpoint: kind and actor. */
    const audited = async (endpoint: string) => {
      const { db } = await service.store();
      const rows = await db.selectFrom("audit_entry").selectAll().orderBy("occurred_at").orderBy("id").execute();
      return rows.filter(({ facts }) => facts.includes(endpoint)).map(({ kind, actor }) => [kind, actor]);
    };

    test("a key adds an endpoint, reads its deliveries, resends them, rolls the secret and removes it", async (t) => {
      const receiver = await openReceiver();
      t.after(() => receiver.close());
      const account = await service.newAccount("Manages");
      const { text: key, id: keyId } = await keyOf(account);
      const { data, secret } = await add(key, receiver.url);
      const { id } = data;
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.partialDeepStrictEqual(data, { url: receiver.url, mode: "test", state: "on", made_by: keyId });
      assert.ok(!JSON.stringify(await list(key)).includes(secret.slice(6)));

      const tested = (await post(`${path}/${id}/test`, key)).json.data;
      assert.partialDeepStrictEqual(tested, { delivered: true, status: 204, outcome: "answered" });
      assert.partialDeepStrictEqual(readDelivery(secret, receiver.received.pop()!), { type: "endpoint.test" });

      receiver.behaves = () => 500;
      const event = (await post("/api/v2/events/trigger", key, { type: "verification.reversed" })).json.data;
      const deliveries = async (query = "") =>
        (await service.ask(`${path}/${id}/deliveries${query}`, { credential: key })).json;
      await until(async () => Date.parse((await deliveries()).data[0]?.next_try_at) > Date.now());
      const { data: found, next, more } = await deliveries();
      assert.equal(more, false);
      assert.partialDeepStrictEqual(found, [
        {
          event: event.id,
          type: "verification.reversed",
          state: "waiting",
          attempts: 1,
          status: 500,
          outcome: "answered",
        },
      ]);
      assert.deepEqual((await list(key))[0].last_delivery.tried_at, found[0].tried_at);
      assert.deepEqual((await deliveries(`?after=${next}`)).data, []);
      assert.deepEqual((await deliveries("?after=0&limit=1")).data, found);

      // A resend leaves a waiting delivery where it is.
      assert.equal((await post(`${path}/${id}/resend`, key, { event: event.id })).json.data.events, 0);
      const { db } = await service.store();
      await db.updateTable("event_delivery").set({ state: "dead" }).where("endpoint_id", "=", id).execute();
      assert.equal((await deliveries()).data[0].next_try_at, null);
      receiver.behaves = () => 204;
      for (const overlap of ["31d", "721h", "999999d", "soon"])
        assertFailure(await post(`${path}/${id}/secret`, key, { overlap }), 422, "validation_failed", {
          fields: ["overlap"],
          message: /overlap must be a length of time of at most 30d/,
        });
      const rolled = (await post(`${path}/${id}/secret`, key, { overlap: "1h" })).json;
      assert.ok(Date.parse(rolled.old_secret_ends_at) > Date.now() + 3_500_000);
      assert.equal((await post(`${path}/${id}/resend`, key)).json.data.events, 1);
      await until(() => receiver.received.length === 2);
      for (const one of [secret, rolled.secret]) assert.deepEqual(readDelivery(one, receiver.received[1]!), event);
      await until(async () => (await list(key))[0].last_delivery?.state === "delivered");

      assert.equal((await service.ask(`${path}/${id}`, { method: "DELETE", credential: key })).status, 200);
      assert.deepEqual(await list(key), []);
      assert.deepEqual(
        await audited(id),
        ["endpoint.added", "endpoint.rolled", "events.resent", "endpoint.removed"].map((kind) => [
          kind,
          `key:${keyId}`,
        ]),
      );
    });

    test("operators see who made each endpoint, and a key sees no maker of an operator's endpoint", async () => {
      const account = await service.newAccount("Both");
      const { text: key, id: keyId } = await keyOf(account, { mode: "live" });
      const { data: own } = await add(key, "https://shop.example.com/own");
      const theirs = await duba("events", "endpoints", "add", "https://shop.example.com/theirs", "--account", account);
      assert.match(theirs.made_by, /^terminal:/);
      const listed = await duba("events", "endpoints", "list", "--account", account);
      assert.deepEqual(
        listed.map(({ id, made_by }: Record<string, string>) => [id, made_by]),
        [
          [own.id, `key:${keyId}`],
          [theirs.id, theirs.made_by],
        ],
      );
      assert.deepEqual(
        (await list(key)).map(({ id, made_by }: Record<string, string>) => [id, made_by]),
        [
          [own.id, keyId],
          [theirs.id, null],
        ],
      );
    });

    /** Each operation on the endpoint, with valid input. */
    const asked = (id: string, credential: string, event = "evt_Vn3bGq0sJ1mTz5xKc8Lw"): Promise<ServiceResponse>[] =>
      managing
        .filter((each) => pathMembers(each).length > 0)
        .map(({ method, path, carriage }) => {
          const body: AskOptions = carriage === "body" ? { body: path.endsWith("resend") ? { event } : {} } : {};
          return service.ask(path.replace("{id}", id), { method, credential, ...body });
        });

    test("a key gets the 404 of a missing endpoint for endpoints of another account or mode", async () => {
      const [mine, others] = [await service.newAccount("Mine"), await service.newAccount("Others")];
      const cells = [
        { account: mine, mode: "test" },
        { account: mine, mode: "live" },
        { account: others, mode: "test" },
        { account: others, mode: "live" },
      ] as const;
      const owned = [];
      for (const { account, mode } of cells) {
        const { text: key } = await keyOf(account, { mode });
        owned.push({ key, id: (await add(key, "https://shop.example.com/duba")).data.id });
      }
      const told = async (id: string, key: string) =>
        Promise.all(
          asked(id, key).map(async (each) => {
            const response = await each;
            assertFailure(response, 404, "endpoint_not_found");
            return response.text.replace(response.json.error.request_id, "");
          }),
        );
      const unknown = await told("ep_q3Jx0vT5bZ1K", owned[0]!.key);
      for (const one of owned)
        for (const other of owned) if (one !== other) assert.deepEqual(await told(other.id, one.key), unknown);
      for (const id of ["NOTHING", "22000000017"]) await told(id, owned[0]!.key);
      for (const { key, id } of owned)
        assert.deepEqual(
          (await list(key)).map((each: { id: string }) => each.id),
          [id],
          "nothing was changed",
        );
      for (const { id } of owned)
        assert.deepEqual(
          (await audited(id)).map(([kind]) => kind),
          ["endpoint.added"],
        );
    });

    test("an event of another account gets the same 404 as a missing one", async () => {
      const { text: key } = await keyOf(await service.newAccount("Asks"));
      const { text: other } = await keyOf(await service.newAccount("Has"));
      const { id } = (await add(key, "http://127.0.0.1:1/asks")).data;
      await add(other, "http://127.0.0.1:1/has");
      const event = (await post("/api/v2/events/trigger", other, { type: "key.revoked" })).json.data.id;
      for (const each of [event, "evt_Vn3bGq0sJ1mTz5xKc8Lw"])
        assertFailure(await post(`${path}/${id}/resend`, key, { event: each }), 404, "event_not_found");
      for (const query of ["", "?after=0"])
        assert.deepEqual((await service.ask(`${path}/${id}/deliveries${query}`, { credential: key })).json.data, []);
    });

    test("a live endpoint without TLS is sent no test if no operator opened its network", async () => {
      const { text: live } = await keyOf(await service.newAccount("Plain"), { mode: "live" });
      const { id } = (await add(live, "http://8.8.8.8/")).data;
      const { delivered, outcome } = (await post(`${path}/${id}/test`, live)).json.data;
      assert.deepEqual({ delivered, outcome }, { delivered: false, outcome: "https_required" });
    });

    test("a key without events:manage does not learn whether an endpoint exists", async () => {
      const account = await service.newAccount("Narrow");
      const { id } = (await add((await keyOf(account)).text, "http://127.0.0.1:1/narrow")).data;
      const { text: usual, id: usualId } = await service.newKey({ account });
      assert.deepEqual((await duba("keys", "show", usualId)).scopes, ["catalogue:read", "identity:verify"]);
      const told = async (response: ServiceResponse) => {
        assertFailure(response, 403, "insufficient_scope", { message: /events:manage/ });
        assert.ok(!response.text.includes(id));
        return response.json.message;
      };
      const messages = new Set<string>();
      for (const each of [id, "ep_q3Jx0vT5bZ1K", "NOTHING"])
        for (const response of await Promise.all(asked(each, usual))) messages.add(await told(response));
      for (const body of [{ url: "https://shop.example.com/" }, { url: "http://127.0.0.1:1/narrow" }, {}, "{"])
        messages.add(await told(await service.ask(path, { method: "POST", body, credential: usual })));
      messages.add(await told(await service.ask(path, { credential: usual })));
      assert.equal(messages.size, 1);
    });

    test("a key adds an endpoint only for event types that it may list", async () => {
      const account = await service.newAccount("Types");
      const { text: key } = await keyOf(account, { scopes: ["events:manage"] });
      const { json } = await post(path, key, { url: "https://shop.example.com/all" });
      assert.deepEqual(json.data.types, ["key.expiring", "key.revoked"]);
      const wanted = { url: "https://shop.example.com/one", types: "key.revoked,verification.settled" };
      assertFailure(await post(path, key, wanted), 403, "insufficient_scope", { message: /identity:verify/ });
      assertFailure(await post(path, key, { ...wanted, types: "vendor.alarm" }), 422, "validation_failed", {
        fields: ["types"],
      });
    });

    test("a key with events:manage alone changes all endpoints of the account and reads no event body", async () => {
      const account = await service.newAccount("Alone");
      const { text: key } = await keyOf(account);
      const { text: alone } = await keyOf(account, { scopes: ["events:manage"] });
      const { id } = (await add(key, "http://127.0.0.1:1/secret-path")).data;
      const theirs = await duba(
        ..."events endpoints add http://ops.invalid/ops --mode test --account".split(" "),
        account,
      );
      const event = (await post("/api/v2/events/trigger", key, { type: "verification.reversed" })).json.data;
      const { json, text } = await service.ask(path, { credential: alone });
      assert.deepEqual(
        json.data.map(({ id, url }: Record<string, string>) => [id, url]),
        [
          [id, "http://127.0.0.1:1/secret-path"],
          [theirs.id, "http://ops.invalid/ops"],
        ],
      );
      assert.ok(!text.includes(theirs.made_by) && !text.includes("whsec_"), text);
      const sent = await service.ask(`${path}/${id}/deliveries?after=0`, { credential: alone });
      assert.partialDeepStrictEqual(sent.json.data, [{ event: event.id, type: "verification.reversed" }]);
      const listed = await service.ask("/api/v2/events?after=0", { credential: alone });
      for (const { text } of [sent, listed]) assert.ok(!text.includes(event.data.request_reference), text);
      assert.deepEqual(listed.json.data, []);
      for (const refused of [
        await service.ask("/api/v2/corporate-data/list", { credential: alone }),
        await service.verify({ credential: alone }),
      ])
        assertFailure(refused, 403, "insufficient_scope");
      assert.match((await post(`${path}/${theirs.id}/secret`, alone)).json.secret, /^whsec_/);
      for (const each of [id, theirs.id])
        assert.equal((await service.ask(`${path}/${each}`, { method: "DELETE", credential: alone })).status, 200);
      assert.deepEqual(await list(key), []);
    });

    test("an account has one endpoint per URL and mode, and at most 10, even with parallel requests", async () => {
      const account = await service.newAccount("Many");
      const { text: key } = await keyOf(account);
      const url = "https://shop.example.com/duba";
      const twice = await Promise.all([url, url, url].map((each) => post(path, key, { url: each })));
      assert.deepEqual(twice.map(({ status }) => status).toSorted(), [200, 409, 409]);
      const { id } = twice.find(({ status }) => status === 200)!.json.data;
      for (const refused of twice.filter(({ status }) => status === 409))
        assertFailure(refused, 409, "endpoint_exists", { message: new RegExp(id) });
      const more = await Promise.all(Array.from({ length: 11 }, (_, end) => post(path, key, { url: `${url}/${end}` })));
      assert.equal(more.filter(({ status }) => status === 200).length, 9);
      for (const refused of more.filter(({ status }) => status !== 200))
        assertFailure(refused, 409, "too_many_endpoints");
      assert.equal((await post(path, (await keyOf(account, { mode: "live" })).text, { url })).status, 200);
    });

    test("keys may change endpoints 50 times a day per account and mode, and operators more often", async () => {
      const account = await service.newAccount("Rolls");
      const [one, other] = [await keyOf(account), await keyOf(account)];
      const { id } = (await add(one.text, "http://127.0.0.1:1/rolls")).data;
      const roll = (credential = one.text) => post(`${path}/${id}/secret`, credential);
      assertFailure(await post(`${path}/ep_000000000000/secret`, one.text), 404, "endpoint_not_found");
      const rolled = await Promise.all(Array.from({ length: 55 }, (_, at) => roll((at % 2 === 0 ? one : other).text)));
      assert.equal(rolled.filter(({ status }) => status === 200).length, 49);
      const changes = (credential: string) => [
        roll(credential),
        post(path, credential, { url: "http://127.0.0.1:1/more" }),
        post(`${path}/${id}/resend`, credential),
        service.ask(`${path}/${id}`, { method: "DELETE", credential }),
      ];
      const refusals = [one, other].flatMap(({ text }) => changes(text));
      for (const refused of [...rolled.filter(({ status }) => status !== 200), ...(await Promise.all(refusals))]) {
        assertFailure(refused, 429, "rate_limited", { message: /50 times in 24 hours/ });
        const wait = Number(refused.headers["retry-after"]);
        assert.ok(wait > 86_000 && wait <= 86_400, `${wait}`);
      }
      assert.equal((await list(one.text)).length, 1);
      await duba("events", "endpoints", "roll", id);
      await add((await keyOf(account, { mode: "live" })).text, "https://shop.example.com/rolls");
      await add((await keyOf(await service.newAccount("Calm"))).text, "http://127.0.0.1:1/calm");
      assert.equal((await audited(id)).length, 51);

      const { db } = await service.store();
      const first = db
        .selectFrom("audit_entry")
        .select("id")
        .where("kind", "=", "endpoint.added")
        .where("actor", "=", `key:${one.id}`);
      await db
        .updateTable("audit_entry")
        .set((row) => ({ occurred_at: row("occurred_at", "-", 86_400_000) }))
        .where("id", "in", first)
        .execute();
      assert.equal((await roll(other.text)).status, 200);
      assertFailure(await roll(), 429, "rate_limited");
    });

    test("private addresses are refused, unless an operator opened their network", async () => {
      const account = await closed.newAccount("Curious");
      const { text: key } = await keyOf(account, {}, closed);
      const { text: live } = await keyOf(account, { mode: "live" }, closed);
      for (const host of ["127.0.0.1", "10.1.2.3", "[::1]", "2130706433", "169.254.169.254", "[::ffff:10.0.0.1]"])
        for (const one of [key, live]) {
          const refused = await post(path, one, { url: `https://${host}/` }, closed);
          assertFailure(refused, 422, "validation_failed", { fields: ["url"], message: /public address/ });
        }
      for (const url of [
        "ftp://shop.example.com",
        "shop.example.com",
        "https://ada:secret@shop.example.com",
        "https://x/#a",
        "https://x/#",
      ])
        assertFailure(await post(path, key, { url }, closed), 422, "validation_failed", { fields: ["url"] });
      const numbered = [
        "hook/22650000012",
        "hook?of=0803-141-5926",
        "0803/141/5926",
        "%32%32650000012",
        "२२६५००००१२३",
        "a23408031415926",
      ];
      for (const end of numbered) {
        const refused = await post(path, key, { url: `https://shop.example.com/${end}` }, closed);
        assertFailure(refused, 422, "validation_failed", { fields: ["url"], message: /ten to 14 digits/ });
      }
      const uuid = "https://shop.example.com/0198a2b4-1234-5678-9012-123456789012";
      const ofDiscord = "https://discord.com/api/webhooks/1234567890123456789/AbC-1dEf";
      for (const url of [uuid, ofDiscord]) assert.equal((await post(path, key, { url }, closed)).status, 200, url);
      const plain = await post(path, live, { url: "http://shop.example.com/" }, closed);
      assertFailure(plain, 422, "validation_failed", { fields: ["url"], message: /https/ });
      // A name of the operator's own network looks like an unknown name.
      for (const url of ["https://localhost/", "https://nobody.invalid/"]) {
        const { id } = (await post(path, key, { url }, closed)).json.data;
        const { delivered, status, outcome } = (await post(`${path}/${id}/test`, key, {}, closed)).json.data;
        assert.deepEqual(
          { delivered, status, outcome },
          { delivered: false, status: null, outcome: "no_public_address" },
        );
      }
    });
  });

test("a change with an unconfirmed commit is reported as one that may have been made", async (t) => {
  const postgres = engines.find(({ name }) => name === "postgres")!;
  const place = await postgres.ready();
  const door = await PostgresDoor.open(place.settings.databaseUrl!);
  const behind = { ...place, settings: { ...place.settings, databaseUrl: door.url } };
  const service = await startService({}, { ...postgres, ready: async () => behind });
  t.after(async () => {
    await service.close();
    await door.close();
  });
  const { text: credential } = await service.newKey({ scopes: ["events:manage"] });
  const add = (url: string) => service.ask(path, { method: "POST", body: { url }, credential });
  const listed = async () => (await service.ask(path, { credential })).json.data as { url: string }[];
  // The service's jobs commit as well, and may be the ones that get no reply.
  for (let n = 0; ; n += 1) {
    const url = `https://shop.example.com/${n}`;
    const lost = door.loseReplyTo("commit");
    const response = await add(url);
    await lost;
    if (response.status === 200) continue;
    const { error } = assertFailure(response, 500, "internal_error", { message: /may have done what you asked/ });
    assert.equal(error.retryable, false);
    assert.ok((await listed()).some((endpoint) => endpoint.url === url));
    return;
  }
});

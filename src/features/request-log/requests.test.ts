import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { usualEngines } from "../../../test/support/engines.ts";
import { assertFailure } from "../../../test/support/failure.ts";
import { type ServiceResponse, sandboxKey, startService, type TestService } from "../../../test/support/service.ts";
import { removeBatches } from "../../storage/retention/retention-rule.ts";
import { requestRules } from "../../storage/tables/request-tables.ts";
import { RequestEntries } from "./request-entries.ts";

const lookup = "/api/v2/internet/data/lookup?provider=MTNDATA";
const verify = (bvn: string) => ({ method: "POST", body: { bvn, phone: "08000000017", amount: "100" } });
const idOf = ({ headers }: ServiceResponse) => String(headers["x-request-id"]);

for (const engine of usualEngines)
  suite(`the request log on ${engine.name}`, () => {
    let service: TestService;
    const get = (id: string, credential?: string) =>
      service.ask(`/api/v2/requests/${id}`, credential === undefined ? {} : { credential });
    const list = async (query = "", credential = sandboxKey) =>
      (await service.ask(`/api/v2/requests${query}`, { credential })).json as {
        data: { request_id: string; operation: string; code: string | null }[];
        next: string;
        more: boolean;
      };

    before(async () => {
      service = await startService({ DUBA_LIMITS: "off" }, engine);
    });
    after(() => service.close());

    test("the request log shows a request's result by its id as soon as the request has ended", async () => {
      const looked = await service.ask(lookup);
      const failed = await service.ask("/api/v2/kyc/verify-bvn", verify("00000000006"));
      const verified = await service.ask("/api/v2/kyc/verify-bvn", verify("22000000017"));
      const entry = (await get(idOf(looked))).json.data;
      assert.deepEqual(Object.keys(entry), [
        "request_id",
        "operation",
        "path",
        "status",
        "code",
        "wrong",
        "duration",
        "request_reference",
        "answered_at",
        "hint",
      ]);
      const { duration, answered_at, ...facts } = entry;
      assert.deepEqual(facts, {
        request_id: idOf(looked),
        operation: "lookupDataBundles",
        path: "/api/v2/internet/data/lookup",
        status: 200,
        code: null,
        wrong: [],
        request_reference: null,
        hint: null,
      });
      assert.ok(duration >= 0 && duration < 60_000 && Math.abs(Date.parse(answered_at) - Date.now()) < 60_000);
      const unknown = (await get(idOf(failed))).json.data;
      assert.deepEqual(
        [unknown.operation, unknown.status, unknown.code, unknown.request_reference],
        ["verifyBvn", 504, "upstream_timeout", failed.json.error.request_reference],
      );
      assert.equal((await get(idOf(verified))).json.data.request_reference, verified.json.data.request_reference);
    });

    test("if a request log is younger than five seconds, its cursor stays five seconds in the past", async () => {
      const { text: key } = await service.newKey({ account: await service.newAccount("Young") });
      await service.ask(lookup, { credential: key });
      const { next, data } = await list("", key);
      const [age] = [Date.now() - Number(next.split("-")[0])];
      assert.ok(age >= 4_000 && age < 60_000, next);
      assert.equal(data.length, 1);
      assert.deepEqual((await list(`?after=${next}`, key)).data, data);
    });

    test("the request log has refused requests, and shows the later of two requests with one id", async () => {
      const headers = { "X-Request-Id": "mine-1" };
      await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body: {}, headers });
      await service.ask("/api/v2/internet/data/lookup?provider=NONE", { headers });
      const { operation, status, code } = (await get("mine-1")).json.data;
      assert.deepEqual([operation, status, code], ["lookupDataBundles", 404, "provider_not_found"]);
    });

    test("a log entry states problem and remedy, and nothing that the caller sent", async () => {
      const headers = { "Idempotency-Key": "22000000017" };
      const wrong = async (options: object) => {
        const { wrong, hint } = (await get(idOf(await service.ask("/api/v2/kyc/verify-bvn", options)))).json.data;
        assert.ok(hint.length > 10);
        return wrong;
      };
      assert.deepEqual(await wrong({ method: "POST", body: { bvn: "1", "22000000017": "x" } }), [
        "bvn",
        "phone",
        "amount",
      ]);
      assert.deepEqual(await wrong({ ...verify("22000000017"), headers }), ["Idempotency-Key"]);
      assert.deepEqual(await wrong({ ...verify("22000000017"), headers: { "Consent-Reference": "é" } }), [
        "Consent-Reference",
      ]);
    });

    test("a key cannot read requests of another account or mode", async () => {
      const id = idOf(await service.ask(lookup));
      const { text: live } = await service.newKey({ mode: "live" });
      const { text: other } = await service.newKey({
        account: await service.newAccount(`Other ${engine.name}`.replace(" ", "")),
      });
      for (const key of [live, other]) {
        assertFailure(await get(id, key), 404, "request_not_found");
        assert.deepEqual((await list("", key)).data, []);
      }
      assertFailure(await get("never-sent"), 404, "request_not_found");
      assertFailure(await service.ask("/api/v2/requests", { credential: false }), 401, "missing_credentials");
    });

    test("any key reads the request log, and reading it makes no entry", async () => {
      const account = await service.newAccount(`Reader${engine.name}`);
      const { text: key } = await service.newKey({ account, scopes: ["identity:verify"] });
      await service.ask(lookup, { credential: key });
      await get("never-sent", key);
      const { data } = await list("", key);
      assert.deepEqual(
        data.map(({ operation, code }) => [operation, code]),
        [["lookupDataBundles", "insufficient_scope"]],
      );
    });

    test("log entries after a cursor are listed oldest first, and none is missed", async () => {
      const { db } = await service.store();
      const { text: key } = await service.newKey({ account: await service.newAccount(`Poller${engine.name}`) });
      const ask = async (id: string) =>
        void (await service.ask(lookup, { credential: key, headers: { "X-Request-Id": id } }));
      const ids = (page: Awaited<ReturnType<typeof list>>) => page.data.map(({ request_id }) => request_id);
      await ask("one");
      await ask("two");
      const fresh = await list("?limit=1", key);
      assert.deepEqual([ids(fresh), fresh.more], [["two"], false]);
      // Young entries may be listed again, because another instance may still commit an earlier row.
      assert.deepEqual(ids(await list(`?after=${fresh.next}`, key)), ["one", "two"]);
      await db
        .updateTable("api_request")
        .set((row) => ({ written_at: row("written_at", "-", 10_000) }))
        .where("request_id", "in", ["one", "two"])
        .execute();
      const first = await list("?after=0&limit=1", key);
      assert.deepEqual([ids(first), first.more], [["one"], true]);
      const second = await list(`?after=${first.next}&limit=1`, key);
      assert.deepEqual([ids(second), second.more], [["two"], false]);
      await ask("three");
      assert.deepEqual(ids(await list(`?after=${second.next}`, key)), ["three"]);
      assertFailure(await service.ask("/api/v2/requests?after=yesterday"), 422, "validation_failed", {
        fields: ["after"],
      });
    });

    test("the log samples look-ups of a busy account but keeps all its failures and verifications", async () => {
      const { text: key, id } = await service.newKey({ account: await service.newAccount(`Busy${engine.name}`) });
      for (let at = 0; at < 70; at += 1) await service.ask(lookup, { credential: key });
      await service.ask("/api/v2/internet/data/lookup?provider=NONE", { credential: key });
      await service.ask("/api/v2/kyc/verify-bvn", { ...verify("22000000017"), credential: key });
      await list("", key);
      const { db } = await service.store();
      const rows = await db.selectFrom("api_request").selectAll().where("key_id", "=", id).execute();
      const looked = rows.filter(({ operation, code }) => operation === "lookupDataBundles" && code === null).length;
      assert.ok(looked >= 60 && looked < 70, `${looked}`);
      assert.equal(rows.length - looked, 2);
    });

    test("the request log holds no number, phone, key, provider or address of a request", async () => {
      const { db } = await service.store();
      await service.ask("/api/v2/kyc/verify-bvn", {
        ...verify("22000000099"),
        headers: { "X-Request-Id": "22000000099", "Idempotency-Key": "of-the-till" },
      });
      await list();
      const text = JSON.stringify(await db.selectFrom("api_request").selectAll().execute());
      for (const secret of ["22000000099", "8000000017", "of-the-till", sandboxKey, "MTNDATA", "127.0.0.1"])
        assert.ok(!text.includes(secret), secret);
    });

    test("operators can read the requests of all accounts", async () => {
      const { dataDirectory, databaseUrl } = service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      const failed = await service.ask("/api/v2/kyc/verify-bvn", verify("00000000001"));
      await list();
      const shown = await ran(["requests", "list", "--request-id", idOf(failed), "--json"], { environment });
      const [entry] = JSON.parse(shown.out);
      assert.deepEqual(
        [entry.account, entry.code, entry.request_reference],
        ["sandbox@example.com", "bvn_not_found", failed.json.error.request_reference],
      );
      const listed = await ran(
        ["requests", "list", "--account", "sandbox@example.com", "--failed", "--limit", "1", "--since", "1h"],
        { environment },
      );
      assert.match(listed.out, /^request_id +answered_at +account .*\n\S+ +\S+ \S+ +sandbox@example\.com +test .*\n$/);
      assert.match(listed.out, / verifyBvn +404 +bvn_not_found +\d+ ms +\S{15}\n$/);
      const absent = await ran(["requests", "list", "--request-id", "never-sent"], { environment });
      assert.match(absent.out + absent.err, /^No requests\. The log has a sample of look-ups that succeed/);
    });

    test("log entries are written in batches, retried after a failure, and buffered within a limit", async () => {
      const { db } = await service.store();
      let isAway = true;
      const store = new Proxy(db, {
        get: (target, name) => {
          if (isAway && name === "transaction") throw Object.assign(new Error("away"), { code: "AWAY" });
          const member = Reflect.get(target, name, target);
          return typeof member === "function" ? member.bind(target) : member;
        },
      });
      const most = 1e6;
      const entries = new RequestEntries({
        db: store,
        now: Date.now,
        instance: "one",
        budgets: { routine: { most, perSecond: 1 }, others: { most, perSecond: 1 } },
      });
      const caller = { accountId: `waiting-${engine.name}`, mode: "test", keyId: "k" } as never;
      for (let at = 0; at < 3000; at += 1)
        for (const isRoutine of [true, false])
          if (entries.takes(caller, isRoutine))
            entries.note(caller, isRoutine, {
              requestId: `r${at}`,
              operation: "verifyBvn",
              status: 200,
              code: null,
              wrong: null,
              duration: 1,
              reference: null,
            });
      assert.deepEqual(entries.counts, { written: 0, over_budget: 0, lost: 2500 + 1000 });
      await assert.rejects(entries.write(), { code: "AWAY" });
      isAway = false;
      await entries.write();
      assert.deepEqual(entries.counts.written, 2500);
      const { count } = await db
        .selectFrom("api_request")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("account_id", "=", `waiting-${engine.name}`)
        .executeTakeFirstOrThrow();
      assert.equal(Number(count), 2500);
    });

    test("the request log is swept by age and down to a number of rows", async () => {
      const { db } = await service.store();
      const count = async () => (await db.selectFrom("api_request").select("serial").execute()).length;
      const row = {
        account_id: "swept",
        mode: "test",
        key_id: "k",
        request_id: "r",
        operation: "o",
        status: 200,
        code: null,
        duration: 1,
        reference: null,
      };
      const old = Array.from({ length: 1200 }, (_, at) => ({
        ...row,
        serial: `swept-${at}`,
        written_at: at,
        answered_at: at,
      }));
      for (const some of [old.slice(0, 600), old.slice(600)]) await db.insertInto("api_request").values(some).execute();
      const all = await count();
      const sweep = async (now: number, most?: number) => {
        const rule = requestRules(0, most)[0]!;
        return (await removeBatches(db, rule, await rule.kept(now, db))).api_request;
      };
      assert.equal(await sweep(1100), 1100);
      assert.equal(await count(), all - 1100);
      assert.equal(await sweep(0, all - 1150), 50);
      const left = await db.selectFrom("api_request").select("serial").where("account_id", "=", "swept").execute();
      assert.equal(left.length, 50);
    });
  });

test("without the request log no request is stored or found", async () => {
  await using service = await startService({ DUBA_REQUEST_LOG: "off" });
  const id = idOf(await service.ask(lookup));
  assertFailure(await service.ask(`/api/v2/requests/${id}`), 404, "request_not_found");
  assert.deepEqual((await service.ask("/api/v2/requests")).json.data, []);
});

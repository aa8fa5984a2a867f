import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import { recorded } from "../src/access/access.fixture.ts";
import { resumeAccount, suspendAccount } from "../src/access/accounts/accounts.ts";
import { ran } from "./support/command-line.ts";
import { usualEngines } from "./support/engines.ts";
import { assertFailure } from "./support/failure.ts";
import { type SandboxVendor, startSandboxVendor } from "./support/sandbox-vendor.ts";
import { sandboxKey, startService, type TestService } from "./support/service.ts";
import { noticed } from "./support/until.ts";

const verify = "/api/v2/kyc/verify-bvn";
const corporate = "/api/v2/corporate-data/list";

/** Settings of a service whose live keys reach the interface at `url`, with a key of the account there. */
const liveThrough = (url: string, key = "a-key-that-the-vendor-knows") => ({
  DUBA_UPSTREAMS: "peer",
  DUBA_PEER_URL: url,
  DUBA_PEER_EMAIL: "sandbox@example.com",
  DUBA_PEER_KEY: key,
});

const person = (bvn: string) => ({ bvn, phone: "08000000017", amount: "100" });

for (const engine of usualEngines) {
  suite(`going live on ${engine.name}, with another Duba as the source`, () => {
    let vendor: SandboxVendor;
    let source: TestService;
    let sourceKey: string;
    let service: TestService;
    let live: string;
    const verified = (bvn: string, more: { headers?: Record<string, string>; credential?: string } = {}) =>
      service.ask(verify, { method: "POST", body: person(bvn), credential: live, ...more });

    before(async () => {
      vendor = await startSandboxVendor();
      source = await startService({ ...liveThrough(vendor.url), DUBA_LIMITS: "off" }, engine);
      sourceKey = (await source.newKey({ mode: "live" })).text;
      service = await startService({ ...liveThrough(source.url, sourceKey), DUBA_LIMITS: "off" }, engine);
      live = (await service.newKey({ mode: "live" })).text;
    });
    after(async () => {
      await service.close();
      await source.close();
      vendor.close();
    });

    test("a live key gets the vendor's record under our own reference, and is charged", async () => {
      const { status, json } = await verified("22000000101");
      assert.equal(status, 200);
      const asked = await source.ask(verify, { method: "POST", body: person("22000000101"), credential: sourceKey });
      const { request_reference: ours, ...record } = json.data;
      const { request_reference: theirs, ...sourceRecord } = asked.json.data;
      assert.deepEqual(record, sourceRecord);
      assert.notEqual(ours, theirs);
      const { data } = (await service.ask(`/api/v2/kyc/verifications/${ours}`, { credential: live })).json;
      assert.deepEqual([data.state, data.charged, data.fee, data.attempts], ["verified", true, "100", 1]);
    });

    test("the service continues to verify when the vendor's access token expires", async () => {
      assert.equal((await verified("22000000102")).status, 200);
      const { db } = await source.store();
      const tokens = () => db.selectFrom("access_token").select("secret_hash").execute();
      const [first] = await tokens();
      await db.updateTable("access_token").set({ expires_at: 1 }).execute();
      await db.updateTable("change_counter").set({ number: 1000 }).where("name", "=", "access").execute();
      for (;;) {
        assert.equal((await verified("22000000103")).status, 200);
        if ((await tokens()).some(({ secret_hash }) => secret_hash !== first!.secret_hash)) break;
      }
    });

    test("a test key reaches only this service's sandbox, and a live key only the vendor", async () => {
      const countOf = async () => {
        const { db } = await source.store();
        return (await db.selectFrom("verification").select("reference").execute()).length;
      };
      const before = await countOf();
      const tested = await service.ask(verify, { method: "POST", body: person("22000000105") });
      assert.equal(tested.status, 200);
      assert.equal(await countOf(), before);
      const { status } = await verified("22000000105");
      assert.equal(status, 200);
      assert.equal(await countOf(), before + 1);
      const { db } = await service.store();
      const rows = await db.selectFrom("verification_attempt").select(["mode", "vendor"]).distinct().execute();
      assert.deepEqual(rows.map(({ mode, vendor }) => `${mode} ${vendor}`).toSorted(), ["live peer", "test sandbox"]);
    });

    test("with a test key of the source, live verifications fail uncharged and raise an alarm", async () => {
      await using wrong = await startService({ ...liveThrough(source.url, sandboxKey), DUBA_LIMITS: "off" }, engine);
      const { text: credential } = await wrong.newKey({ mode: "live" });
      const answer = await wrong.ask(verify, { method: "POST", body: person("22000000107"), credential });
      const { error } = assertFailure(answer, 503, "upstream_unavailable", { path: verify });
      assert.deepEqual([error.charged, error.retryable], [false, false]);
      const { db } = await wrong.store();
      const rows = await db.selectFrom("verification").select(["state", "charged", "sealed_record"]).execute();
      assert.deepEqual(rows, [{ state: "failed", charged: 0, sealed_record: null }]);
      const alarms = wrong.lines.flatMap(({ fields }) => ("alarm" in fields ? [fields.alarm] : []));
      assert.deepEqual(alarms, ["bad_settings"]);

      const tried = await ran(["upstreams", "test", "peer", "--ask"], {
        environment: {
          ...liveThrough(source.url, sandboxKey),
          DUBA_DATA: wrong.settings.dataDirectory,
          DUBA_DATABASE_URL: wrong.settings.databaseUrl,
        },
        stdin: "22000000107\n08000000017\n",
      });
      assert.equal(tried.exitCode, 1);
      assert.match(tried.out, /the vendor did not process the call \(bad_settings\)/);
      assert.match(
        tried.err,
        /It answers in test mode: its people are invented\. Give Duba a live key of that server\./,
      );
      assert.doesNotMatch(tried.out + tried.err, /22000000107|8000000017/);
    });

    test("an account's own fee and masked answers apply to that account only", async () => {
      const { dataDirectory, databaseUrl } = service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      const email = await service.newAccount("Narrow");
      await ran(["accounts", "change", email, "--bvn-fee", "80.5", "--answers", "masked"], { environment });
      const { text } = await service.newKey({ account: email, mode: "live" });
      const headers = { "Idempotency-Key": "narrow" };
      const { json } = await verified("22000000106", { credential: text, headers });
      assert.equal(json.data.bvn_number, "*******0106");
      assert.notEqual(json.data.personal_info.full_name, "");
      assert.equal(json.data.personal_info.date_of_birth, "");
      const again = await verified("22000000106", { credential: text, headers });
      assert.deepEqual(again.json, json);
      const { data } = (
        await service.ask(`/api/v2/kyc/verifications/${json.data.request_reference}`, { credential: text })
      ).json;
      assert.equal(data.fee, "80.5");
      const amount = await service.ask("/api/v2/education/waec-lookup", { credential: text });
      assert.equal(amount.json.data.amount, "80.5");
      assert.equal((await verified("22000000106")).json.data.bvn_number, "22000000106");
    });

    test("a suspended account is refused until it is resumed", async () => {
      const email = await service.newAccount("Paused");
      const { text } = await service.newKey({ account: email });
      const asked = () => service.ask(corporate, { credential: text });
      assert.equal((await asked()).status, 200);
      const { db } = await service.store();
      await suspendAccount(recorded(db), email);
      const refused = await noticed(asked, ({ status }) => status !== 200);
      assert.match(assertFailure(refused, 401, "invalid_credentials", { path: corporate }).message, /suspended/);
      await resumeAccount(recorded(db), email);
      await noticed(asked, ({ status }) => status === 200);
    });

    test("a rolled key works beside its successor until the overlap ends", async () => {
      const { dataDirectory, databaseUrl } = service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      const { text: old, id } = await service.newKey();
      const rolled = (await ran(["keys", "roll", id], { environment })).out.trim();
      for (const credential of [old, rolled]) assert.equal((await service.ask(corporate, { credential })).status, 200);
      const last = (await ran(["keys", "roll", rolled, "--overlap", "0s"], { environment })).out.trim();
      const ended = await noticed(
        () => service.ask(corporate, { credential: rolled }),
        ({ status }) => status !== 200,
      );
      assertFailure(ended, 401, "expired_credentials", { path: corporate });
      assert.equal((await service.ask(corporate, { credential: last })).status, 200);
    });
  });

  suite(`a vendor that refuses all work on ${engine.name}`, () => {
    test("a vendor that refuses all attempts is paused with an alarm, and the status shows it", async () => {
      let asked = 0;
      const vendor = createServer((_, response) => {
        asked += 1;
        response.writeHead(402, { "Content-Type": "application/json" });
        response.end('{"success":false,"message":"SECRET WORDS OF THE VENDOR"}');
      });
      await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
      const service = await startService({ ...liveThrough(url), DUBA_LIMITS: "off" }, engine);
      try {
        const { text: credential } = await service.newKey({ mode: "live" });
        for (let count = 0; count < 5; count += 1) {
          const answer = await service.ask(verify, { method: "POST", body: person(`2200000020${count}`), credential });
          const { error } = assertFailure(answer, 503, "upstream_unavailable", { path: verify });
          assert.equal(error.charged, false);
          assert.doesNotMatch(answer.text, /SECRET/);
        }
        assert.ok(asked <= 2, `${asked} attempts`);
        assert.equal(service.lines.filter(({ fields }) => "alarm" in fields).length, 1);
        assert.doesNotMatch(JSON.stringify(service.lines), /SECRET|2200000020/);

        const { dataDirectory, databaseUrl } = service.settings;
        const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
        for (;;) {
          const { exitCode, out } = await ran(["upstreams", "status", "--json"], { environment });
          const [status] = JSON.parse(out);
          if (status?.alarm !== "no_money") continue;
          assert.equal(exitCode, 1);
          assert.deepEqual([status.upstream, status.state], ["peer", "open"]);
          break;
        }
        const { out } = await ran(["upstreams", "status"], { environment });
        assert.match(out, / waits after failures +- +- +- +wallet is empty +- +- +wallet is empty \(2/);
      } finally {
        await service.close();
        vendor.close();
      }
    });
  });
}

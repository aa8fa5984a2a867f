import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { KeyedHashes } from "../../keyring/keyed-hash.ts";
import { callOf, failureFrom, keyring, newRequest, suiteStore, usualEngines } from "../identity.fixture.ts";
import { onlyRow } from "../ledger.fixture.ts";
import { answering, verified } from "../played-upstream.fixture.ts";
import { verifyBvn } from "./verifyBvn.ts";

const asked = { bvn: "22000000017", phone: "08000000017", amount: "100" };

for (const engine of usualEngines)
  suite(`members that are only compared on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("compared members change neither body nor vendor request, and replays repeat Duba-Match", async (t) => {
      const { upstream, received } = answering(verified);
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const caller = { accountId: newRequest().accountId };
      const headers = { "idempotency-key": "k" };
      const plain = await callOf(verifyBvn, identity, { input: asked, caller });
      const { personal_info } = plain.answer.data as Record<string, Record<string, string>>;
      const input = { ...asked, first_name: personal_info!.first_name!, date_of_birth: "1901-02-28" };
      const first = await callOf(verifyBvn, identity, { input, headers, caller });
      const match = { "Duba-Match": "first_name=match, date_of_birth=differs" };
      assert.deepEqual(first.headers, match);
      const again = await callOf(verifyBvn, identity, { input, headers, caller });
      assert.deepEqual(again, { ...first, headers: { "Idempotency-Replayed": "true", ...match } });
      const withoutReference = ({ answer }: typeof first) =>
        JSON.stringify(answer).replace(/"request_reference":"\w+"/, "");
      assert.equal(withoutReference(first), withoutReference(plain));
      const gets = ({ reference: _, signal: _s, requestId: _r, ...rest }: Record<string, unknown>) => rest;
      assert.deepEqual(gets({ ...received[1]! }), gets({ ...received[0]! }));
    });

    test("an account with masked answers learns nothing of the birth date", async (t) => {
      const identity = await store.open(t);
      const accountId = newRequest().accountId;
      const headers = { "idempotency-key": "k" };
      const input = { ...asked, first_name: "Nobody", date_of_birth: "1901-02-28" };
      for (const answers of ["masked", "full", "masked"] as const) {
        const { headers: told } = await callOf(verifyBvn, identity, { input, headers, caller: { accountId, answers } });
        assert.equal(told["Duba-Match"], "first_name=differs, date_of_birth=absent");
      }
    });

    test("a retry must repeat the compared members, except for keys of older versions", async (t) => {
      const identity = await store.open(t);
      const verify = (accountId: string, members: object) =>
        callOf(verifyBvn, identity, {
          input: { ...asked, ...members },
          headers: { "idempotency-key": "k" },
          caller: { accountId },
        });
      const { accountId } = newRequest();
      await verify(accountId, { first_name: "Ada" });
      for (const others of [{}, { first_name: "Obi" }, { last_name: "Ada" }, { first_name: "Ada", last_name: "Obi" }]) {
        const { code, message } = await failureFrom(verify(accountId, others));
        assert.equal(code, "idempotency_key_reused");
        assert.match(message, /another phone, first_name, last_name or date_of_birth\. Use/);
      }
      const { accountId: before } = newRequest();
      await verify(before, {});
      assert.equal((await failureFrom(verify(before, { first_name: "Ada" }))).code, "idempotency_key_reused");
      const rows = store.db.updateTable("verification").where("account_id", "=", before);
      await rows.set({ lasting_idempotency_hash: null }).execute();
      const { body_hash } = await onlyRow(store.db, { accountId: before });
      const content = [before, "test", "bvn", "22000000017", "phone", "8000000017", "10000", null];
      assert.ok(new KeyedHashes({ current: keyring }).matches(body_hash!, "body", content));
      const { headers } = await verify(before, { first_name: "Ada" });
      assert.deepEqual(Object.keys(headers), ["Idempotency-Replayed", "Duba-Match"]);
    });
  });

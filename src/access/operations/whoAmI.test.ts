import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { suiteService } from "../../../test/support/service.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { recorded } from "../access.fixture.ts";
import { changeTerms, topUp } from "../accounts/terms.ts";

const zone = new TimeZone("Africa/Lagos");
const nothing = {
  prepaid: false,
  cap_naira: null,
  cap_verifications: null,
  left_naira: null,
  left_verifications: null,
  renews_at: null,
};

for (const engine of usualEngines)
  suite(`GET /api/v2/me on ${engine.name}`, () => {
    const service = suiteService({}, engine);

    test("whoAmI names the account and the key, and what each may still do", async () => {
      const account = await service.newAccount("Kobo");
      const { db } = await service.store();
      await changeTerms(
        recorded(db),
        account,
        { capKobo: 100_000, capCount: 3, verification: { count: 5, seconds: 60 } },
        zone,
      );
      const live = await service.newKey({
        account,
        mode: "live",
        label: "Checkout",
        scopes: ["identity:verify"],
        addresses: ["127.0.0.1"],
        expiresAt: Date.UTC(2100, 0, 1),
      });
      const { status, json } = await service.ask("/api/v2/me", { credential: live.text });
      assert.equal(status, 200);
      const { limits, spending, ...data } = json.data;
      assert.deepEqual(data, {
        account: { id: data.account.id, name: "Kobo" },
        key: { id: live.id, label: "Checkout", expires_at: "2100-01-01T00:00:00.000Z", addresses: ["127.0.0.1"] },
        mode: "live",
        scopes: ["identity:verify"],
      });
      const { renews_at, ...rest } = spending;
      assert.deepEqual(rest, {
        prepaid: false,
        cap_naira: "1000.00",
        cap_verifications: 3,
        left_naira: "1000.00",
        left_verifications: 3,
      });
      assert.match(renews_at, /-(?:28|29|30|31)T23:00:00\.000Z$/);
      assert.ok(Date.parse(renews_at) > Date.now());
      const [looked, verified] = limits;
      assert.deepEqual([looked.name, looked.requests - looked.left], ["catalogue", 1]);
      assert.deepEqual(verified, { name: "verification", requests: 5, seconds: 60, left: 5, resets_in: 60 });
      const test = await service.newKey({ account });
      assert.deepEqual((await service.ask("/api/v2/me", { credential: test.text })).json.data.spending, nothing);
    });

    test("whoAmI reports the balance of a prepaid account", async () => {
      const account = await service.newAccount("Prepaid");
      const { db } = await service.store();
      await changeTerms(recorded(db), account, { prepaid: true }, zone);
      await topUp(recorded(db), account, { kobo: 12_345, reason: "transfer" });
      const { text } = await service.newKey({ account, mode: "live" });
      const test = await service.newKey({ account });
      const { spending } = (await service.ask("/api/v2/me", { credential: text })).json.data;
      assert.deepEqual(spending, { ...nothing, prepaid: true, left_naira: "123.45" });
      assert.deepEqual((await service.ask("/api/v2/me", { credential: test.text })).json.data.spending, nothing);
    });
  });

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { openKeyring } from "../../keyring/file.ts";
import { KeyedHashes } from "../../keyring/keyed-hash.ts";
import { openStore } from "../../storage/store.ts";
import { suiteLedger } from "./ledger-commands.fixture.ts";

for (const engine of usualEngines) {
  suite(`listed verifications on ${engine.name}`, () => {
    const place = suiteLedger(engine);
    const { duba } = place;

    test("ledger list prints matching verifications page by page, without personal data", async () => {
      const list = async (...options: string[]) => {
        const { exitCode, out } = await duba("ledger", "list", "--json", ...options);
        assert.equal(exitCode, 0);
        assert.doesNotMatch(out, /hash-of|sealed-text/);
        const { verifications, next } = JSON.parse(out);
        return {
          next,
          found: verifications.map((each: { request_reference: string }) => each.request_reference.at(-1)),
        };
      };
      assert.deepEqual((await list()).found, ["5", "4", "3", "2", "1"]);
      assert.deepEqual((await list("--account", "shop@example.com", "--mode", "test")).found, ["4"]);
      assert.deepEqual((await list("--state", "not_found", "--last4", "0017")).found, ["3"]);
      assert.deepEqual((await list("--from", "2026-04-01")).found, ["5"]);
      assert.deepEqual((await list("--consent", "consent-1", "--to", "2026-03-14")).found, []);
      assert.deepEqual((await list("--request-id", "request-2")).found, ["1"]);
      assert.deepEqual((await list("--request-id", "request-9")).found, []);
      assert.deepEqual((await list("--vendor", "peer")).found, ["1"]);
      assert.deepEqual((await list("--vendor", "dojah", "--account", "shop@example.com")).found, []);
      // The test stored the rows directly, so no sum has them yet.
      assert.equal((await duba("books", "rebuild-sums")).exitCode, 0);
      const asked = JSON.parse(
        (await duba("ledger", "summary", "--by", "vendor", "--from", "2026-03-01", "--json")).out,
      );
      assert.deepEqual(
        asked.groups.map(
          ({ group, count, by_state }: { group: string; count: number; by_state: Record<string, number> }) => [
            group,
            count,
            by_state.verified,
            by_state.unknown,
          ],
        ),
        [["peer", 2, 1, 1]],
      );
      assert.deepEqual([asked.groups[0].charged, asked.groups[0].fees], [null, null]);
      const byVendor = await duba("ledger", "summary", "--by", "vendor", "--from", "2026-03-01");
      assert.match(byVendor.out, /^peer +live +bvn +2 +- +- /m);
      const first = await list("--limit", "2");
      const second = await list("--limit", "3", "--cursor", first.next);
      assert.deepEqual([first.found, second.found, second.next], [["5", "4"], ["3", "2", "1"], null]);
      const shown = await duba("ledger", "list", "--limit", "1");
      assert.match(shown.out, /aaaaaa000000005 +shop@example\.com +live +bvn +verified +- +\*{7}0017 +₦80\.50$/m);
      assert.match(shown.err, /There may be more: add --cursor \S+\n$/);
      assert.equal((await duba("ledger", "list", "--csv", "--limit", "2")).out.trim().split("\n").length, 3);
    });

    test("ledger list finds a verification by idempotency key, even after a rotation of the key ring", async () => {
      const path = `${place.settings.dataDirectory}.keyring`;
      const store = await openStore({ ...place.settings, serving: false });
      const { keyring } = await openKeyring(path, store.db);
      const { id } = await store.db.selectFrom("account").select("id").executeTakeFirstOrThrow();
      const hash = new KeyedHashes({ current: keyring }).of("idempotency key", [id, "live", "order-1"]);
      await store.db
        .updateTable("verification")
        .set({ idempotency_hash: hash })
        .where("reference", "=", "aaaaaa000000003")
        .execute();
      await store.close();
      assert.equal((await duba("keyring", "rotate")).exitCode, 0);
      for (const options of [[], ["--account", "shop@example.com"]])
        assert.match((await duba("ledger", "list", "--idempotency-key", "order-1", ...options)).out, /aaaaaa000000003/);
      assert.match((await duba("ledger", "list", "--idempotency-key", "order-2")).out, /^No verifications\./m);
      rmSync(path);
    });
  });
}

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { withSuiteStore } from "../../../test/support/fresh-store.ts";
import { Failure } from "../../declare/failures.ts";
import type { Store } from "../../storage/store.ts";
import { recorded } from "../access.fixture.ts";
import { createAccount } from "../accounts/accounts.ts";
import { FailedCredentials } from "../failed-credentials.ts";
import { KeyFinder } from "../keys/find-key.ts";
import { createKey, revokeKey } from "../keys/keys.ts";
import { type IssueToken, tokenIssuer } from "./issue-token.ts";

const email = "acme@example.com";
const hour = 3_600_000;

for (const engine of usualEngines)
  suite(`the exchange of a key on ${engine.name}`, () => {
    let store: Store;
    let issue: IssueToken;
    let time = Date.UTC(2026, 0, 30, 9, 30);

    withSuiteStore(engine, async (its) => {
      store = its;
      await createAccount(recorded(store.db), { name: "Acme Ltd", email });
      const finder = new KeyFinder(store.db);
      const failed = new FailedCredentials({ count: 20, seconds: 60 });
      issue = tokenIssuer({
        db: store.db,
        finder,
        failed,
        uses: { note: () => {} },
        now: () => time,
        tokenLifetime: 3 * hour,
      });
    });

    const create = () => createKey(recorded(store.db), { account: email, mode: "live", label: "" }, time);
    const exchange = (key: string) => issue({ form: "json", name: email, key }, "203.0.113.7");
    const rowsOf = async (keyId: string) =>
      (await store.db.selectFrom("access_token").select("secret_hash").where("key_id", "=", keyId).execute()).length;

    test("a key gets the same token for a minute, even in 20 concurrent requests", async () => {
      const { key, text } = await create();
      const tokens = await Promise.all(Array.from({ length: 20 }, () => exchange(text)));
      time += 59_000;
      tokens.push(await exchange(text));
      assert.equal(new Set(tokens.map((token) => token.text)).size, 1);
      assert.equal(await rowsOf(key.id), 1);
      for (const { expiresAt } of tokens) assert.ok(expiresAt - time >= 3 * hour);
      time += 1_000;
      assert.notEqual((await exchange(text)).text, tokens[0]!.text);
      assert.equal(await rowsOf(key.id), 2);
    });

    test("each key gets its own token, and a revoked key gets none", async () => {
      const [one, two] = [await create(), await create()];
      const first = await exchange(one.text);
      assert.notEqual((await exchange(two.text)).text, first.text);
      await revokeKey(recorded(store.db), one.key.id);
      await assert.rejects(exchange(one.text), (error: unknown) => {
        assert.ok(error instanceof Failure);
        return error.code === "invalid_credentials";
      });
    });

    test("a token that the store did not accept is not remembered", async () => {
      const { text } = await create();
      await store.db.schema.alterTable("access_token").renameTo("away").execute();
      await assert.rejects(exchange(text), /access_token/);
      await store.db.schema.alterTable("away").renameTo("access_token").execute();
      assert.match((await exchange(text)).text, /^duba_at_/);
    });
  });

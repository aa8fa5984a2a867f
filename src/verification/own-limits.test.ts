import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { CompiledQuery } from "kysely";
import type { IdentityOutcome } from "../vendors/ports/identity-upstream.ts";
import { failureFrom, newRequest, suiteStore, usualEngines } from "./identity.fixture.ts";
import { answering, verified } from "./played-upstream.fixture.ts";
import type { VerificationRequest } from "./request.ts";

for (const engine of usualEngines) {
  suite(`an account's own limits on ${engine.name}`, () => {
    const store = suiteStore(engine);
    let people = 22_000_003_000;
    const another = (mine: VerificationRequest) => ({ ...mine, number: String(people++) });

    test("an account's own limits replace the general limits, even if the general limits are off", async (t) => {
      for (const limits of [undefined, null]) {
        const vendor = { outcome: undefined as IdentityOutcome | undefined };
        const { upstream } = answering((attempt) => vendor.outcome ?? verified(attempt));
        const upstreams = { test: upstream, live: [] };
        const identity = await store.open(t, { upstreams, settings: limits === null ? { limits } : {} });
        const few = newRequest({ terms: { verification: { count: 2, seconds: 60 } } });
        for (const _ of [1, 2]) await identity.verify(another(few));
        assert.equal((await failureFrom(identity.verify(another(few)))).code, "rate_limited");
        const many = newRequest({ terms: { verification: { count: 90, seconds: 60 } } });
        for (let n = 0; n < 61; n += 1) await identity.verify(another(many));
        vendor.outcome = { state: "negative", reason: "not_found" };
        const unlucky = newRequest({ terms: { negatives: { count: 1, seconds: 60 } } });
        assert.equal((await failureFrom(identity.verify(another(unlucky)))).code, "bvn_not_found");
        assert.equal((await failureFrom(identity.verify(another(unlucky)))).code, "rate_limited");
      }
    });

    test("a verification of an account without a cap or a balance runs no statement about spending", async (t) => {
      const statements: string[] = [];
      const watched = store.db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => result,
      });
      const { executeQuery } = watched;
      watched.executeQuery = (query, ...rest) => {
        statements.push((query as CompiledQuery).sql);
        return executeQuery.call(watched, query, ...rest) as never;
      };
      const { upstream } = answering(verified);
      const identity = await store.open(t, { db: watched, upstreams: { test: upstream, live: [upstream] } });
      statements.length = 0;
      const live = { mode: "live", idempotencyKey: "k" } as const;
      const mine = newRequest({ ...live, terms: { verification: { count: 9, seconds: 60 } } });
      await identity.verify(mine);
      assert.equal(statements.length, 2);
      assert.ok(!statements.some((sql) => sql.includes("spending")), statements.join("\n"));
      await identity.verify(newRequest({ ...live, terms: { capCount: 1 } }));
      assert.equal(statements.length, 4);
    });
  });
}

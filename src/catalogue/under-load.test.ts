import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import { Worker } from "node:worker_threads";
import { catalogueServer } from "../../test/support/catalogue-server.ts";
import { engines } from "../../test/support/engines.ts";
import { looseGuard, publisherOf, publishingStore, publishTo } from "./catalogue.fixture.ts";
import { openCatalogue } from "./catalogue.ts";
import { itemIn, withEntries } from "./model/snapshot.ts";
import { settingRule } from "./prices/price-rules.ts";
import { approve } from "./revisions/decide.ts";
import type { Plan } from "./revisions/review.ts";
import { type Load, ownMargin, priceIn } from "./under-load.fixture.ts";

/** Each publication takes some 25 turns of a busy event loop on PostgreSQL, whose answers come over a socket. */
const REVISIONS = { sqlite: 20, postgres: 12 };
const about = { author: "ops", source: "test", note: "" };

const sold = [
  ["data-bundles", "MTNDATA 104"],
  ["data-bundles", "AIRTELDATA 003"],
  ["cable-products", "GOTV GOHAN"],
] as const;

const nextPrices: Plan = (base) => {
  const price = priceIn(base.revision + 1);
  const edits = sold.map(([subject, key]) => {
    return { subject, key, content: { ...itemIn(base, subject, key)!.content, price } };
  });
  return withEntries(base, edits);
};

for (const engine of engines)
  suite(`look-ups on ${engine.name}`, () => {
    const revisions = REVISIONS[engine.name];
    test(`each look-up has exactly one revision, on 64 connections while ${revisions} are published`, async (t) => {
      const store = await publishingStore(t, engine);
      const catalogue = await openCatalogue({ db: store.db });
      const published = (plan: Plan) => publishTo(catalogue, plan, about, { guard: looseGuard });
      const app = catalogueServer(catalogue);
      try {
        await app.listen({ host: "127.0.0.1", port: 0 });
        const { account, kobo } = ownMargin;
        await published(settingRule({ account, of: "MTNDATA", rule: "margin", value: kobo }));
        // A price of 100 naira is odd for a product of this provider.
        const far = await published(nextPrices);
        assert.ok(far.state === "held");
        await approve(publisherOf(store.db), far.draft, "boss");
        await catalogue.refresh();
        await catalogue.refresh();
        const load: Load = { port: (app.server.address() as AddressInfo).port, connections: 64 };
        const looking = new Worker(new URL("./under-load.fixture.ts", import.meta.url), { workerData: load });
        await once(looking, "message");
        const ended = once(looking, "message");
        for (let n = 0; n < revisions; n++) await Promise.race([published(nextPrices), ended]);
        looking.postMessage("stop");
        const [seen] = (await ended) as [number[]];
        assert.equal(catalogue.state().revision, revisions + 3);
        assert.ok(seen.length > 2, `${seen.length} revisions were seen`);
      } finally {
        await app.close();
      }
    });
  });

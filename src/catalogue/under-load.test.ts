import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import { Worker } from "node:worker_threads";
import { engines } from "../../test/support/engines.ts";
import type { HttpDependencies } from "../http/dependencies.ts";
import { ResponseCounts } from "../http/monitoring/response-counts.ts";
import { callerAddress } from "../http/request/caller-address.ts";
import { buildServer } from "../http/server.ts";
import { bind, type Caller } from "../operation/operation.ts";
import { FairQueue } from "../runtime/fair-queue.ts";
import { freshStore, looseGuard, publisherOf, publishTo } from "./catalogue.fixture.ts";
import { openCatalogue } from "./catalogue.ts";
import { itemIn, withEntries } from "./model/snapshot.ts";
import { catalogueOperations } from "./operations/index.ts";
import { settingRule } from "./prices/price-rules.ts";
import { approve } from "./revisions/decide.ts";
import type { Plan } from "./revisions/review.ts";
import { type Load, ownMargin, priceIn } from "./under-load.fixture.ts";

/** Each takes some 25 turns of a busy event loop on PostgreSQL, whose answers come over a socket. */
const REVISIONS = { sqlite: 20, postgres: 12 };
const about = { author: "ops", source: "test", note: "" };

const http: HttpDependencies = {
  // The credential is the id of the account.
  authenticator: {
    isAbsent: () => false,
    credentialOf: (header) =>
      ({ accountId: header.slice(7), mode: "live", scopes: ["catalogue:read"] }) as unknown as Caller,
  },
  anonymous: true,
  addressOf: callerAddress([]),
  rateLimiters: null,
  connections: { most: 1000, answer: 30_000 },
  docs: true,
  publicUrl: "",
  pathPrefixes: ["/api/v2"],
  answers: new ResponseCounts(),
  bounds: { body: 16_384, url: 8_192, headers: 16_384, arrival: 10_000 },
  fairQueue: new FairQueue(),
  requestEntries: null,
  accessLog: "failures",
  serverTiming: false,
  log: { info: fail, warn: fail, error: fail },
  now: Date.now,
  stopping: () => false,
};

function fail(fields: object, message: string): void {
  assert.fail(`${message} ${JSON.stringify(fields)}`);
}

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
    test(`through 64 connections are each of exactly one revision while ${revisions} are published`, async (t) => {
      const store = await freshStore(engine, t);
      const catalogue = await openCatalogue({ db: store.db });
      const published = (plan: Plan) => publishTo(catalogue, plan, about, { guard: looseGuard });
      const app = buildServer(bind(catalogueOperations, catalogue), http);
      try {
        await app.listen({ host: "127.0.0.1", port: 0 });
        const { account, kobo } = ownMargin;
        await published(settingRule({ account, of: "MTNDATA", rule: "margin", value: kobo }));
        // A product at 100 naira is far from its provider's others.
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

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { after, before, suite, test } from "node:test";
import { engines } from "../../test/support/engines.ts";
import { sandboxKey, suiteService } from "../../test/support/service.ts";
import { type CheckedResponse, Server, type ServerRequest } from "../src/ask-server.ts";
import { everyOperation } from "../src/document.ts";
import { everyPoint } from "../src/points/index.ts";
import { runPoints } from "../src/run-points.ts";
import { CheckSession } from "../src/session.ts";
import { breakings } from "./breakings.fixture.ts";
import { type PathName, withJson } from "./breaks.fixture.ts";

const points = everyPoint(everyOperation);
const values = {
  provider: "MTNDATA",
  type: "dstv",
  productCode: "PRWE36",
  bvn: "22000000017",
  phone: "08000000017",
  amount: "100",
};

for (const engine of engines)
  suite(`every point on ${engine.name}`, () => {
    const service = suiteService({ DUBA_LIMITS: "off" }, engine);
    /** What Duba answered to each request. */
    const responses = new Map<string, Promise<CheckedResponse>>();
    let server: Server;
    let otherKey: string;
    let begun: number;
    const ask = (asked: ServerRequest): Promise<CheckedResponse> => {
      const request = JSON.stringify(asked);
      const answered = responses.get(request) ?? server.ask(asked);
      responses.set(request, answered);
      return answered;
    };
    const judged = async (asking: (asked: ServerRequest) => Promise<CheckedResponse>) => {
      const session = new CheckSession({ ask: asking }, sandboxKey, values, {
        idempotencyKey: "a-key-of-the-check",
        otherKey,
      });
      const results = await runPoints(points, session, {
        origin: service.url,
        timeout: 1000,
        secrets: [],
        missing: new Set(),
        progress: () => {},
      });
      return Map.groupBy(results, ({ outcome }) => outcome);
    };

    before(async () => {
      otherKey = (await service.newKey({ account: await service.newAccount("Other") })).text;
      server = new Server(new URL(service.url), 10_000, new Agent({ keepAlive: true }));
      begun = Date.now();
    });
    after(async () => {
      server.close();
    });

    test("the check passes a Duba on every point", async () => {
      const { broken = [], left_out = [] } = Object.fromEntries(await judged(ask));
      assert.deepEqual(
        [...broken, ...left_out].map(({ id, why }) => [id, why]),
        [],
      );
    });

    test("the check passes a Duba of 0.1 on every point, although its failures have the status error", async () => {
      const { broken = [] } = Object.fromEntries(
        await judged(async (asked) => {
          const answered = await ask(asked);
          if (!answered.json || answered.status < 400) return answered;
          return { ...answered, ...withJson({ ...answered.json, status: "error" }) };
        }),
      );
      assert.deepEqual(
        broken.map(({ id, why }) => [id, why]),
        [],
      );
    });

    // The test puts each problem into a finished response of Duba, so the engine makes no difference.
    if (engine === engines[0])
      test("the check reports a broken point and its consequences, and no other point", async (t) => {
        // Responses are kept for later points, and must not grow old meanwhile.
        t.mock.timers.enable({ apis: ["Date"], now: begun });
        const good = new Map<string, CheckedResponse>();
        const documented = everyOperation.filter(({ documented }) => documented);
        const places: Record<string, PathName> = {
          lookupDataBundles: "bundles",
          listCorporateBundles: "corporate",
          fetchTvAddOns: "addOns",
          fetchDataProviders: "providers",
          verifyBvn: "verify",
        };
        const session = new CheckSession({ ask }, sandboxKey, values, { idempotencyKey: "a-key-of-the-check" });
        for (const operation of documented) good.set(places[operation.id]!, await session.call(operation));
        const table = breakings(
          (place) => good.get(place)!,
          everyOperation.filter(
            ({ id, documented }) => !documented && points.some((point) => point.id === `${id}.answers`),
          ),
        );
        assert.deepEqual(Object.keys(table).sort(), points.map(({ id }) => id).sort());
        const wrong: unknown[] = [];
        for (const [id, { by, follows = [] }] of Object.entries(table)) {
          const outcomes = await judged(async (asked) => {
            const answered = await ask(asked);
            return { ...answered, ...by(asked, answered) };
          });
          const broken = (outcomes.get("broken") ?? []).map((result) => result.id);
          const others = broken.filter((each) => each !== id && !follows.some((one) => each.startsWith(one)));
          if (!broken.includes(id) || others.length > 0)
            wrong.push([id, broken.includes(id) ? "found" : "NOT FOUND", others]);
        }
        assert.deepEqual(wrong, []);
      });
  });

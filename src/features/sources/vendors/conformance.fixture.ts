import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { CatalogueLists } from "../../../lists/index.ts";
import { RecordedLog } from "../../../runtime/recorded-log.fixture.ts";
import { type Behaviour, json, LocalVendor, type Received, text } from "../../../vendors/local-vendor.fixture.ts";
import type { VendorValues } from "../../../vendors/ports/vendor.ts";
import { VendorClient } from "../../../vendors/vendor-client.ts";
import type { CatalogueSource, PullError, Pulled } from "./catalogue-source.ts";

/** The tests that every source of a catalogue passes. */

export interface SourceCase {
  source: CatalogueSource;
  values(url: string): VendorValues;
  /** The response to a request before those for lists, such as for a token. */
  prelude?: (received: Received) => object | undefined;
  /** Good answers by path and query, with a space and the body of a POST, in the order of the requests. */
  answers: Readonly<Record<string, object>>;
  /** The lists that these responses contain. */
  lists: Partial<CatalogueLists>;
  leftOut: readonly string[];
  /** Compares a request with the source's documentation. */
  assertRequest(received: Received): void;
  /** Good answers in which one value has another type, by path and query. */
  misfits: Readonly<Record<string, object>>;
  /** Further answers by path and query, with the result of the pull, by their meaning. */
  variants: Readonly<Record<string, { answers: Readonly<Record<string, object>>; pulled: Pulled }>>;
  /** Texts that must not appear in a log or a result. */
  secrets: readonly string[];
}

/** A source's text in the fault table. Duba must not repeat it anywhere. */
const rawText = "raw text of a source";

interface Fault {
  behaviour: Behaviour;
  kind: PullError;
  timeout?: number;
}

const faults: Record<string, Fault> = {
  "resets the connection": { behaviour: (response) => void response.socket!.resetAndDestroy(), kind: "unreachable" },
  "hangs up without an answer": { behaviour: (response) => void response.socket!.end(), kind: "unreachable" },
  "never answers": { behaviour: () => {}, kind: "unreachable", timeout: 1000 },
  "never finishes the body": {
    behaviour: (response) =>
      void response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "99" }).write("{"),
    kind: "unreachable",
    timeout: 1000,
  },
  "sends half a page and hangs up": {
    behaviour: (response) => {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "99" });
      response.write(`{"${rawText}`, () => response.socket!.destroy());
    },
    kind: "unreachable",
  },
  "sends half a page as if it were all": {
    behaviour: text(200, "application/json", `{"message":"${rawText}`),
    kind: "unreadable",
  },
  "answers in HTML": { behaviour: text(200, "text/html", rawText), kind: "unreadable" },
  "answers in HTML with 404": { behaviour: text(404, "text/html", rawText), kind: "incomplete" },
  "answers in HTML with 502": { behaviour: text(502, "text/html", rawText), kind: "unreachable" },
  "answers nothing with 200": { behaviour: (response) => void response.writeHead(200).end(), kind: "unreadable" },
  "answers that nothing changed, unasked": {
    behaviour: (response) => void response.writeHead(304).end(),
    kind: "unreadable",
  },
  "answers another shape": { behaviour: json(200, { success: true, data: { message: rawText } }), kind: "unreadable" },
  "answers a list": { behaviour: json(200, [rawText]), kind: "unreadable" },
  "answers null": { behaviour: json(200, null), kind: "unreadable" },
  ...statuses(400, "unreadable"),
  ...statuses(401, "refused_credentials"),
  ...statuses(403, "refused_credentials"),
  ...statuses(404, "incomplete"),
  ...statuses(429, "unreachable"),
  ...statuses(500, "unreachable"),
  ...statuses(503, "unreachable"),
};

function statuses(status: number, kind: PullError): Record<string, Fault> {
  return { [`answers ${status}`]: { behaviour: json(status, { message: rawText }), kind } };
}

const never = new AbortController().signal;

const keyOf = ({ path, body }: Received): string => (body === "" ? path : `${path} ${body}`);

export function testCatalogueSource(sourceCase: SourceCase): void {
  const { source, answers } = sourceCase;
  const { name } = source;
  const paths = Object.keys(answers);
  const last = paths.at(-1)!;

  async function open(t: TestContext, timeout = 5000) {
    const log = new RecordedLog();
    const local = await LocalVendor.start();
    const http = new VendorClient({ timeout, connections: 1, keepAlive: true, log });
    t.after(async () => {
      await http.close();
      await local.close();
    });
    /** Requests for lists. */
    const asked: Received[] = [];
    const serve = (others: Readonly<Record<string, Behaviour>> = {}) => {
      local.behaviour = (response, received) => {
        const prelude = sourceCase.prelude?.(received);
        if (prelude) return json(200, prelude)(response, received);
        asked.push(received);
        const key = keyOf(received);
        const body = answers[key];
        const behaviour = others[key] ?? (body ? json(200, body) : json(404, { message: rawText }));
        behaviour(response, received);
      };
    };
    serve();
    const pull = await source.open(sourceCase.values(local.url), { http, log });
    return { pull, serve, local, asked, log };
  }

  function assertFault(pulled: Pulled, kind: PullError, log: RecordedLog): void {
    assert.equal(pulled.kind, kind, JSON.stringify(pulled));
    assert.ok("sentence" in pulled);
    assert.match(pulled.sentence, /^[A-Z].*\.$/);
    const told = JSON.stringify([log.lines, pulled]);
    for (const secret of [rawText, ...sourceCase.secrets]) assert.ok(!told.includes(secret), `${secret} is in ${told}`);
  }

  test(`${name} gets its documented requests, and supplies every list that it covers`, async (t) => {
    const { pull, asked, log } = await open(t);
    const pulled = await pull(never);
    assert.deepEqual(pulled, { kind: "whole", lists: sourceCase.lists, leftOut: sourceCase.leftOut });
    assert.deepEqual(Object.keys(sourceCase.lists), source.covers);
    assert.deepEqual(asked.map(keyOf), paths);
    for (const received of asked) sourceCase.assertRequest(received);
    assert.deepEqual(log.lines, []);
  });

  for (const [what, { behaviour, kind, timeout }] of Object.entries(faults))
    for (const [when, path] of Object.entries({ "at first": paths[0]!, "at last": last }))
      test(`a fault of ${name} (it ${what} ${when}) gives ${kind} and no list`, async (t) => {
        const { pull, serve, log } = await open(t, timeout);
        serve({ [path]: behaviour });
        assertFault(await pull(never), kind, log);
        serve();
        assert.equal((await pull(never)).kind, "whole", "the next pull is another one");
      });

  for (const [path, body] of Object.entries(sourceCase.misfits))
    test(`a value of the wrong type from ${name} at ${path} makes the pull unreadable`, async (t) => {
      const { pull, serve, log } = await open(t);
      serve({ [path]: json(200, body) });
      assertFault(await pull(never), "unreadable", log);
    });

  for (const [what, { answers, pulled }] of Object.entries(sourceCase.variants))
    test(`a pull from ${name} that ${what} is ${pulled.kind}`, async (t) => {
      const { pull, serve } = await open(t);
      serve(Object.fromEntries(Object.entries(answers).map(([path, body]) => [path, json(200, body)])));
      assert.deepEqual(await pull(never), pulled);
    });

  test(`no redirect of ${name} is followed`, async (t) => {
    const { pull, serve, asked, log } = await open(t);
    serve({ [last]: json(302, { message: rawText }, { Location: "/" }) });
    assertFault(await pull(never), "unreadable", log);
    assert.equal(asked.length, paths.length);
  });

  test(`a list of 200 MB from ${name} is cut off after a few MB`, async (t) => {
    const { pull, serve, log } = await open(t, 20_000);
    const piece = Buffer.alloc(64 * 1024, `"${rawText}",`);
    let sent = 0;
    serve({
      [last](response) {
        response.writeHead(200, { "Content-Type": "application/json" });
        const send = () => {
          while (sent < 200 * 1024 * 1024 && !response.destroyed) {
            sent += piece.length;
            if (response.write(piece)) continue;
            response.once("drain", send);
            return;
          }
        };
        send();
      },
    });
    assertFault(await pull(never), "unreadable", log);
    assert.ok(sent < 24 * 1024 * 1024, `${sent} bytes were sent`);
  });

  test(`a list that ${name} announces as too large is not read`, async (t) => {
    const { pull, serve, log } = await open(t);
    const headers = { "Content-Type": "application/json", "Content-Length": String(200 * 1024 * 1024) };
    serve({ [last]: (response) => void response.writeHead(200, headers).flushHeaders() });
    assertFault(await pull(never), "unreadable", log);
  });

  test(`a pull from ${name} is unreachable if it is aborted or ${name} is down`, async (t) => {
    const { pull, local, log } = await open(t);
    assertFault(await pull(AbortSignal.abort()), "unreachable", log);
    assert.deepEqual(local.received, []);
    await local.close();
    assertFault(await pull(never), "unreachable", log);
  });

  test(`${name} names its settings after itself and does not need them for a start`, () => {
    assert.match(source.about, /not run against the live vendor|run against Duba itself/);
    for (const [member, { name, default: usual, read }] of Object.entries(source.settings)) {
      assert.match(name, new RegExp(`^DUBA_${source.name.toUpperCase()}_[A-Z_]+$`));
      assert.equal(read(usual), usual, member);
    }
  });
}

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type NoResponse, Server } from "../check/src/ask-server.ts";
import { loopback } from "../src/features/events/events.fixture.ts";
import { openTracing } from "../src/features/tracing/open-telemetry.ts";
import { boundedAgent } from "../src/runtime/network/bounded-agents.ts";
import { sendDelivery } from "../src/runtime/network/send-delivery.ts";
import { RecordedLog } from "../src/runtime/recorded-log.fixture.ts";
import { VendorClient } from "../src/vendors/vendor-client.ts";
import { trust } from "./support/certificate.ts";
import { everyHostile, type Hostile, type HostileServer, openHostileServer } from "./support/hostile-server.ts";

/**
 * Milliseconds, longer than any response may last. A client that stops earlier has stopped because of its size limit.
 */
const long = 60_000;

/** Every client of a foreign server. Each returns the error code with which its request ended. */
const clients: Record<string, (url: string, timeout: number) => Promise<string>> = {
  "a vendor or a source": async (url, timeout) => {
    const log = new RecordedLog();
    const client = new VendorClient({ timeout, connections: 1, keepAlive: true, log });
    const result = await client.send({ method: "GET", url });
    client.close();
    return result.kind === "answered" ? String(result.status) : result.code;
  },
  "a receiver": async (url, timeout) => {
    const delivery = { url, owner: "acc_shop", body: "{}", headers: {}, allowsPlain: true };
    return (await sendDelivery(delivery, { networks: loopback, timeout })).outcome;
  },
  "a server under check": async (url, timeout) => {
    const base = new URL(url);
    const server = new Server(base, timeout, boundedAgent(base.protocol, { keepAlive: true }));
    try {
      return String((await server.ask({ method: "GET", path: "", headers: {} })).status);
    } catch (error) {
      return (error as NoResponse).code;
    } finally {
      server.close();
    }
  },
};

/** The codes that may end each response. A client may stop early, by the status or by the first part of the body. */
const ends: Record<Hostile, string[]> = {
  "informational responses": ["too_much_framing"],
  "early hints": ["too_much_framing"],
  "blank lines before the head": ["too_much_framing"],
  "header lines": ["HPE_HEADER_OVERFLOW"],
  "white space in a header": ["too_much_framing"],
  trailers: ["HPE_HEADER_OVERFLOW"],
  "white space in a trailer": ["too_much_framing"],
  "an extension of a chunk": ["HPE_CHUNK_EXTENSIONS_OVERFLOW"],
  "extensions of chunks": ["too_much_framing"],
  "zeros in the size of a chunk": ["too_much_framing"],
  "chunks of one byte": ["too_much_framing"],
  "the body of a redirect": ["redirect", "302", "too_large"],
  "another protocol": ["other_protocol"],
};

suite("a response without end", () => {
  let server: HostileServer;
  let distrust: () => void;
  before(async () => {
    server = await openHostileServer();
    distrust = trust(server.cert);
  });
  after(() => {
    distrust();
    server.close();
  });

  for (const [name, ask] of Object.entries(clients))
    for (const protocol of ["http:", "https:"] as const) {
      test(`an endless response of ${name} over ${protocol.slice(0, -1)} is cut at its limit, and costs little CPU time`, async () => {
        for (const response of everyHostile) {
          const used = process.cpuUsage();
          const code = await ask(server.url(protocol, response), long);
          assert.ok(ends[response].includes(code), `${response}: ${code}`);
          const { user, system } = process.cpuUsage(used);
          // Five times the maximum on a slow machine, in microseconds. Without a limit the client takes a minute.
          assert.ok(user + system < 2_000_000, `${response}: ${user + system} µs of the processor`);
        }
      });

      test(`a wait for ${name} whose ${protocol === "http:" ? "head" : "TLS handshake"} never ends is given up in time, without CPU use`, async () => {
        const used = process.cpuUsage();
        assert.equal(await ask(server.slowUrl(protocol), 1000), "timed_out");
        const { user, system } = process.cpuUsage(used);
        assert.ok(user + system < 500_000, `${user + system} µs of the processor`);
      });
    }

  for (const protocol of ["http:", "https:"] as const)
    test(`a trace collector with an endless answer over ${protocol.slice(0, -1)}, or none, costs only the spans`, async () => {
      const log = new RecordedLog();
      const every = everyHostile.map((response) => server.url(protocol, response));
      for (const [index, url] of [...every, server.slowUrl(protocol)].entries()) {
        const used = process.cpuUsage();
        const tracing = openTracing(url, "0", log);
        tracing.request("GET", undefined, {}).end();
        await tracing[Symbol.asyncDispose]();
        // The slow response outlasts the stop, so it leaves no log line.
        assert.equal(log.lines.length, Math.min(index + 1, every.length), url);
        const { user, system } = process.cpuUsage(used);
        assert.ok(user + system < 2_000_000, `${url}: ${user + system} µs of the processor`);
      }
    });
});

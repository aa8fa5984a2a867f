import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Failure } from "../declare/failures.ts";
import { RecordedLog } from "../runtime/recorded-log.fixture.ts";
import { AccessLog } from "./access-log.ts";
import type { ErrorFields } from "./failure-response.ts";

const shop = { account: "acc_shop", key: "key_shop", mode: "live" };

function opened() {
  const log = new RecordedLog();
  const requests = new AccessLog({ log, accessLog: "failures" });
  /** The lines since the last call. */
  const written = () => log.lines.splice(0).map(({ level, fields }) => ({ level, ...fields }));
  return { log, requests, written };
}

suite("lines about refused requests", () => {
  test("a flood gets ten log lines, then one line of counts a minute until it ends", (t) => {
    const { requests, written } = opened();
    t.after(() => requests.stop());
    const flood = (code: "invalid_credentials" | "route_not_found" | "rate_limited", count: number, fields = {}) => {
      for (let n = 0; n < count; n++) requests.refused(new Failure(code), fields, "203.0.113.9");
    };
    flood("invalid_credentials", 15);
    flood("route_not_found", 7);
    // Another key and another address each get lines of their own.
    flood("rate_limited", 1, shop);
    requests.refused(new Failure("route_not_found"), {}, "203.0.113.10");
    const first = written();
    assert.equal(first.length, 12);
    assert.deepEqual(first[0], { level: "info", status: 401, code: "invalid_credentials", address: "203.0.113.9" });
    assert.deepEqual(first[10], { level: "info", status: 429, code: "rate_limited", ...shop });

    requests.sumUp();
    const summed = { level: "warn", address: "203.0.113.9" };
    assert.deepEqual(written(), [{ ...summed, refused: 12, codes: { invalid_credentials: 5, route_not_found: 7 } }]);
    flood("invalid_credentials", 20_000);
    assert.deepEqual(written(), []);
    requests.sumUp();
    assert.deepEqual(written(), [{ ...summed, refused: 20_000, codes: { invalid_credentials: 20_000 } }]);
    requests.sumUp();
    assert.deepEqual(written(), []);
    flood("invalid_credentials", 1);
    assert.equal(written().length, 1);
  });

  test("the summary line of a flood names the key and its account", (t) => {
    const { requests, written } = opened();
    t.after(() => requests.stop());
    for (let n = 0; n < 11; n++) requests.refused(new Failure("rate_limited"), shop, "2001:db8:1:2::7");
    written();
    requests.sumUp();
    assert.deepEqual(written(), [
      { level: "warn", address: "2001:db8:1:2::/64", ...shop, refused: 1, codes: { rate_limited: 1 } },
    ]);
  });

  test("beyond a number of flooding callers, all further callers share one summary line", (t) => {
    const { requests, written } = opened();
    t.after(() => requests.stop());
    for (let n = 0; n < 3000; n++) requests.refused(new Failure("route_not_found"), {}, `10.0.${n >> 8}.${n & 255}`);
    assert.equal(written().length, 1010);
    requests.sumUp();
    assert.deepEqual(written(), [
      { level: "warn", address: "others", refused: 1990, codes: { route_not_found: 1990 } },
    ]);
  });

  test("a stop writes the summary lines of requests not yet logged", () => {
    const { requests, written } = opened();
    for (let n = 0; n < 11; n++) requests.refused(new Failure("route_not_found"), {}, "203.0.113.9");
    written();
    requests.stop();
    assert.equal(written().length, 1);
  });

  test("a refusal with a ledger row, or one that a flood does not count, has its own log line", (t) => {
    const { requests, written } = opened();
    t.after(() => requests.stop());
    const facts = { request_reference: "3wKwKW719640695" };
    for (let n = 0; n < 50; n++) {
      requests.refused(new Failure("bvn_not_found", undefined, { facts }), shop, "203.0.113.9");
      requests.refused(new Failure("validation_failed"), shop, "203.0.113.9");
      requests.refused(new Failure("internal_error"), shop, "203.0.113.9", { kind: "TypeError" });
    }
    const lines = written();
    assert.equal(lines.length, 150);
    assert.deepEqual(lines[0], {
      level: "info",
      status: 404,
      code: "bvn_not_found",
      ...shop,
      reference: facts.request_reference,
    });
  });

  test("an outage gets one log line, then one line of counts every ten seconds", (t) => {
    const { requests, written } = opened();
    t.after(() => requests.stop());
    const readOnly = { kind: "StoreAway", code: "25006" };
    const refused = (count: number, failure: Failure, error?: ErrorFields) => {
      for (let n = 0; n < count; n += 1) requests.refused(failure, { ...shop, ms: n }, "203.0.113.9", error);
    };
    const paused = new Failure("upstream_unavailable", undefined, { logged: { reason: "paused" } });
    refused(280, new Failure("internal_error"), readOnly);
    refused(3, paused);
    const first = { level: "error", ...shop, ms: 0 };
    assert.deepEqual(written(), [
      { ...first, status: 500, ...readOnly },
      { ...first, status: 503, code: "upstream_unavailable", reason: "paused" },
    ]);
    requests.sumUpOutages();
    const { mode } = shop;
    const store = { level: "warn", status: 500, code: "25006", reason: undefined, mode };
    assert.deepEqual(written(), [
      { ...store, refused: 279 },
      { level: "warn", status: 503, code: "upstream_unavailable", reason: "paused", mode, refused: 2 },
    ]);
    refused(40, new Failure("internal_error"), readOnly);
    requests.sumUpOutages();
    assert.deepEqual(written(), [{ ...store, refused: 40 }]);
    requests.sumUpOutages();
    assert.deepEqual(written(), []);
    refused(1, new Failure("internal_error"), readOnly);
    assert.equal(written().length, 1);
  });

  test("a vendor's failure is logged as info in test mode; live ones and internal errors are logged as errors", (t) => {
    const { requests, written } = opened();
    t.after(() => requests.stop());
    const levelOf = (code: "upstream_timeout" | "internal_error", mode: string, error?: ErrorFields) => {
      requests.refused(new Failure(code), { ...shop, mode }, "203.0.113.9", error);
      return written().map(({ level }) => level);
    };
    assert.deepEqual(levelOf("upstream_timeout", "test"), ["info"]);
    assert.deepEqual(levelOf("upstream_timeout", "live"), ["error"]);
    assert.deepEqual(levelOf("internal_error", "test"), ["error"]);
    assert.deepEqual(levelOf("internal_error", "test", { kind: "TypeError" }), ["error"]);
  });
});

import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { suite, test } from "node:test";
import { callerAddress } from "./caller-address.ts";

/** The caller's address, as a service that trusts 10.0.0.0/8 finds it. */
const caller = (remoteAddress: string, forwarded?: string) =>
  callerAddress(["10.0.0.0/8", "fd00::/8"])({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  } as unknown as IncomingMessage);

suite("the address of a caller", () => {
  test("a stranger's X-Forwarded-For is ignored: the address is the connection's", () => {
    assert.equal(caller("203.0.113.7", "198.51.100.1"), "203.0.113.7");
    assert.equal(caller("203.0.113.7"), "203.0.113.7");
    const trusting = callerAddress([]);
    const request = { socket: { remoteAddress: "10.0.0.1" }, headers: { "x-forwarded-for": "1.2.3.4" } };
    assert.equal(trusting(request as unknown as IncomingMessage), "10.0.0.1");
  });

  test("the caller's address is the last one that is not a trusted proxy", () => {
    assert.equal(caller("10.0.0.1", "198.51.100.1"), "198.51.100.1");
    assert.equal(caller("::ffff:10.0.0.1", "198.51.100.1,203.0.113.7"), "203.0.113.7");
    assert.equal(caller("10.0.0.1", "1.1.1.1, 203.0.113.7, 10.0.0.2,fd00::1"), "203.0.113.7");
    assert.equal(caller("10.0.0.1", "10.0.0.3, 10.0.0.2"), "10.0.0.3");
  });

  test("the caller's address has no port and no brackets", () => {
    assert.equal(caller("10.0.0.1", "203.0.113.7:5678"), "203.0.113.7");
    assert.equal(caller("10.0.0.1", "[2001:db8::1]:1"), "2001:db8::1");
    assert.equal(caller("10.0.0.1", "[2001:db8::1]"), "2001:db8::1");
    assert.equal(caller("10.0.0.1", "203.0.113.7:5678, 10.0.0.2:80"), "203.0.113.7");
  });

  test("without a named caller, the address is the proxy's own", () => {
    for (const nothing of "| |unknown|_x|1.2.3|1.2.3.4:|1.2.3.4:123456|2001:db8::1:x|[::1|a:1".split("|"))
      assert.equal(caller("10.0.0.1", nothing), "10.0.0.1", nothing);
    assert.equal(caller("10.0.0.1", "203.0.113.7, unknown, 10.0.0.2"), "10.0.0.2");
  });
});

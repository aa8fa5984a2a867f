import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { siteOf, subscriberOf } from "./address.ts";

suite("a subscriber", () => {
  test("is an IPv4 address, also in its IPv6 form", () => {
    assert.equal(subscriberOf("203.0.113.7"), "203.0.113.7");
    assert.equal(subscriberOf("::ffff:203.0.113.7"), "203.0.113.7");
  });

  test("is the /64 network of an IPv6 address, however it is written", () => {
    for (const address of ["2001:db8::1", "2001:DB8:0:0:ffff::2", "2001:0db8:0000:0000:1:2:3:4", "2001:db8::1%eth0"])
      assert.equal(subscriberOf(address), "2001:db8:0:0::/64");
    assert.equal(subscriberOf("2001:db8:0:1::1"), "2001:db8:0:1::/64");
    assert.equal(subscriberOf("::1"), "0:0:0:0::/64");
  });
});

suite("a site", () => {
  test("is the /48 network of an IPv6 address, and nothing in IPv4", () => {
    for (const address of ["2001:db8::1", "2001:DB8:0:ffff::2", "2001:0db8:0000:0001:1:2:3:4"])
      assert.equal(siteOf(address), "2001:db8:0::/48");
    for (const address of ["203.0.113.7", "::ffff:203.0.113.7", "", "nonsense"])
      assert.equal(siteOf(address), undefined);
  });
});

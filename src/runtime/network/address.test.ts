import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { addressList, isListed, isNetwork, siteOf, subscriberOf } from "./address.ts";

suite("a subscriber", () => {
  test("a subscriber is an IPv4 address, also in its IPv6 form", () => {
    assert.equal(subscriberOf("203.0.113.7"), "203.0.113.7");
    assert.equal(subscriberOf("::ffff:203.0.113.7"), "203.0.113.7");
  });

  test("a subscriber is the /64 network of an IPv6 address, however it is written", () => {
    for (const address of ["2001:db8::1", "2001:DB8:0:0:ffff::2", "2001:0db8:0000:0000:1:2:3:4", "2001:db8::1%eth0"])
      assert.equal(subscriberOf(address), "2001:db8:0:0::/64");
    assert.equal(subscriberOf("2001:db8:0:1::1"), "2001:db8:0:1::/64");
    assert.equal(subscriberOf("::1"), "0:0:0:0::/64");
  });
});

suite("a site", () => {
  test("a site is the /48 network of an IPv6 address, and nothing in IPv4", () => {
    for (const address of ["2001:db8::1", "2001:DB8:0:ffff::2", "2001:0db8:0000:0001:1:2:3:4"])
      assert.equal(siteOf(address), "2001:db8:0::/48");
    for (const address of ["203.0.113.7", "::ffff:203.0.113.7", "", "nonsense"])
      assert.equal(siteOf(address), undefined);
  });
});

suite("listed addresses", () => {
  const allows = (entries: string[], address: string) => isListed(addressList(entries)!, address);

  test("an empty address list is not compiled", () => {
    assert.equal(addressList([]), null);
  });

  test("listed addresses are single addresses and networks of both families", () => {
    const list = ["203.0.113.7", "10.0.0.0/8", "2001:db8::7", "2001:db8:1::/48"];
    for (const address of ["203.0.113.7", "10.255.0.1", "2001:db8::7", "2001:DB8:0:0::7", "2001:db8:1:ffff::1"])
      assert.equal(allows(list, address), true, address);
    for (const address of ["203.0.113.8", "11.0.0.1", "2001:db8::8", "2001:db8:2::1", "", "nonsense"])
      assert.equal(allows(list, address), false, address);
  });

  test("listed addresses hold an IPv4 address in its IPv6 form as well, either way round", () => {
    assert.equal(allows(["10.0.0.0/8"], "::ffff:10.1.2.3"), true);
    assert.equal(allows(["10.0.0.0/8"], "::ffff:11.1.2.3"), false);
    assert.equal(allows(["::ffff:10.1.2.3"], "10.1.2.3"), true);
  });

  test("ignore the zone of a link-local caller", () => {
    assert.equal(allows(["fe80::/10"], "fe80::1%eth0"), true);
  });

  test("listed addresses are not made of anything else", () => {
    for (const entry of "|10.0.0.0/33|::/129|10.0.0|10.0.0.0/|example.com|fe80::1%eth0| 10.0.0.1".split("|")) {
      assert.equal(isNetwork(entry), false, entry);
      assert.throws(() => addressList(["10.0.0.1", entry]), RangeError);
    }
  });
});

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { addressList, isListed, isNetwork, siteOf, subscriberOf } from "./address.ts";

suite("a subscriber", () => {
  test("rate limits identify an IPv4 subscriber by the address, even in IPv6 form", () => {
    assert.equal(subscriberOf("203.0.113.7"), "203.0.113.7");
    assert.equal(subscriberOf("::ffff:203.0.113.7"), "203.0.113.7");
  });

  test("rate limits identify an IPv6 subscriber by the /64 network", () => {
    for (const address of ["2001:db8::1", "2001:DB8:0:0:ffff::2", "2001:0db8:0000:0000:1:2:3:4", "2001:db8::1%eth0"])
      assert.equal(subscriberOf(address), "2001:db8:0:0::/64");
    assert.equal(subscriberOf("2001:db8:0:1::1"), "2001:db8:0:1::/64");
    assert.equal(subscriberOf("::1"), "0:0:0:0::/64");
  });
});

suite("a site", () => {
  test("rate limits identify a site by the /48 network of IPv6, and know no site in IPv4", () => {
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

  test("an address list takes single addresses and networks of IPv4 and IPv6", () => {
    const list = ["203.0.113.7", "10.0.0.0/8", "2001:db8::7", "2001:db8:1::/48"];
    for (const address of ["203.0.113.7", "10.255.0.1", "2001:db8::7", "2001:DB8:0:0::7", "2001:db8:1:ffff::1"])
      assert.equal(allows(list, address), true, address);
    for (const address of ["203.0.113.8", "11.0.0.1", "2001:db8::8", "2001:db8:2::1", "", "nonsense"])
      assert.equal(allows(list, address), false, address);
  });

  test("an address list treats an IPv4 address and its IPv6 form as equal", () => {
    assert.equal(allows(["10.0.0.0/8"], "::ffff:10.1.2.3"), true);
    assert.equal(allows(["10.0.0.0/8"], "::ffff:11.1.2.3"), false);
    assert.equal(allows(["::ffff:10.1.2.3"], "10.1.2.3"), true);
  });

  test("an address list ignores the zone of a link-local caller", () => {
    assert.equal(allows(["fe80::/10"], "fe80::1%eth0"), true);
  });

  test("an address list refuses malformed addresses and networks", () => {
    for (const entry of "|10.0.0.0/33|::/129|10.0.0|10.0.0.0/|example.com|fe80::1%eth0| 10.0.0.1".split("|")) {
      assert.equal(isNetwork(entry), false, entry);
      assert.throws(() => addressList(["10.0.0.1", entry]), RangeError);
    }
  });
});

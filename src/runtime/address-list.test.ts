import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { addressList, isListed, isNetwork } from "./address-list.ts";

suite("listed addresses", () => {
  const allows = (entries: string[], address: string) => isListed(addressList(entries)!, address);

  test("are not compiled when there are none", () => {
    assert.equal(addressList([]), null);
  });

  test("are single addresses and networks of both families", () => {
    const list = ["203.0.113.7", "10.0.0.0/8", "2001:db8::7", "2001:db8:1::/48"];
    for (const address of ["203.0.113.7", "10.255.0.1", "2001:db8::7", "2001:DB8:0:0::7", "2001:db8:1:ffff::1"])
      assert.equal(allows(list, address), true, address);
    for (const address of ["203.0.113.8", "11.0.0.1", "2001:db8::8", "2001:db8:2::1", "", "nonsense"])
      assert.equal(allows(list, address), false, address);
  });

  test("hold an IPv4 address in its IPv6 form as well, either way round", () => {
    assert.equal(allows(["10.0.0.0/8"], "::ffff:10.1.2.3"), true);
    assert.equal(allows(["10.0.0.0/8"], "::ffff:11.1.2.3"), false);
    assert.equal(allows(["::ffff:10.1.2.3"], "10.1.2.3"), true);
  });

  test("ignore the zone of a link-local caller", () => {
    assert.equal(allows(["fe80::/10"], "fe80::1%eth0"), true);
  });

  test("are not made of anything else", () => {
    for (const entry of [
      "",
      "10.0.0.0/33",
      "::/129",
      "10.0.0",
      "10.0.0.0/",
      "example.com",
      "fe80::1%eth0",
      " 10.0.0.1",
    ]) {
      assert.equal(isNetwork(entry), false, entry);
      assert.throws(() => addressList(["10.0.0.1", entry]), RangeError);
    }
  });
});

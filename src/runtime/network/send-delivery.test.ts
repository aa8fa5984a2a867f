import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { localCertificate, trust } from "../../../test/support/certificate.ts";
import { loopback, openReceiver, type Receiver } from "../../features/events/events.fixture.ts";
import { addressList } from "./address.ts";
import { isPublic, isRefusedAddress, type SendOptions, sendDelivery, sparingLookup } from "./send-delivery.ts";

const to = (url: string, options: Partial<SendOptions> = {}, allowsPlain = true) =>
  sendDelivery(
    { url, owner: "acc_shop", body: "{}", headers: {}, allowsPlain },
    { networks: null, timeout: 2_000, ...options },
  );

suite("the addresses of endpoints", () => {
  const refused: Record<string, readonly string[]> = {
    "this host": ["0.0.0.0", "0.255.255.255", "::"],
    loopback: ["127.0.0.1", "127.255.255.254", "::1"],
    private: ["10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255"],
    "carrier-grade NAT": ["100.64.0.0", "100.127.255.255"],
    "link-local": ["169.254.0.1", "169.254.169.254", "fe80::1", "febf::1", "fe80::1%eth0"],
    "unique local": ["fc00::1", "fd00:ec2::254", "fdff::1"],
    "site-local": ["fec0::1"],
    "IPv4 in IPv6": [
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::ffff:8.8.8.8",
      "::127.0.0.1",
      "::7f00:1",
      "::ffff:0:127.0.0.1",
    ],
    "IPv4 behind a translator": ["64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001::1"],
    "documentation and benchmarks": [
      "192.0.2.1",
      "198.51.100.1",
      "203.0.113.1",
      "198.18.0.1",
      "2001:db8::1",
      "3fff::1",
    ],
    "multicast and broadcast": ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"],
    reserved: ["192.0.0.1", "240.0.0.1", "100::1", "5f00::1"],
    "of a cloud's own services": ["168.63.129.16"],
    "no address": ["localhost", "10", ""],
  };
  for (const [name, addresses] of Object.entries(refused))
    test(`${name} is not public`, () => {
      for (const address of addresses) assert.ok(!isPublic(address), address);
    });

  test("addresses outside of the special networks count as public", () => {
    const public4 = [
      "8.8.8.8",
      "168.63.129.15",
      "168.63.129.17",
      "172.32.0.1",
      "100.128.0.1",
      "169.253.0.1",
      "11.0.0.1",
    ];
    for (const address of [...public4, "2606:4700::1", "2a00::1"]) assert.ok(isPublic(address), address);
  });
});

suite("a delivery", () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await openReceiver();
  });
  after(() => receiver.close());
  const port = () => new URL(receiver.url).port;

  test("a delivery never reaches this machine, however its host is written", async () => {
    const hosts = [
      ...["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "0.0.0.0", "0"],
      ...["[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]"],
      ...["localhost", "LOCALHOST", "１２７.0.0.1", "127。0。0。1", "%31%32%37.0.0.1"],
    ];
    for (const host of hosts)
      assert.deepEqual(await to(`http://${host}:${port()}/`), { delivered: false, outcome: "address_refused" }, host);
    assert.equal(receiver.received.length, 0);
    for (const host of hosts.filter((host) => !/localhost/i.test(host)))
      assert.ok(isRefusedAddress(new URL(`https://${host}/`), null), host);
    assert.ok(!isRefusedAddress(new URL("https://localhost/"), null), "a name is checked with each delivery");
  });

  test("a delivery reaches the networks of the setting, by name too, and no other private one", async () => {
    const networks = loopback;
    for (const host of ["127.0.0.1", "localhost"])
      assert.deepEqual(await to(`http://${host}:${port()}/`, { networks }), { delivered: true, outcome: "204" });
    assert.deepEqual(receiver.received.at(-1)!.headers.host, `localhost:${port()}`);
    const others = addressList(["10.0.0.0/8"]);
    assert.equal((await to(`http://127.0.0.1:${port()}/`, { networks: others })).outcome, "address_refused");
    assert.equal((await to("http://169.254.169.254/latest/meta-data", { networks })).outcome, "address_refused");
  });

  test("a delivery is refused if any address of its host name is private", async () => {
    const before = receiver.received.length;
    const named = (...addresses: string[]) =>
      to(`http://shop.example:${port()}/`, {
        addressesOfName: async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
        networks: addressList(["::1"]),
      });
    for (const addresses of [
      ["8.8.8.8", "127.0.0.1"],
      ["127.0.0.1", "8.8.8.8"],
      ["2606:4700::1", "8.8.8.8", "10.0.0.1", "9.9.9.9"],
      ["::1", "127.0.0.1"],
    ])
      assert.deepEqual(await named(...addresses), { delivered: false, outcome: "address_refused" }, addresses.join());
    assert.equal(receiver.received.length, before);
    const [here, there] = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }));
    const allowed = { networks: loopback, addressesOfName: async () => [here!, there!] };
    assert.deepEqual(await to(`http://shop.example:${port()}/`, allowed), { delivered: true, outcome: "204" });
  });

  test("deliveries look up few host names at once, so that threads stay free for vendors' names", async () => {
    const asked: string[] = [];
    const answers = new Map<string, () => void>();
    const lookUp = sparingLookup(
      (host) => {
        asked.push(host);
        return new Promise((resolve, reject) =>
          answers.set(host, () => (host === "bad" ? reject(new Error("ENOTFOUND")) : resolve([]))),
        );
      },
      { most: 2, mostOfOne: 2 },
    );
    const find = (host: string) => lookUp(host, "acc_shop");
    const [bad, good, again, last] = ["bad", "good", "good", "last"].map(find);
    await setImmediate();
    assert.deepEqual(asked, ["bad", "good"]);
    answers.get("bad")!();
    await assert.rejects(bad!);
    await setImmediate();
    assert.deepEqual(asked, ["bad", "good", "last"]);
    for (const host of ["good", "last"]) answers.get(host)!();
    assert.deepEqual(await Promise.all([good, again, last]), [[], [], []]);
    find("good");
    await setImmediate();
    assert.deepEqual(asked, ["bad", "good", "last", "good"]);
  });

  test("silent name servers delay only the deliveries of the account that names their hosts", async () => {
    const asked: string[] = [];
    const find = sparingLookup(
      (host) => {
        asked.push(host);
        return new Promise(() => {});
      },
      { most: 4, mostOfOne: 2 },
    );
    for (const host of ["silent-1", "silent-2", "silent-3", "shop"]) find(host, "acc_hostile");
    find("shop", "acc_shop");
    await setImmediate();
    assert.deepEqual(asked, ["silent-1", "silent-2", "shop"]);
  });

  test("a delivery uses plain http only to allowed networks or in test mode", async () => {
    assert.equal((await to("http://8.8.8.8/", {}, false)).outcome, "https_required");
    assert.equal((await to(`http://127.0.0.1:${port()}/`, { networks: loopback }, false)).outcome, "204");
  });

  test("a delivery follows no redirect", async (t) => {
    const target = await openReceiver();
    t.after(() => target.close());
    receiver.behaves = () => ({ redirect: target.url });
    assert.deepEqual(await to(receiver.url, { networks: loopback }), { delivered: false, outcome: "302" });
    assert.equal(target.received.length, 0);
  });

  test("a delivery ends at its time limit, in whichever step", async () => {
    receiver.behaves = () => "hang";
    const options = { networks: loopback, timeout: 30 };
    assert.deepEqual(await to(receiver.url, options), { delivered: false, outcome: "timed_out" });
    receiver.behaves = () => (response) => response.writeHead(200).write("slow");
    assert.deepEqual(await to(receiver.url, options), { delivered: false, outcome: "timed_out" });
  });

  test("a delivery reads at most 64 KiB of the response and counts its status", async () => {
    // The rest of the body never comes.
    receiver.behaves = () => (response) => response.writeHead(200).write(Buffer.alloc(64 * 1024));
    assert.deepEqual(await to(receiver.url, { networks: loopback, timeout: 60_000 }), {
      delivered: true,
      outcome: "200",
    });
    receiver.behaves = () => "break";
    assert.equal((await to(receiver.url, { networks: loopback })).outcome, "ECONNRESET");
  });

  test("a delivery reports its error code, and never the receiver's text", async () => {
    receiver.behaves = () => (response) => response.socket!.end("HTTP/1.1 999999 22000000017\r\n\r\n");
    const { delivered, outcome } = await to(receiver.url, { networks: loopback });
    assert.equal(delivered, false);
    assert.match(outcome, /^HPE_\w+$/);
    assert.equal((await to("http://no-such-host.invalid/")).delivered, false);
  });

  test("a delivery over TLS needs a certificate for the called host name", async (t) => {
    const certificate = localCertificate();
    const server = createServer(certificate, (_, response) => response.writeHead(204).end());
    await once(server.listen(0, "127.0.0.1"), "listening");
    t.after(() => server.close());
    const { port: tlsPort } = server.address() as AddressInfo;
    const at = (host: string) => to(`https://${host}:${tlsPort}/`, { networks: loopback });
    assert.match((await at("localhost")).outcome, /SELF_SIGNED/);
    t.after(trust(certificate.cert));
    assert.deepEqual(await at("localhost"), { delivered: true, outcome: "204" });
    assert.equal((await at("127.0.0.1")).outcome, "ERR_TLS_CERT_ALTNAME_INVALID");
  });
});

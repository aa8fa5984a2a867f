import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { checkKinds } from "../declare/check-kind.ts";
import { features } from "../features.ts";
import { vendors } from "../vendors/registry.ts";
import { everySetting } from "../wire/every-setting.ts";
import { ConfigError, readConfig } from "./read-config.ts";

const folder = mkdtempSync(join(tmpdir(), "duba-config-"));
after(() => rmSync(folder, { recursive: true }));

const saidOf = (environment: Record<string, string>): string[] => {
  try {
    readConfig(environment, features);
  } catch (problem) {
    assert.ok(problem instanceof ConfigError);
    return problem.message.split("\n");
  }
  return [];
};

const peer = {
  DUBA_PEER_URL: "https://verify.example.com/",
  DUBA_PEER_EMAIL: "shop@example.com",
  DUBA_PEER_KEY: "a-key",
};

const dojah = { DUBA_DOJAH_APP_ID: "app", DUBA_DOJAH_KEY: "key" };

suite("the settings", () => {
  test("the default settings are valid", () => {
    const { upstreams, limitCatalogue, limitBody, limitUrl, limitHeaders, requestTimeout } = readConfig({});
    assert.deepEqual(upstreams, []);
    assert.deepEqual(limitCatalogue, { count: 600, seconds: 60 });
    assert.deepEqual([limitBody, limitUrl, limitHeaders], [16_384, 8_192, 16_384]);
    assert.equal(requestTimeout, 10_000);
  });

  test("the settings refuse the published key of earlier documentation on an address of the network", () => {
    const key = "a-known-key-for-the-sandbox";
    const start = (HOST: string, DUBA_BOOTSTRAP_KEY = key) => saidOf({ HOST, DUBA_BOOTSTRAP_KEY });
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "2001:db8::1"]) {
      assert.match(start(host).join(), /DUBA_BOOTSTRAP_KEY .* documentation published, .*HOST/, host);
      assert.deepEqual(start(host, `${key}-of-our-own`), []);
    }
    for (const host of ["127.0.0.1", "127.8.9.1", "::1", "localhost"]) assert.deepEqual(start(host), [], host);
  });

  test("the settings refuse to trust proxies in a network wider than /8, or /16 for IPv6", () => {
    const wide = (DUBA_TRUST_PROXY: string) => saidOf({ DUBA_TRUST_PROXY });
    for (const network of ["0.0.0.0/0", "10.0.0.0/7", "127.0.0.1, 1.0.0.0/1", "::/0", "2000::/3", "fd00::/15"])
      assert.match(wide(network).join(), /^DUBA_TRUST_PROXY must be .*none wider than \/8 \(IPv6: \/16\)\.$/, network);
    for (const network of ["", "10.0.0.0/8", "203.0.113.7", "104.16.0.0/13", "fd00::/16", "::1"])
      assert.deepEqual(wide(network), [], network);
  });

  test("the setting of networks for events and alarms accepts private networks only", () => {
    for (const name of ["DUBA_EVENT_NETWORKS"]) {
      for (const network of [
        "0.0.0.0/0",
        "8.8.8.8",
        "10.0.0.0/7",
        "172.16.0.0/11",
        "192.168.0.0/16,1.1.1.0/24",
        "::/0",
        "2606:4700::/32",
      ])
        assert.match(saidOf({ [name]: network }).join(), new RegExp(`^${name} must be .*private`), network);
      for (const network of [
        "",
        "10.1.0.0/16",
        "127.0.0.1",
        "172.16.0.0/12,192.168.7.0/24",
        "100.64.0.0/10",
        "fd12::/48",
        "::1",
      ])
        assert.deepEqual(saidOf({ [name]: network }), [], network);
    }
  });

  test("the settings refuse a vendor's sandbox for live keys", () => {
    const live = (url: string) => saidOf({ ...dojah, DUBA_DOJAH_URL: url, DUBA_UPSTREAMS: "dojah" });
    for (const url of ["https://sandbox.dojah.io", "https://api-sandbox.dojah.io/v2", "https://dojah.sandbox.example"])
      assert.deepEqual(live(url), [
        `DUBA_UPSTREAMS names dojah, and DUBA_DOJAH_URL is its sandbox: live keys would get invented people. Set its live address, or take dojah out.`,
      ]);
    assert.deepEqual(live("https://api.dojah.io"), []);
    assert.deepEqual(live("https://sandboxing.example"), []);
    assert.deepEqual(saidOf({ ...dojah, DUBA_DOJAH_URL: "https://sandbox.dojah.io" }), []);
  });

  test("the settings let reports read a replica on PostgreSQL only", () => {
    const DUBA_DATABASE_READ_URL = "postgres://duba@127.0.0.2/duba";
    assert.deepEqual(saidOf({ DUBA_DATABASE_READ_URL }), [
      "DUBA_DATABASE_READ_URL is set, but SQLite has no replica: unset it, or set DUBA_DATABASE_URL to the " +
        "PostgreSQL database that it follows.",
    ]);
    const DUBA_DATABASE_URL = "postgres://duba@127.0.0.1/duba";
    assert.deepEqual(saidOf({ DUBA_DATABASE_READ_URL, DUBA_DATABASE_URL }), []);
  });

  test("the settings let several workers serve on PostgreSQL only, and auto anywhere", () => {
    assert.deepEqual(saidOf({ DUBA_WORKERS: "2" }), [
      "DUBA_WORKERS is 2, but SQLite serves from one process only: unset it, " +
        "or set DUBA_DATABASE_URL to a PostgreSQL database.",
    ]);
    assert.deepEqual(saidOf({ DUBA_WORKERS: "0" }), ["DUBA_WORKERS must be a number from 1 to 64, or auto."]);
    assert.deepEqual(saidOf({ DUBA_WORKERS: "auto" }), []);
    assert.deepEqual(saidOf({ DUBA_WORKERS: "2", DUBA_DATABASE_URL: "postgres://duba@127.0.0.1/duba" }), []);
  });

  test("the settings accept a public URL only with http or https and a host", () => {
    for (const [given, read] of [
      ["https://duba.example", "https://duba.example"],
      ["http://10.0.0.1:8080/", "http://10.0.0.1:8080"],
      ["https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"],
    ] as const)
      assert.equal(readConfig({ DUBA_PUBLIC_URL: given }).publicUrl, read);
    const wrong = [
      "duba.example",
      "ftp://a",
      "https://",
      "https://a/b",
      "https://a b",
      "https://u:p@a",
      "https://a?x",
      "https://a$(x)",
    ];
    for (const DUBA_PUBLIC_URL of wrong)
      assert.match(saidOf({ DUBA_PUBLIC_URL }).join(), /^DUBA_PUBLIC_URL must be http/, DUBA_PUBLIC_URL);
  });

  test("every setting has a unique name and a description", () => {
    const names = everySetting.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    for (const { name, about } of everySetting) assert.match(about, /^[A-Z].+\.$/, name);
  });

  test("a vendor's time-out must be shorter than a verification's, and the error suggests a value", () => {
    const problem = (vendor: string, whole: string, more = {}) =>
      saidOf({ DUBA_UPSTREAMS: vendor, DUBA_VERIFICATION_TIMEOUT: whole, ...peer, ...dojah, ...more });
    const own = { DUBA_UPSTREAM_TIMEOUT: "20s" };
    assert.deepEqual(problem("peer", "20s", own), [
      "DUBA_UPSTREAM_TIMEOUT is 20000ms and DUBA_VERIFICATION_TIMEOUT is 20000ms: " +
        "DUBA_UPSTREAM_TIMEOUT must be shorter, such as 15000ms.",
    ]);
    assert.equal(problem("", "10s", own).length, 1);
    assert.equal(problem("dojah", "15s").length, 1);
    assert.deepEqual(problem("dojah", "16s"), []);
    assert.deepEqual(problem("", "5s"), []);
  });

  test("a vendor that is another Duba has a longer time-out, unless one time-out is set for all vendors", () => {
    const forEach = (timeoutOf: (name: string) => number) =>
      Object.fromEntries(vendors.map(({ name }) => [name, timeoutOf(name)]));
    assert.deepEqual(
      readConfig({}).vendorTimeouts,
      forEach((name) => (name === "peer" ? 25_000 : 15_000)),
    );
    assert.deepEqual(saidOf({ DUBA_UPSTREAMS: "peer", DUBA_VERIFICATION_TIMEOUT: "5s", ...peer }), []);
    const { vendorTimeouts } = readConfig({ DUBA_UPSTREAM_TIMEOUT: "3s" });
    assert.deepEqual(
      vendorTimeouts,
      forEach(() => 3000),
    );
  });

  test("the setting of vendors' prices is read by vendor, kind and outcome, and refused if malformed", () => {
    const { vendorPrices } = readConfig({ DUBA_UPSTREAM_PRICES: "dojah=50, prembly.bvn=45,prembly.*.failed=5" });
    assert.deepEqual(vendorPrices, {
      dojah: Object.fromEntries(checkKinds.map((kind) => [kind, 5_000])),
      prembly: { bvn: 4_500, "*.failed": 500 },
    });
    for (const wrong of ["50", "dojah", "dojah:50", "nobody=50", "dojah=50,dojah.bvn=40", "dojah.car=5"])
      assert.match(
        saidOf({ DUBA_UPSTREAM_PRICES: wrong }).join(),
        /^DUBA_UPSTREAM_PRICES must be prices in naira/,
        wrong,
      );
  });

  test("settings of version 0.1 with several values still work, with a note about their new names", () => {
    const config = readConfig({ DUBA_GUARD: "factor=3, mean=15%", DUBA_LIMIT_SIZES: "url=4KiB" });
    assert.deepEqual(config.guard, { removal: 0.3, factor: 3, mean: 0.15 });
    assert.deepEqual([config.limitBody, config.limitUrl], [16_384, 4_096]);
    assert.deepEqual(config.overrides, [
      { name: "DUBA_LIMIT_URL", value: "4KiB" },
      { name: "DUBA_GUARD_PRICE_FACTOR", value: "3" },
      { name: "DUBA_GUARD_PRICE_MEAN", value: "15%" },
    ]);
    assert.deepEqual(config.formerSettings, [
      "DUBA_LIMIT_SIZES is read until 0.3. Write DUBA_LIMIT_URL=4KiB instead.",
      "DUBA_GUARD is read until 0.3. Write DUBA_GUARD_PRICE_FACTOR=3 instead.",
      "DUBA_GUARD is read until 0.3. Write DUBA_GUARD_PRICE_MEAN=15% instead.",
    ]);
    assert.deepEqual(saidOf({ DUBA_GUARD: "factor=0" }), [
      "DUBA_GUARD_PRICE_FACTOR must be a number of 1 or more, such as 1.5.",
    ]);
    const unknown =
      "DUBA_GUARD has a form that Duba does not know. Set DUBA_GUARD_REMOVAL, DUBA_GUARD_PRICE_FACTOR, " +
      "DUBA_GUARD_PRICE_MEAN instead.";
    for (const wrong of ["factor", "price=3", "factor=3,factor=4", "factor=3,"])
      assert.deepEqual(saidOf({ DUBA_GUARD: wrong }), [unknown], wrong);
    assert.deepEqual(saidOf({ DUBA_GUARD: "factor=3", DUBA_GUARD_PRICE_FACTOR: "3" }), [
      "DUBA_GUARD_PRICE_FACTOR and DUBA_GUARD, which it was in 0.1, are both set: remove DUBA_GUARD.",
    ]);
  });

  test("the settings of routes name only vendors in use, and those that compare prices need their prices", () => {
    const live = { ...peer, ...dojah, DUBA_UPSTREAMS: "dojah,peer", DUBA_UPSTREAM_PRICES: "dojah=50" };
    const { route, routeShare, routeAfterNotFound } = readConfig({
      ...live,
      DUBA_ROUTE: "cheapest",
      DUBA_ROUTE_SHARE: "peer:5, dojah:2.5",
      DUBA_UPSTREAM_PRICES: "dojah=50,peer=0",
      DUBA_ROUTE_AFTER_NOT_FOUND: "next=100.50",
    });
    const shares = [
      { vendor: "peer", percent: 5 },
      { vendor: "dojah", percent: 2.5 },
    ];
    assert.deepEqual([route, routeShare, routeAfterNotFound], ["cheapest", shares, 10_050]);
    for (const text of ["peer", "peer:0", "peer:101", "peer:60,dojah:60", "peer:1,peer:1", "nobody:5", "peer:x"])
      assert.match(saidOf({ ...live, DUBA_ROUTE_SHARE: text }).join(), /^DUBA_ROUTE_SHARE must be a list/, text);
    assert.match(
      saidOf({ DUBA_ROUTE_AFTER_NOT_FOUND: "next" }).join(),
      /^DUBA_ROUTE_AFTER_NOT_FOUND must be stop, or next= and the most/,
    );
    assert.deepEqual(saidOf({ ...live, DUBA_ROUTE_SHARE: "prembly:5" }), [
      "DUBA_ROUTE_SHARE names prembly, and DUBA_UPSTREAMS does not: name it in both, or in neither.",
    ]);
    assert.deepEqual(saidOf({ ...live, DUBA_ROUTE: "cheapest" }), [
      "DUBA_ROUTE is cheapest, and nothing says what peer bills: name it in DUBA_UPSTREAM_PRICES, such as peer=50.",
    ]);
    assert.deepEqual(saidOf({ ...live, DUBA_ROUTE_AFTER_NOT_FOUND: "next=100" }), [
      "DUBA_ROUTE_AFTER_NOT_FOUND is next, and nothing says what peer bills: " +
        "name it in DUBA_UPSTREAM_PRICES, such as peer=50.",
    ]);
  });

  test("one error lists all wrong settings, and suggests a name for a misspelt one", () => {
    const problems = saidOf({
      PORT: "x",
      DUBA_LIMIT_BODY: "16",
      DUBA_REQUEST_TIMEOUT: "0s",
    });
    assert.deepEqual(problems.map((problem) => problem.split(" ")[0]).toSorted(), [
      "DUBA_LIMIT_BODY",
      "DUBA_REQUEST_TIMEOUT",
      "PORT",
    ]);
    assert.deepEqual(saidOf({ DUBA_ZEBRA: "1" }), ["DUBA_ZEBRA is not a setting of Duba."]);
    assert.deepEqual(saidOf({ DUBA_PROT: "1" }), ["DUBA_PROT is not a setting of Duba. Did you mean PORT?"]);
    assert.deepEqual(saidOf({ DUBA_UPSTREAM: "" }), [
      "DUBA_UPSTREAM is not a setting of Duba. Did you mean DUBA_UPSTREAMS?",
    ]);
  });
});

test("variables that the guides tell callers to export are no problem for the service", () => {
  const guides = ["curl", "php", "python"].map((name) => readFileSync(`docs/clients/${name}.md`, "utf8"));
  const told = [...guides, readFileSync("client/README.md", "utf8"), readFileSync("docs/events.md", "utf8")].join("");
  const names = [...told.matchAll(/(?:env\.|environ\["|getenv\('|\$)(DUBA_[A-Z_]+)/g)].map(([, name]) => name!);
  assert.ok(names.includes("DUBA_API_KEY") && names.includes("DUBA_WEBHOOK_SECRET"));
  for (const name of [...names, "DUBA_KEY"]) assert.deepEqual(saidOf({ [name]: "http://127.0.0.1:8080" }), []);
});

suite("the live upstreams", () => {
  test("the list of live upstreams may have spaces, and a vendor's URL loses its last slash", () => {
    assert.deepEqual(readConfig({ ...peer, DUBA_UPSTREAMS: " peer " }).upstreams, ["peer"]);
    assert.equal(readConfig(peer).vendors.peer!.url, "https://verify.example.com");
  });

  test("the live upstreams never include the sandbox, an unknown name, or a name twice", () => {
    for (const text of ["sandbox", "peer,sandbox", "someone", "peer,peer", ","]) {
      const [problem, ...more] = saidOf({ ...peer, DUBA_UPSTREAMS: text });
      assert.match(
        problem!,
        /^DUBA_UPSTREAMS must be a comma-separated list of .*peer.*, each once \(test keys always use the sandbox/,
      );
      assert.deepEqual(more, []);
    }
  });

  for (const { name, settings } of vendors) {
    test(`the live upstreams need every setting of ${name} when they include it`, () => {
      const [problem, ...more] = saidOf({ DUBA_UPSTREAMS: name });
      const needed = Object.values(settings).filter((setting) => setting.default === "" && !setting.optional);
      assert.equal(
        problem,
        `DUBA_UPSTREAMS names ${name}, but ${needed.map((setting) => setting.name).join(", ")} must be set for it.`,
      );
      assert.deepEqual(more, []);
    });
  }
});

suite("a secret", () => {
  const file = join(folder, "key");
  const { DUBA_PEER_KEY: _, ...withoutKey } = peer;

  test("a secret may be in a file, and the file's last line break is not part of it", () => {
    writeFileSync(file, "from-a-file\n");
    assert.equal(readConfig({ ...withoutKey, DUBA_PEER_KEY_FILE: file }).vendors.peer!.key, "from-a-file");
  });

  test("a secret is refused when its file cannot be read, or when it is given twice, and is never repeated", () => {
    const missing = saidOf({ DUBA_PEER_KEY_FILE: join(folder, "none") });
    assert.deepEqual(missing, ["Duba cannot read the file that DUBA_PEER_KEY_FILE names (ENOENT)."]);
    const twice = saidOf({ ...peer, DUBA_PEER_KEY_FILE: file });
    assert.deepEqual(twice, ["DUBA_PEER_KEY and DUBA_PEER_KEY_FILE are both set: remove one of them."]);
    for (const problem of saidOf({ DUBA_PEER_KEY: "two words", DUBA_BOOTSTRAP_KEY: "short" }))
      assert.doesNotMatch(problem, /two words|short/);
  });

  test("only a secret setting may be given in a file", () => {
    assert.deepEqual(saidOf({ PORT_FILE: file, DUBA_DATA_FILE: file }), ["DUBA_DATA_FILE is not a setting of Duba."]);
  });
});

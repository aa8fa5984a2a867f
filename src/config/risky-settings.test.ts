import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { features } from "../features.ts";
import { readConfig } from "./read-config.ts";
import { riskySettings } from "./risky-settings.ts";

const risksOf = (environment: Record<string, string>, ownAddresses: readonly string[] = ["10.0.0.7"]) =>
  riskySettings(readConfig(environment, features), ownAddresses);
const risk = async (name: string, environment: Record<string, string>, ownAddresses?: readonly string[]) =>
  risksOf(environment, ownAddresses)[name];

const dojah = { DUBA_UPSTREAMS: "dojah", DUBA_DOJAH_APP_ID: "app", DUBA_DOJAH_KEY: "prod_sk_of_ours" };

suite("a setting that is dangerous if it is a mistake", () => {
  test("careful settings cause no warning", () => {
    const careful = {
      ...dojah,
      DUBA_TRUST_PROXY: "127.0.0.1,104.16.0.1,10.0.0.0/8",
      DUBA_METRICS: "10.0.0.7:9464",
      DUBA_EVENT_NETWORKS: "10.0.0.0/8,fd12:3456:789a::/48",
    };
    assert.deepEqual(risksOf(careful, ["203.0.113.7", "8.8.8.8"]), {});
  });

  test("trusting proxies in networks that together are much of the internet is risky", async () => {
    const wide = "0.0.0.0/8,64.0.0.0/8,128.0.0.0/8,192.0.0.0/8";
    assert.match((await risk("DUBA_TRUST_PROXY", { DUBA_TRUST_PROXY: wide }))!, /public networks, 0\.0\.0\.0\/8, 64\./);
  });

  test("serving metrics on every address is risky if one of the addresses is public", async () => {
    const everywhere = { DUBA_METRICS: "0.0.0.0:9464" };
    assert.match(
      (await risk("DUBA_METRICS", everywhere, ["172.17.0.2", "8.8.8.8"]))!,
      /on a public address .* 9464\.$/,
    );
    assert.match((await risk("DUBA_METRICS", { DUBA_METRICS: "[::]:9464" }, ["2606:4700::1"]))!, /public address/);
    assert.equal(await risk("DUBA_METRICS", everywhere, ["172.17.0.2"]), undefined, "a container's");
  });

  test("allowing all unique-local or link-local networks of IPv6 is risky", async () => {
    for (const name of ["DUBA_EVENT_NETWORKS"])
      for (const network of ["fc00::/7", "fd00::/8", "fe80::/10"])
        assert.match((await risk(name, { [name]: `10.0.0.0/8,${network}` }))!, new RegExp(`^${name} .* ${network}: `));
  });

  test("a vendor's address without TLS is risky if the address is public, but not in a private network", async () => {
    const at = (DUBA_DOJAH_URL: string) => risk("DUBA_DOJAH_URL", { ...dojah, DUBA_DOJAH_URL });
    for (const url of ["http://api.dojah.io", "http://8.8.8.8:80", "http://[2606:4700::1]"])
      assert.match((await at(url))!, /^DUBA_DOJAH_URL begins with http:\/\/, .* clear text\. Set it to the https/, url);
    const own = ["127.0.0.1:9", "[::1]:9", "localhost:9", "10.0.0.1", "proxy", "proxy.internal", "proxy.vendors.svc"];
    for (const host of own) assert.equal(await at(`http://${host}`), undefined, host);
    assert.equal(await at("https://api.dojah.io"), undefined);
    const follows = { DUBA_CATALOGUE_SOURCE: "ebills", DUBA_EBILLS_URL: "http://ebills.africa/wp-json" };
    assert.match((await risk("DUBA_EBILLS_URL", follows))!, /^DUBA_EBILLS_URL begins with http:\/\//);
    assert.deepEqual(risksOf({ DUBA_EBILLS_URL: "http://ebills.africa/wp-json" }), {}, "a source that nobody follows");
  });

  test("a test key of a vendor that live keys use is risky outside a rehearsal", async () => {
    const keys = { test_sk_of_ours: 1, sk_test_of_ours: 1, sandbox_sk_of_ours: 1, "live-contest-key": 0, testament: 0 };
    for (const [key, risks] of Object.entries(keys)) {
      const sentence = await risk("DUBA_DOJAH_KEY", { ...dojah, DUBA_DOJAH_KEY: key });
      assert.equal(sentence !== undefined, risks === 1, key);
      if (sentence) assert.doesNotMatch(sentence, new RegExp(key));
    }
    const key = { DUBA_DOJAH_KEY: "test_sk_of_ours" };
    const rehearsed = { ...dojah, ...key, DUBA_STAND_INS: "on", DUBA_DOJAH_URL: "http://127.0.0.1:9000" };
    assert.deepEqual(risksOf(rehearsed), {});
    assert.deepEqual(risksOf({ ...dojah, ...key, DUBA_UPSTREAMS: "" }), {});
  });
});

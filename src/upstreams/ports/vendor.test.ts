import assert from "node:assert/strict";
import { test } from "node:test";
import { vendors } from "../registry.ts";
import { headerText, missingOf, vendorUrl } from "./vendor.ts";

test("every vendor and every setting has a name of its own, and the sandbox is no vendor", () => {
  const names = vendors.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)].sort());
  assert.ok(!names.includes("sandbox"));
  const settings = vendors.flatMap((vendor) => Object.values(vendor.settings).map(({ name }) => name));
  assert.equal(new Set(settings).size, settings.length);
});

test("keys are secret, and nothing else is", () => {
  for (const { settings } of vendors)
    for (const { name, secret } of Object.values(settings)) assert.equal(secret ?? false, name.endsWith("_KEY"), name);
});

test("a vendor without its settings is told what it lacks; what has a default is not missing", () => {
  const usual = (vendor: (typeof vendors)[number]) =>
    Object.fromEntries(Object.entries(vendor.settings).map(([member, setting]) => [member, setting.default]));
  const missing = Object.fromEntries(vendors.map((vendor) => [vendor.name, missingOf(vendor, usual(vendor))]));
  assert.deepEqual(missing, {
    blusalt: ["DUBA_BLUSALT_CLIENT_ID", "DUBA_BLUSALT_APP_NAME", "DUBA_BLUSALT_KEY"],
    peer: ["DUBA_PEER_URL", "DUBA_PEER_EMAIL", "DUBA_PEER_KEY"],
    dojah: ["DUBA_DOJAH_APP_ID", "DUBA_DOJAH_KEY"],
  });
  const dojah = vendors.find(({ name }) => name === "dojah")!;
  assert.deepEqual(missingOf(dojah, { ...usual(dojah), appId: "app", key: "key" }), []);
});

test("addresses and keys that could not be used are refused at the start", () => {
  assert.equal(vendorUrl.read("https://id.example.com/v2/"), "https://id.example.com/v2");
  assert.equal(vendorUrl.read("http://127.0.0.1:8080"), "http://127.0.0.1:8080");
  for (const text of [
    "id.example.com",
    "ftp://x",
    "https://",
    "https://me:pw@x.example",
    "https://x.example/?a=b",
    "https://x.example/#a",
  ])
    assert.equal(vendorUrl.read(text), undefined, text);
  assert.equal(headerText.read("app of ours"), "app of ours");
  for (const text of [" key", "key\n", "key\r\nX: y", "ké"]) assert.equal(headerText.read(text), undefined);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { setting } from "../../declare/setting.ts";
import { vendors } from "../registry.ts";
import { headerText, missingOf, vendorUrl } from "./vendor.ts";

test("vendors and settings have unique names, and the sandbox is not a vendor", () => {
  const names = vendors.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)].sort());
  assert.ok(!names.includes("sandbox"));
  const settings = vendors.flatMap((vendor) => Object.values(vendor.settings).map(({ name }) => name));
  assert.equal(new Set(settings).size, settings.length);
});

test("keys and secrets are the only secret settings of vendors", () => {
  for (const { settings } of vendors)
    for (const { name, secret } of Object.values(settings))
      assert.equal(secret ?? false, /_(KEY|SECRET)$/.test(name), name);
});

test("a vendor's empty setting counts as missing unless the setting is optional", () => {
  const settings = {
    url: setting({ name: "DUBA_SOME_URL", default: "https://id.example.com", about: "…", ...vendorUrl }),
    key: setting({ name: "DUBA_SOME_KEY", about: "…", ...headerText }),
    appId: setting({ name: "DUBA_SOME_APP_ID", about: "…", optional: true, ...headerText }),
  };
  assert.deepEqual(missingOf({ settings }, { url: "https://id.example.com", key: "", appId: "" }), ["DUBA_SOME_KEY"]);
  assert.deepEqual(missingOf({ settings }, { url: "https://id.example.com", key: "key", appId: "" }), []);
  assert.deepEqual(missingOf({ settings }, { url: "", key: "key", appId: "" }), ["DUBA_SOME_URL"]);
});

test("no vendor works before the operator sets something", () => {
  for (const vendor of vendors) {
    const values = Object.fromEntries(Object.entries(vendor.settings).map(([member, of]) => [member, of.default]));
    assert.ok(missingOf(vendor, values).length > 0, vendor.name);
  }
});

test("unusable addresses and keys of vendors are refused at the start", () => {
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

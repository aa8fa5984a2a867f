import assert from "node:assert/strict";
import { test } from "node:test";
import banks from "../../../data/people/banks.json" with { type: "json" };
import familyNames from "../../../data/people/family-names.json" with { type: "json" };
import givenNames from "../../../data/people/given-names.json" with { type: "json" };
import areas from "../../../data/people/local-government-areas.json" with { type: "json" };
import streets from "../../../data/people/streets.json" with { type: "json" };
import addOns from "../../../data/starter/cable-add-ons.json" with { type: "json" };
import products from "../../../data/starter/cable-products.json" with { type: "json" };
import cableProviders from "../../../data/starter/cable-providers.json" with { type: "json" };
import corporateBundles from "../../../data/starter/corporate-bundles.json" with { type: "json" };
import bundles from "../../../data/starter/data-bundles.json" with { type: "json" };
import providers from "../../../data/starter/data-providers.json" with { type: "json" };

const naira = /^[1-9]\d*(\.\d?[1-9])?$/;
/** Error messages may repeat codes of this form. */
const code = /^[A-Za-z0-9_-]{1,32}$/;

function members(rows: readonly object[], names: string): void {
  for (const row of rows) assert.equal(Object.keys(row).join(" "), names);
}

function unique<Row>(rows: readonly Row[], key: (row: Row) => string): void {
  assert.equal(new Set(rows.map((row) => key(row).toLowerCase())).size, rows.length);
}

/** Asserts that rows are in the order of their providers. */
function inProviderOrder(rows: readonly { type: string }[], order: readonly { type: string }[]): void {
  const positions = rows.map((row) => order.findIndex((provider) => provider.type === row.type));
  assert.ok(!positions.includes(-1));
  assert.deepEqual(
    positions,
    positions.toSorted((one, other) => one - other),
  );
}

test("four data providers have the ids 1 to 4 and no image", () => {
  members(providers, "type id name narration image");
  assert.deepEqual(
    providers.map(({ type, id }) => [type, id]),
    [
      ["MTNDATA", 1],
      ["AIRTELDATA", 2],
      ["GLODATA", 3],
      ["9MOBILEDATA", 4],
    ],
  );
  for (const { type, name, narration, image } of providers) {
    assert.equal(type, `${name}DATA`);
    assert.equal(narration, `${name} Data`);
    assert.equal(image, "");
  }
});

test("79 bundles are in the order of their providers, each with a unique code and a plain price", () => {
  members(bundles, "type code description amount price value duration");
  assert.deepEqual(
    providers.map(({ type }) => bundles.filter((bundle) => bundle.type === type).length),
    [30, 20, 18, 11],
  );
  unique(bundles, (bundle) => `${bundle.type} ${bundle.code}`);
  inProviderOrder(bundles, providers);
  for (const bundle of bundles) {
    assert.match(bundle.code, code);
    assert.equal(bundle.description, `${bundle.value} ${bundle.duration}`);
    assert.match(bundle.value, /^\d+(\.\d+)?(MB|GB|TB)$/);
    assert.match(bundle.price, naira);
    assert.equal(bundle.amount, bundle.price);
  }
});

test("bundles keep published codes, and Duba's own codes name the bundle", () => {
  const published = bundles.filter((bundle) => /^\d+$/.test(bundle.code));
  assert.deepEqual(
    published.map((bundle) => `${bundle.type} ${bundle.code} ${bundle.description} ${bundle.price}`),
    [
      "MTNDATA 104 50MB 24Hrs 100",
      "MTNDATA 113 150MB 24Hrs 200",
      "AIRTELDATA 002 40MB 1Day 50",
      "AIRTELDATA 003 200MB 3Days 200",
      "AIRTELDATA 004 350MB 7Days 300",
    ],
  );
  for (const { type, code, value, duration } of bundles.filter((bundle) => !published.includes(bundle))) {
    const words = [type.replace(/DATA$/, ""), value.replace(".", "_"), duration.replace(" ", "")];
    assert.equal(code.replace(/-[a-z]$/, ""), words.join("-").toLowerCase());
  }
});

test("the 22 corporate bundles are in the documented order", () => {
  members(corporateBundles, "description code");
  const sizes =
    "50mb 150mb 250mb 500mb 1gb 2gb 3gb 5gb 10gb 12gb 15gb 20gb 25gb 30gb 40gb 50gb 60gb 70gb 75gb 80gb 90gb 100gb";
  assert.deepEqual(
    corporateBundles,
    sizes.split(" ").map((size) => ({
      description: `Corporate DATA ${size.toUpperCase()}`,
      code: `corporate_data_${size}`,
    })),
  );
});

test("three cable providers have 35 products", () => {
  members(cableProviders, "type id name narration image");
  assert.deepEqual(
    cableProviders.map(({ type, id }) => `${id} ${type}`),
    ["1 gotv", "2 dstv", "3 startimes"],
  );
  members(products, "type code name description price amount");
  assert.equal(products.length, 35);
  unique(products, (product) => `${product.type} ${product.code}`);
  inProviderOrder(products, cableProviders);
  for (const product of products) {
    assert.match(product.code, code);
    assert.match(product.price, naira);
    assert.equal(product.amount, product.price);
  }
});

test("every add-on belongs to a product of its provider", () => {
  members(addOns, "type product_code add_on_product_code name price");
  assert.equal(addOns.length, 36);
  unique(addOns, (addOn) => `${addOn.type} ${addOn.product_code} ${addOn.add_on_product_code}`);
  for (const addOn of addOns) {
    assert.ok(products.some((product) => product.type === addOn.type && product.code === addOn.product_code));
    assert.match(addOn.add_on_product_code, code);
    assert.match(addOn.price, naira);
  }
});

test("the sandbox's lists of names and places are complete and without repeats", () => {
  assert.equal(banks.length, 22);
  unique(banks, (bank) => bank.code);
  for (const bank of banks) assert.match(bank.code, /^\d{3}$/);

  assert.equal(areas.length, 774);
  unique(areas, ({ state, lga }) => `${state}: ${lga}`);
  const states = new Set(areas.map((area) => area.state));
  assert.equal(states.size, 37);
  for (const state of states) assert.match(state, /^([A-Z][A-Za-z ]+ State|Federal Capital Territory)$/);
  for (const { lga } of areas) assert.match(lga, /^[A-Z][a-z]+(['/ -][A-Za-z]+)*$/);

  assert.equal(givenNames.length, 160);
  assert.equal(familyNames.length, 100);
  unique([...givenNames, ...familyNames], (entry) => entry.name);
  for (const { name } of [...givenNames, ...familyNames]) assert.match(name, /^[A-Z][a-z]+$/);
  for (const { gender } of givenNames) assert.match(gender, /^(Male|Female)$/);
  assert.equal(streets.length, 40);
  unique(streets, (street) => street);
});

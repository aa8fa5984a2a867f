import assert from "node:assert/strict";
import { test } from "node:test";
import { answersOf, headerOf, pickFrom, plainForm, starterSnapshot, textOf } from "../catalogue.fixture.ts";
import { listCorporateBundles } from "./listCorporateBundles.ts";

const catalogue = answersOf(await starterSnapshot(), Date.now);

const documented = [
  ...["50mb", "150mb", "250mb", "500mb"],
  ...["1gb", "2gb", "3gb", "5gb", "10gb", "12gb", "15gb", "20gb", "25gb", "30gb", "40gb", "50gb", "60gb", "70gb"],
  ...["75gb", "80gb", "90gb", "100gb"],
];

test("the 22 corporate bundles in the documented order", () => {
  const data = documented.map((size) => ({
    description: `Corporate DATA ${size.toUpperCase()}`,
    code: `corporate_data_${size}`,
  }));
  assert.equal(data.length, 22);
  assert.equal(
    textOf(pickFrom(catalogue, listCorporateBundles)),
    JSON.stringify({ success: true, status: "success", message: "Corporate data lookup successful", data }),
  );
});

test("shared caches may not keep what needs a credential", () => {
  const form = plainForm(pickFrom(catalogue, listCorporateBundles), true);
  assert.match(headerOf(form, "Cache-Control") ?? "", /^private,/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { answersOf, pickFrom, starterRows, starterSnapshot, textOf } from "../catalogue.fixture.ts";
import { fetchCablePlans } from "./fetchCablePlans.ts";

const catalogue = answersOf(await starterSnapshot(), Date.now);

const look = (type: string) => pickFrom(catalogue, fetchCablePlans, { type });

test("fetchCablePlans lists a provider's products with numbers of the whole list", () => {
  const products = starterRows("cable-products.json").map((product, place) => ({ id: place + 1, ...product }));
  for (const provider of ["gotv", "dstv", "startimes"]) {
    const plans = products.filter((product) => "type" in product && product.type === provider);
    assert.ok(plans.length > 0);
    assert.equal(textOf(look(provider)), JSON.stringify({ success: true, plans }));
  }
});

test("fetchCablePlans accepts the provider in upper or lower case", () => {
  assert.equal(look("GOtv"), look("gotv"));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { answersOf, pickFrom, starterSnapshot, textOf } from "../catalogue.fixture.ts";
import { inOrder } from "../model/snapshot.ts";
import { fetchTvAddOns } from "./fetchTvAddOns.ts";

const snapshot = await starterSnapshot();
const catalogue = answersOf(snapshot, Date.now);

const look = (type: string, productCode: string) => pickFrom(catalogue, fetchTvAddOns, { type, productCode });

test("fetchTvAddOns answers for every product, and lists nothing for a product without add-ons", () => {
  let pairs = 0;
  for (const { content } of inOrder(snapshot, "cable-products"))
    pairs += JSON.parse(textOf(look(String(content.type), String(content.code)))).data.length;
  assert.equal(pairs, 36);
  assert.equal(
    textOf(look("gotv", "GOTVMAX")),
    '{"success":true,"status":"success","message":"Add-on lookup successful for GOTVMAX","data":[]}',
  );
});

test("the failure for an unknown product says where products are listed", () => {
  const where = "List its products with GET /api/v2/cable-tv/fetch-billers?type=gotv.";
  assert.throws(() => look("GOTV", "COMPE36"), {
    code: "product_not_found",
    message: `gotv has no product with the code COMPE36. ${where}`,
  });
  assert.throws(() => look("gotv", "2200000001"), {
    code: "product_not_found",
    message: `gotv has no product with this code. ${where}`,
  });
  for (const productCode of ["COMPE36 ", "COMPE36\nx", "\nCOMPE36"])
    assert.throws(() => look("dstv", productCode), { code: "product_not_found" });
});

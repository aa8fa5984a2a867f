import assert from "node:assert/strict";
import { test } from "node:test";
import { answersOf, pickFrom, starterSnapshot, textOf } from "../catalogue.fixture.ts";
import { inOrder } from "../model/snapshot.ts";
import { fetchTvAddOns } from "./fetchTvAddOns.ts";

const snapshot = await starterSnapshot();
const catalogue = answersOf(snapshot, Date.now);

const look = (type: string, productCode: string) => pickFrom(catalogue, fetchTvAddOns, { type, productCode });

test("the add-ons of a product, members in the documented order", () => {
  assert.equal(
    textOf(look("dstv", "PRWE36")),
    '{"success":true,"status":"success","message":"Add-on lookup successful for PRWE36","data":[' +
      '{"add_on_product_code":"HDPVRE36","product_code":"PRWE36","name":"HDPVR/XtraView","price":"6000","type":"dstv"},' +
      '{"add_on_product_code":"FRN15E36","product_code":"PRWE36","name":"French Plus","price":"24500","type":"dstv"},' +
      '{"add_on_product_code":"GWALLE36","product_code":"PRWE36","name":"Great Wall","price":"3800","type":"dstv"},' +
      '{"add_on_product_code":"MOBMAXI","product_code":"PRWE36","name":"Mobile","price":"790","type":"dstv"},' +
      '{"add_on_product_code":"MOVIES","product_code":"PRWE36","name":"Movie Bundle","price":"3500","type":"dstv"}]}',
  );
});

test("every product of every provider has an answer; one without add-ons has an empty list", () => {
  let pairs = 0;
  for (const { content } of inOrder(snapshot, "cable-products"))
    pairs += JSON.parse(textOf(look(String(content.type), String(content.code)))).data.length;
  assert.equal(pairs, 36);
  assert.equal(
    textOf(look("gotv", "GOTVMAX")),
    '{"success":true,"status":"success","message":"Add-on lookup successful for GOTVMAX","data":[]}',
  );
});

test("codes are matched without regard to case and repeated as they were asked", () => {
  const { message, data } = JSON.parse(textOf(look("DStv", "compe36")));
  assert.equal(message, "Add-on lookup successful for compe36");
  assert.equal(data.length, 7);
  for (const addOn of data) {
    assert.equal(addOn.type, "DStv");
    assert.equal(addOn.product_code, "compe36");
  }
  assert.equal(look("DStv", "compe36"), look("DStv", "compe36"));
  assert.notEqual(look("DStv", "compe36").etag, look("dstv", "COMPE36").etag);
});

test("an unknown provider is told which codes there are", () => {
  assert.throws(() => look("mytv", "COMPE36"), {
    code: "provider_not_found",
    message: "No cable provider has the code mytv. Known codes: gotv, dstv, startimes.",
  });
});

test("an unknown product is told where the products are listed", () => {
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

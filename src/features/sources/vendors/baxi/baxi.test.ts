import assert from "node:assert/strict";
import { test } from "node:test";
import bouquetsFile from "../../../../../stand-ins/baxi/samples/bouquets.json" with { type: "json" };
import { testCatalogueSource } from "../conformance.fixture.ts";
import { baxi } from "./index.ts";
import { failureIn } from "./wire.ts";

const { sample: bouquets } = bouquetsFile;

const { dstv, gotv, startimes, addOns, none } = bouquets;
const path = "/api/baxipay/services/multichoice";
const list = (service: string) => `${path}/list {"service_type":"${service}"}`;
const addOnsOf = (service: string, code: string) =>
  `${path}/addons {"service_type":"${service}","product_code":"${code}"}`;

const lists = {
  "cable-products": [
    product("dstv", "ACSSE36", "DStv Access", "2000"),
    product("dstv", "COMPE36", "DStv Compact", "19000.00"),
    product("dstv", "YEARE36", "DStv Year", ""),
    product("gotv", "GOTVMAX", "GOtv Max", "8500"),
    product("startimes", "NOVA", "Nova", "1900"),
  ],
  "cable-add-ons": ["ACSSE36", "COMPE36"].flatMap((product_code) => [
    { add_on_product_code: "HDPVRE36", product_code, name: "HDPVR/XtraView", price: "6000", type: "dstv" },
    { add_on_product_code: "GWALLE36", product_code, name: "Great Wall", price: "3800", type: "dstv" },
  ]),
};

testCatalogueSource({
  source: baxi,
  values: (url) => ({ url: `${url}/api/baxipay`, key: "the-key-of-baxi" }),
  assertRequest({ method, headers }) {
    assert.equal(method, "POST");
    assert.equal(headers["x-api-key"], "the-key-of-baxi");
    assert.equal(headers["content-type"], "application/json");
  },
  answers: {
    [list("dstv")]: dstv,
    [addOnsOf("dstv", "ACSSE36")]: addOns,
    [addOnsOf("dstv", "COMPE36")]: addOns,
    [addOnsOf("dstv", "YEARE36")]: none,
    [list("gotv")]: gotv,
    [addOnsOf("gotv", "GOTVMAX")]: none,
    [list("startimes")]: startimes,
  },
  lists,
  leftOut: [],
  misfits: {
    [list("dstv")]: { ...dstv, data: dstv.data.map((each) => ({ ...each, name: { en: each.name } })) },
    [addOnsOf("dstv", "ACSSE36")]: { ...addOns, data: { first: addOns.data[0] } },
    [addOnsOf("gotv", "GOTVMAX")]: { ...none, status: "pending" },
    [list("startimes")]: {
      ...startimes,
      data: startimes.data.map((each) => ({ ...each, availablePricingOptions: 1 })),
    },
  },
  variants: {
    "does not take the key": {
      answers: { [list("dstv")]: { status: "error", message: "…", code: 401 } },
      pulled: {
        kind: "refused_credentials",
        sentence: "Asked for the bouquets of dstv, it answered with the code 401.",
      },
    },
    "has no working provider behind it": {
      answers: { [addOnsOf("dstv", "COMPE36")]: { status: "error", message: "…", code: "EXC00103" } },
      pulled: {
        kind: "unreachable",
        sentence: "Asked for the add-ons of dstv COMPE36, it answered with the code EXC00103.",
      },
    },
    "writes one bouquet in an odd way": {
      answers: { [list("dstv")]: { ...dstv, data: [...dstv.data, { ...dstv.data[0], code: "two words" }] } },
      pulled: {
        kind: "whole",
        lists: {
          ...lists,
          "cable-products": lists["cable-products"].toSpliced(
            3,
            0,
            product("dstv", "two words", "DStv Access", "2000"),
          ),
        },
        leftOut: [],
      },
    },
  },
  secrets: ["the-key-of-baxi"],
});

function product(type: string, code: string, name: string, price: string) {
  return { type, code, name, description: name, price, amount: price };
}

test("baxi's answer is read by the code in its body, as a number or a text", () => {
  const kindOf = (code: unknown) => failureIn({ status: "success", code })?.kind;
  assert.deepEqual([200, "200", undefined, "…", null].map(kindOf), Array(5).fill(undefined));
  assert.deepEqual([401, "403"].map(kindOf), ["refused_credentials", "refused_credentials"]);
  assert.deepEqual([500, "429", "BX0001", "UNK0001", 404, 400].map(kindOf), [
    "unreachable",
    "unreachable",
    "unreachable",
    "unreachable",
    "incomplete",
    "unreadable",
  ]);
});

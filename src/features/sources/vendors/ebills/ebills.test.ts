import assert from "node:assert/strict";
import variationsFile from "../../../../../stand-ins/ebills/samples/variations.json" with { type: "json" };
import { testCatalogueSource } from "../conformance.fixture.ts";
import { ebills } from "./index.ts";

const { sample: variations } = variationsFile;

const data = (service: string) => `/wp-json/api/v2/variations/data?service_id=${service}`;
const tv = (service: string) => `/wp-json/api/v2/variations/tv?service_id=${service}`;
const { mtn } = variations;

const lists = {
  "data-bundles": [
    bundle("MTNDATA", "2676", "MTN SME Data 1GB – 30 Days", "350", "1GB", "30 Days", {
      cost: "346.50",
      available: true,
    }),
    bundle("MTNDATA", "2677", "2GB – 7 Days", "700", "2GB", "7 Days", { cost: "693", available: false }),
    bundle("AIRTELDATA", "air-500", "500MB", "150.00", "500MB", "", {}),
    bundle("GLODATA", "3101", "1GB + 500MB night", "", "", "", { available: true }),
    bundle("GLODATA", "3102", "10GB – 30 Days", "2940", "10GB", "30 Days", { cost: "2646", available: true }),
  ],
  "cable-products": [
    product("gotv", "2701", "GOtv Max", "8500", { available: true }),
    product("dstv", "2690", "DStv Compact", "19000", { cost: "18715", available: true }),
    product("startimes", "2710", "Nova – 1 Month", "1900", { available: true }),
  ],
};

testCatalogueSource({
  source: ebills,
  values: (url) => ({ url: `${url}/wp-json` }),
  assertRequest({ method, headers, body }) {
    assert.equal(method, "GET");
    assert.equal(headers.authorization, undefined);
    assert.equal(body, "");
  },
  answers: {
    ...Object.fromEntries((["mtn", "airtel", "glo", "9mobile"] as const).map((id) => [data(id), variations[id]])),
    ...Object.fromEntries((["gotv", "dstv", "startimes"] as const).map((id) => [tv(id), variations[id]])),
  },
  lists,
  leftOut: [],
  misfits: {
    [data("mtn")]: { ...mtn, data: mtn.data.map((each) => ({ ...each, price: { naira: 350 } })) },
    [data("airtel")]: mtn,
    [data("glo")]: { code: "success", data: { first: variations.glo.data[0] } },
    [tv("gotv")]: { code: "success" },
    [tv("dstv")]: { code: "invalid_service", message: "…", data: { status: 400 } },
    [tv("startimes")]: { ...variations.startimes, data: [{ ...variations.startimes.data[0], service_id: 9 }] },
  },
  variants: {
    "writes one entry in an odd way": {
      answers: { [data("mtn")]: { ...mtn, data: [mtn.data[0], { ...mtn.data[1], data_plan: ["2GB"] }] } },
      pulled: {
        kind: "whole",
        lists: {
          ...lists,
          "data-bundles": lists["data-bundles"].map((each) =>
            each.code === "2677" ? bundle("MTNDATA", "2677", "", "", "", "", { cost: "693", available: false }) : each,
          ),
        },
        leftOut: [],
      },
    },
  },
  secrets: [],
});

interface Supply {
  cost?: string;
  available?: boolean;
}

function bundle(
  ...[type, code, description, price, value, duration, supply]: [string, string, string, string, string, string, Supply]
) {
  return {
    type,
    code,
    description,
    amount: price,
    price,
    ...(value && { value }),
    ...(duration && { duration }),
    ...supply,
  };
}

function product(type: string, code: string, name: string, price: string, supply: Supply) {
  return { type, code, name, description: name, price, amount: price, ...supply };
}

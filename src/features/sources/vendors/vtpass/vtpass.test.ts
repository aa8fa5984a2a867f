import assert from "node:assert/strict";
import { test } from "node:test";
import { testCatalogueSource } from "../conformance.fixture.ts";
import dataServices from "./fixtures/data-services.json" with { type: "json" };
import tvServices from "./fixtures/tv-services.json" with { type: "json" };
import variations from "./fixtures/variations.json" with { type: "json" };
import { vtpass } from "./index.ts";
import { failureIn } from "./wire.ts";

const variationsOf = (id: string) => `/api/service-variations?serviceID=${id}`;
const mtn = variations["mtn-data"];

const lists = {
  "data-bundles": [
    bundle("MTNDATA", "mtn-a", "N100 100MB - 24 hrs", "100.00", "100MB", "24 hrs"),
    bundle("MTNDATA", "mtn-b", "N1000 1.5GB - 30 days", "1000.50", "1.5GB", "30 days"),
    bundle("AIRTELDATA", "air-a", "Airtel Data - 50 Naira - 25MB - 1Day", "49.99", "25MB", "1Day"),
    bundle("GLODATA", "glo a", "Glo Data N100 - 105MB - 2 day", "100.00", "105MB", "2 day"),
    bundle("GLODATA", "glo-b", "Glo 1GB + 1GB night", "", "", ""),
    bundle("9MOBILEDATA", "eti-a", "9mobile Data - 4.5GB + 1GB night", "2000.00", "", ""),
  ],
  "cable-products": [
    product("gotv", "gotv-max", "GOtv Max N3,600", "3600.00"),
    product("dstv", "dstv-padi", "DStv Padi N1,850", "1850.00"),
    product("startimes", "nova", "Nova - 900 Naira - 1 Month", "900.00"),
  ],
};

const leftOut = [
  "smile-direct: not known here, so left out.",
  "airtel-data, air-b: its price is not fixed, so left out.",
  "showmax: not known here, so left out.",
  "startimes: its convenience fee is not in the prices.",
];

testCatalogueSource({
  source: vtpass,
  values: (url) => ({ url, apiKey: "the-api-key", publicKey: "PK_the-public-key" }),
  assertRequest({ method, headers, body }) {
    assert.equal(method, "GET");
    assert.equal(headers["api-key"], "the-api-key");
    assert.equal(headers["public-key"], "PK_the-public-key");
    assert.equal(headers.authorization, undefined);
    assert.equal(body, "");
  },
  answers: {
    "/api/services?identifier=data": dataServices,
    [variationsOf("mtn-data")]: mtn,
    [variationsOf("airtel-data")]: variations["airtel-data"],
    [variationsOf("glo-data")]: variations["glo-data"],
    [variationsOf("etisalat-data")]: variations["etisalat-data"],
    "/api/services?identifier=tv-subscription": tvServices,
    [variationsOf("gotv")]: variations.gotv,
    [variationsOf("dstv")]: variations.dstv,
    [variationsOf("startimes")]: variations.startimes,
  },
  lists,
  leftOut,
  misfits: {
    "/api/services?identifier=data": { ...dataServices, content: { first: dataServices.content[0] } },
    [variationsOf("mtn-data")]: {
      ...mtn,
      content: {
        ...mtn.content,
        variations: mtn.content.variations.map((each) => ({ ...each, variation_amount: 100 })),
      },
    },
    [variationsOf("gotv")]: { ...variations.gotv, content: { serviceID: "gotv" } },
    [variationsOf("dstv")]: variations.gotv,
  },
  variants: {
    "no longer has a service": {
      answers: {
        "/api/services?identifier=data": {
          ...dataServices,
          content: dataServices.content.filter(({ serviceID }) => serviceID !== "etisalat-data"),
        },
      },
      pulled: {
        kind: "whole",
        lists: { ...lists, "data-bundles": lists["data-bundles"].filter(({ type }) => type !== "9MOBILEDATA") },
        leftOut: [
          ...leftOut.slice(0, 2),
          "etisalat-data: not among its services, so 9MOBILEDATA has nothing.",
          ...leftOut.slice(2),
        ],
      },
    },
    "writes one entry in an odd way, and its other prices as fixed: true": {
      answers: {
        [variationsOf("mtn-data")]: {
          ...mtn,
          content: {
            ...mtn.content,
            convinience_fee: { none: true },
            variations: [
              { variation_code: "odd", name: "Odd", variation_amount: null, fixedPrice: "Yes" },
              ...mtn.content.variations.map((each) =>
                each.fixedPrice === "Yes" ? { ...each, fixedPrice: true } : each,
              ),
            ],
          },
        },
      },
      pulled: {
        kind: "whole",
        lists: { ...lists, "data-bundles": [bundle("MTNDATA", "odd", "Odd", "", "", ""), ...lists["data-bundles"]] },
        leftOut,
      },
    },
    "has none of the services": {
      answers: { "/api/services?identifier=tv-subscription": { response_description: "000", content: [] } },
      pulled: { kind: "incomplete", sentence: "Its services of tv-subscription are none that are known here." },
    },
    "does not take the keys": {
      answers: { [variationsOf("dstv")]: { code: "087", response_description: "INVALID CREDENTIALS" } },
      pulled: {
        kind: "refused_credentials",
        sentence: "Asked for the variations of dstv, it answered with the code 087.",
      },
    },
  },
  secrets: ["the-api-key", "PK_the-public-key"],
});

function bundle(type: string, code: string, description: string, price: string, value: string, duration: string) {
  return { type, code, description, amount: price, price, ...(value && { value }), ...(duration && { duration }) };
}

function product(type: string, code: string, name: string, price: string) {
  return { type, code, name, description: name, price, amount: price };
}

test("VTpass's failures are recognised by their code, in either member, at any HTTP status", () => {
  const kindOf = (body: unknown) => failureIn(body)?.kind;
  assert.equal(kindOf({ code: "087", content: { errors: "…" } }), "refused_credentials");
  assert.equal(kindOf({ response_description: "027" }), "refused_credentials");
  assert.equal(kindOf({ code: "012" }), "incomplete");
  assert.equal(kindOf({ code: "083" }), "unreachable");
  for (const body of [{ response_description: "000" }, { code: 87 }, { code: "…" }, null, "087"])
    assert.equal(kindOf(body), undefined);
});

import { Failure } from "../../declare/failures.ts";
import { codeField } from "../../declare/fields.ts";
import { operation } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import type { Catalogue } from "../catalogue.ts";
import { isSameCode } from "../model/codes.ts";
import { findDataProvider } from "../model/find-entry.ts";
import { groupIn, stampOf, stampOfAll } from "../model/snapshot.ts";
import { allBundlesBody, allPricedBundlesBody, bundlesBody } from "../responses/bundle-list.ts";
import type { ResponseCache, ResponseSpec } from "../responses/cache.ts";
import { DataBundleAnswer } from "../responses/shapes.ts";

const airtel: DataBundleAnswer = {
  success: true,
  data: {
    status: 1,
    error: false,
    data: [bundle("002", "40MB", "1Day", "50"), bundle("003", "200MB", "3Days", "200")],
    date: "2026-01-31T09:30:00.000Z",
    message: "Data lookup successful",
  },
};

function bundle(code: string, value: string, duration: string, price: string) {
  return { type: "AIRTELDATA", code, description: `${value} ${duration}`, amount: price, price, value, duration };
}

export const lookupDataBundles = operation({
  id: "lookupDataBundles",
  method: "GET",
  path: "/api/v2/internet/data/lookup",
  summary: "Data bundles of a provider",
  alsoCalled: ["packages", "plans", "bundles", "databundles", "dataplans"],
  description:
    "Lists the mobile data bundles of one data provider, or of every provider in turn when none is named. " +
    "Each bundle names its provider in `type`. Codes are matched without regard to case.",
  group: "Data",
  documented: true,
  access: "anonymous",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query",
  input: Type.Object({
    provider: Type.Optional(codeField("Data provider code. Without it, bundles of all are listed.", "MTNDATA")),
    type: Type.Optional(codeField("Another name for `provider`.", "MTNDATA")),
  }),
  answer: DataBundleAnswer,
  failures: ["provider_not_found", "conflicting_parameters"],
  failurePayload: (message) => ({
    data: { status: 0, error: true, data: [], date: new Date().toISOString(), message },
  }),
  examples: [{ summary: "Bundles of Airtel, shortened", input: { provider: "AIRTELDATA" }, answer: airtel }],
  pick: ({ input: { provider, type }, caller }, { responses }: Catalogue, id) => {
    if (provider !== undefined && type !== undefined && !isSameCode(provider, type))
      throw new Failure(
        "conflicting_parameters",
        "provider and type are two names of one thing, and here they differ.",
      );
    const code = provider ?? type;
    return responses.pick(id, code ?? ALL, caller, code, specOf);
  },
});

/** The name of the list of all providers. No code is empty. */
const ALL = "";

const list = "data-bundles";

function specOf({ snapshot, now }: ResponseCache, code: string | undefined): ResponseSpec {
  if (code !== undefined) {
    const { key } = findDataProvider(snapshot, code);
    const group = groupIn(snapshot, list, key);
    return { list, name: key, key, parts: [group], write: (prices) => bundlesBody(group, now, prices) };
  }
  return {
    list,
    name: ALL,
    // The order of providers determines the order of their bundles.
    parts: [snapshot.groups[list], groupIn(snapshot, "data-providers")],
    stamp: stampOfAll([stampOf(snapshot, list), stampOf(snapshot, "data-providers")]),
    write: (prices) => (prices ? allPricedBundlesBody(snapshot, now, prices) : allBundlesBody(snapshot, now)),
  };
}

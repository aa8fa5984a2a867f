import Type from "typebox";
import { Failure } from "../../operation/failures.ts";
import { codeField } from "../../operation/fields.ts";
import { operation } from "../../operation/operation.ts";
import type { Catalogue } from "../catalogue.ts";
import { foldCase, isSameCode } from "../model/codes.ts";
import { findDataProvider } from "../model/find.ts";
import { type PriceList, pricesOf } from "../model/price-lists.ts";
import { groupIn, type Snapshot, stampOf, stampOfAll } from "../model/snapshot.ts";
import { allBundlesBody, allOwnBundlesBody, bundlesBody } from "../responses/bundle-list.ts";
import type { ResponseCache } from "../responses/cache.ts";
import type { Response } from "../responses/response.ts";
import { DataBundleAnswer } from "../responses/shapes.ts";

const airtel: DataBundleAnswer = {
  success: true,
  data: {
    status: 1,
    error: false,
    data: [
      {
        type: "AIRTELDATA",
        code: "002",
        description: "40MB 1Day",
        amount: "50",
        price: "50",
        value: "40MB",
        duration: "1Day",
      },
      {
        type: "AIRTELDATA",
        code: "003",
        description: "200MB 3Days",
        amount: "200",
        price: "200",
        value: "200MB",
        duration: "3Days",
      },
    ],
    date: "2026-01-31T09:30:00.000Z",
    message: "Data lookup successful",
  },
};

export const lookupDataBundles = operation({
  id: "lookupDataBundles",
  method: "GET",
  path: "/api/v2/internet/data/lookup",
  summary: "Data bundles of a provider",
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
  pick: ({ input: { provider, type }, caller }, { responses }: Catalogue) => {
    if (provider !== undefined && type !== undefined && !isSameCode(provider, type))
      throw new Failure(
        "conflicting_parameters",
        "provider and type are two names of one thing, and here they differ.",
      );
    const code = provider ?? type;
    const prices = pricesOf(responses.snapshot, caller);
    if (prices) return listedForAccount(responses, code, caller!.accountId, prices);
    return responses.find("data-bundles", code ?? ALL) ?? listed(responses, code);
  },
});

/** Names the list of all providers. No code is empty. */
const ALL = "";

function listed(responses: ResponseCache, code: string | undefined): Response {
  const { snapshot, now } = responses;
  if (code === undefined)
    return responses.common(ALL, { ...all(snapshot), write: () => allBundlesBody(snapshot, now) });
  const known = responses.find("data-bundles", foldCase(code));
  if (known) return known;
  const { key } = findDataProvider(snapshot, code);
  const group = groupIn(snapshot, "data-bundles", key);
  return responses.common(key, { list: "data-bundles", key, parts: [group], write: () => bundlesBody(group, now) });
}

function listedForAccount(
  responses: ResponseCache,
  code: string | undefined,
  accountId: string,
  prices: PriceList,
): Response {
  const { snapshot, now } = responses;
  if (code === undefined) {
    const { parts, ...rest } = all(snapshot);
    const write = () => allOwnBundlesBody(snapshot, now, prices);
    return responses.own(accountId, ALL, { ...rest, parts: [...parts, prices], write });
  }
  const { key } = findDataProvider(snapshot, code);
  const group = groupIn(snapshot, "data-bundles", key);
  return responses.own(accountId, key, {
    list: "data-bundles",
    key,
    parts: [group, prices],
    write: () => (prices.touches(key) ? bundlesBody(group, now, prices) : listed(responses, code).body!),
  });
}

/** The order of the providers is the order of their bundles. */
function all(snapshot: Snapshot) {
  return {
    list: "data-bundles",
    parts: [snapshot.groups["data-bundles"], groupIn(snapshot, "data-providers")],
    stamp: stampOfAll([stampOf(snapshot, "data-bundles"), stampOf(snapshot, "data-providers")]),
  } as const;
}

import { fetchTvAddOns, listCorporateBundles, lookupDataBundles, type Operation } from "../document.ts";
import { itemsOf, successProblems, unless } from "../judge-response.ts";
import type { Need, Point } from "../point.ts";
import type { CheckSession, RequestChanges } from "../session.ts";
import { Blocked } from "../session.ts";

/** Other forms of one request, which must get responses of equal content. */
function sameResponse(
  operation: Operation,
  name: string,
  sentence: string,
  changes: (session: CheckSession) => RequestChanges,
  needs: readonly Need[] = [],
): Point {
  return {
    id: `${operation.id}.${name}`,
    part: "duba",
    sentence,
    needs,
    check: async (session) => {
      const usual = await session.answerOf(operation);
      const other = await session.call(operation, changes(session));
      const problems = successProblems(other);
      return problems.length > 0
        ? problems
        : unless(contentOf(other.json) === contentOf(usual), "The content is another.");
    },
  };
}

/** The response without its `date`, in lower case, because a server repeats codes in the caller's spelling. */
function contentOf(json: Record<string, unknown> | undefined): string {
  return JSON.stringify(json, (name, value) => (name === "date" ? "" : value)).toLowerCase();
}

const spelledOtherwise = (text: string) => (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase());

export const requestPoints: readonly Point[] = [
  sameResponse(fetchTvAddOns, "in-query", "The parameters may stand in the query string.", () => ({
    carriage: "query",
  })),
  sameResponse(fetchTvAddOns, "query-method", "The QUERY method with the JSON body is a third way.", () => ({
    method: "QUERY",
  })),
  sameResponse(fetchTvAddOns, "any-case", "Codes match without regard to case.", (session) => ({
    members: {
      type: spelledOtherwise(session.value("type")),
      productCode: spelledOtherwise(session.value("productCode")),
    },
  })),
  {
    id: "fetchTvAddOns.as-spelled",
    part: "duba",
    needs: [],
    sentence: "The answer repeats the codes as the request spells them.",
    check: async (session) => {
      const type = spelledOtherwise(session.value("type"));
      const productCode = spelledOtherwise(session.value("productCode"));
      const { status } = await session.call(fetchTvAddOns, { members: { type, productCode } });
      if (status !== 200) throw new Blocked("fetchTvAddOns.any-case");
      const addOns = await itemsOf(session, fetchTvAddOns, { members: { type, productCode } });
      return unless(
        addOns.every((addOn) => addOn.type === type && addOn.product_code === productCode),
        "`type` or `product_code` is spelled otherwise.",
      );
    },
  },
  sameResponse(lookupDataBundles, "any-case", "Codes match without regard to case.", (session) => ({
    members: { provider: spelledOtherwise(session.value("provider")) },
  })),
  sameResponse(lookupDataBundles, "type-parameter", "`type` is another name for `provider`.", (session) => ({
    members: { provider: null, type: session.value("provider") },
  })),
  sameResponse(lookupDataBundles, "unknown-parameter", "Parameters that it does not know are ignored.", () => ({
    members: { no_such_parameter: "1" },
  })),
  sameResponse(
    listCorporateBundles,
    "bare-key",
    "The key is accepted without the word Bearer.",
    ({ key }) => ({ authorization: key }),
    ["key"],
  ),
  {
    id: "lookupDataBundles.all",
    part: "duba",
    needs: [],
    sentence: "Without a provider it lists the bundles of all.",
    check: async (session) => {
      const provider = session.value("provider");
      const all = await itemsOf(session, lookupDataBundles, { members: { provider: null } });
      const same = all.filter(({ type }) => type === provider);
      const own = await itemsOf(session, lookupDataBundles);
      return unless(same.length === own.length && all.length > own.length, `It does not list ${provider} and others.`);
    },
  },
  {
    id: "lookupDataBundles.fresh",
    part: "duba",
    needs: [],
    sentence: "`date` is in UTC, to the millisecond, and at most a minute old.",
    check: async (session) => {
      const { data } = await session.answerOf(lookupDataBundles, { headers: { "X-Request-Id": "duba-check-3" } });
      const date = (data as { date?: unknown } | undefined)?.date;
      if (typeof date !== "string") throw new Blocked("lookupDataBundles.members");
      const age = Date.now() - Date.parse(date);
      return [
        ...unless(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(date), "`data.date` has another form."),
        // The clocks of the two machines may differ a little.
        ...unless(!(age > 70_000 || age < -10_000), "`data.date` is older, or in the future. Compare the clocks."),
      ];
    },
  },
];

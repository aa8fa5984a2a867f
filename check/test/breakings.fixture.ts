import type { CheckedResponse, ServerRequest } from "../src/ask-server.ts";
import type { Operation } from "../src/document.ts";
import { hasForms } from "../src/shape-errors.ts";
import {
  accepts,
  type Breaking,
  barePath,
  bodyOf,
  changedJson,
  error,
  failed,
  hasEmptyKey,
  hasWrongKey,
  isAt,
  isKeyless,
  isMethod,
  isSuccess,
  items,
  lacks,
  type PathName,
  query,
  status,
} from "./breaks.fixture.ts";
import { failureBreakings, headerBreakings, leakBreakings } from "./failure-breakings.fixture.ts";
import { verificationBreakings } from "./verification-breakings.fixture.ts";

const documented: Readonly<Record<string, PathName>> = {
  lookupDataBundles: "bundles",
  listCorporateBundles: "corporate",
  fetchTvAddOns: "addOns",
  fetchDataProviders: "providers",
  verifyBvn: "verify",
};
const keyed = ["listCorporateBundles", "fetchDataProviders", "verifyBvn"];

/**
 * A problem of a server for each point, with the further points that it breaks. `like` returns the good response of a
 * place. `others` are the undocumented operations that have points.
 */
export function breakings(
  like: (place: PathName) => CheckedResponse,
  others: readonly Operation[],
): Record<string, Breaking> {
  const table: Record<string, Breaking> = {};
  const places = { ...documented, ...Object.fromEntries(others.map(({ id, path }) => [id, path])) };
  for (const [id, place] of Object.entries(places)) {
    table[`${id}.answers`] = {
      by: (asked, answered) => (isAt(asked, place) && isSuccess(answered) ? failed : undefined),
      follows: [`${id}.`, "headers."],
    };
    const member = changedJson(place, (body) => delete body[Object.keys(body).find((name) => name !== "success")!]);
    table[`${id}.members`] = { by: member, follows: [`${id}.`, "headers."] };
    table[`${id}.nothing-else`] = {
      by: changedJson(place, (body) => {
        body.extra = 1;
      }),
    };
  }
  for (const { id, path, answer } of others)
    if (hasForms(answer)) table[`${id}.forms`] = { by: changedJson(path, misform) };
  for (const [id, place] of Object.entries(documented)) {
    const other = id === "verifyBvn" ? "GET" : "DELETE";
    table[`${id}.other-method`] = { by: accepts(place, isMethod(other), like), follows: [`${id}.method`, "failures."] };
    table[`${id}.method`] = { by: status("method_not_allowed", place, 404) };
    table[`${id}.trailing-slash`] = { by: status("route_not_found", place, 410) };
    table[`${id}.unknown-key`] = { by: status("invalid_credentials", place, 403) };
  }
  for (const id of keyed) {
    const place = documented[id]!;
    table[`${id}.needs-key`] = { by: accepts(place, isKeyless, like) };
    table[`${id}.wrong-key`] = { by: accepts(place, hasWrongKey, like), follows: [`${id}.unknown-key`] };
    table[`${id}.no-key`] = { by: accepts(place, hasEmptyKey, like) };
  }
  for (const [id, place, name] of [
    ["fetchTvAddOns", "addOns", "type"],
    ["fetchTvAddOns", "addOns", "productCode"],
    ["verifyBvn", "verify", "bvn"],
    ["verifyBvn", "verify", "phone"],
    ["verifyBvn", "verify", "amount"],
  ] as const) {
    table[`${id}.requires-${name}`] = { by: accepts(place, lacks(name), like), follows: [`${id}.names-${name}`] };
    table[`${id}.names-${name}`] = {
      by: (asked, answered) =>
        isAt(asked, place) && lacks(name)(asked)
          ? error("validation_failed", (error) => delete error.fields)(asked, answered)
          : undefined,
    };
  }
  for (const id of ["lookupDataBundles", "listCorporateBundles", "fetchDataProviders"])
    table[`${id}.json-type-without-body`] = {
      by: (asked, answered) =>
        isAt(asked, documented[id]!) && asked.headers["Content-Type"] && isSuccess(answered) ? failed : undefined,
    };
  for (const id of ["fetchTvAddOns", "verifyBvn"]) {
    const place = documented[id]!;
    table[`${id}.malformed-json`] = { by: accepts(place, ({ body }) => body === "{", like) };
    table[`${id}.member-twice`] = {
      by: accepts(place, ({ body }) => body?.endsWith('"amount":"","amount":""}') ?? false, like),
    };
    table[`${id}.array-body`] = { by: accepts(place, ({ body }) => body === "[1]", like) };
    table[`${id}.form-body`] = { by: accepts(place, ({ body }) => body === "a=b", like) };
  }
  return {
    ...table,
    ...ofLists(like),
    "authorizeMerchant.token": {
      by: changedJson("/api/v2/merchant/authorization", ({ data: { token } }) => {
        token.expires_at = new Date(Date.parse(`${token.expires_at}Z`)).toISOString();
      }),
    },
    ...verificationBreakings(like),
    ...failureBreakings(),
    ...headerBreakings(),
    ...leakBreakings(),
  };
}

function ofLists(like: (place: PathName) => CheckedResponse): Record<string, Breaking> {
  const refused =
    (isMeant: (asked: ServerRequest) => boolean): Breaking["by"] =>
    (asked, answered) =>
      isAt(asked, "addOns") && isMeant(asked) && isSuccess(answered) ? failed : undefined;
  const spelledOtherwise = (asked: ServerRequest) => (asked.body ?? "").includes('"prwe36"');
  const bundlesWith =
    (isMeant: (query: string) => boolean): Breaking["by"] =>
    (asked, answered) =>
      isAt(asked, "bundles") && isMeant(query(asked)) && isSuccess(answered) ? failed : undefined;
  return {
    "lookupDataBundles.forms": {
      by: items("bundles", (bundle) => {
        bundle.price = "₦200";
      }),
    },
    "lookupDataBundles.provider": {
      by: items("bundles", (bundle) => {
        bundle.type = "mtn";
      }),
      follows: ["lookupDataBundles.all"],
    },
    "lookupDataBundles.once": {
      by: changedJson("bundles", ({ data }) => data.data.push(data.data[0])),
      follows: ["lookupDataBundles.all"],
    },
    "lookupDataBundles.unknown-provider": {
      by: accepts("bundles", (asked) => query(asked) === "provider=NOSUCHCODE", like),
      follows: ["lookupDataBundles.unknown-provider-code", "failures."],
    },
    "lookupDataBundles.unknown-provider-code": { by: status("provider_not_found", "bundles", 400) },
    "lookupDataBundles.empty-provider": { by: accepts("bundles", (asked) => query(asked) === "provider=", like) },
    "lookupDataBundles.two-providers": {
      by: accepts("bundles", (asked) => /provider=.*&type=/.test(query(asked)), like),
    },
    "lookupDataBundles.two-values": { by: accepts("bundles", (asked) => query(asked) === "type=A&type=B", like) },
    "lookupDataBundles.long-url": { by: status("uri_too_long", "bundles", 404) },
    "lookupDataBundles.undecodable": { by: status("malformed_request", "bundles", 500) },
    "lookupDataBundles.any-case": { by: bundlesWith((query) => query.includes("mtndata")) },
    "lookupDataBundles.type-parameter": { by: bundlesWith((query) => query.startsWith("type=")) },
    "lookupDataBundles.unknown-parameter": { by: bundlesWith((query) => query.includes("no_such")) },
    "lookupDataBundles.all": {
      by: accepts(
        "bundles",
        (asked) => query(asked) === "" && asked.method === "GET" && barePath(asked).endsWith("lookup"),
        like,
      ),
    },
    "lookupDataBundles.fresh": {
      by: changedJson("bundles", ({ data }) => {
        data.date = "2026-01-31T09:30:00.000Z";
      }),
    },
    "listCorporateBundles.forms": {
      by: changedJson("corporate", (body) => {
        body.status = "ok";
      }),
    },
    "listCorporateBundles.code-form": {
      by: items("corporate", (bundle) => {
        bundle.code = bundle.code.toUpperCase();
      }),
    },
    "listCorporateBundles.sizes": { by: changedJson("corporate", ({ data }) => data.reverse()) },
    "listCorporateBundles.bare-key": {
      by: (asked, answered) =>
        isAt(asked, "corporate") && isSuccess(answered) && !asked.headers.Authorization?.startsWith("Bearer ")
          ? failed
          : undefined,
    },
    "fetchDataProviders.ids": { by: changedJson("providers", ({ billers }) => billers.pop()) },
    "fetchDataProviders.bundles": {
      by: items("bundles", (bundle, asked) => {
        if (query(asked) === "provider=GLODATA") bundle.price = Number(bundle.price);
      }),
    },
    "fetchDataProviders.names": {
      by: items("providers", (provider) => {
        provider.narration = "Data";
      }),
    },
    "fetchDataProviders.images": {
      by: items("providers", (provider) => {
        provider.image = "/logo.png";
      }),
    },
    "fetchTvAddOns.forms": {
      by: items("addOns", (addOn) => {
        addOn.price = "6,000";
      }),
    },
    "fetchTvAddOns.codes": {
      by: items("addOns", (addOn) => {
        addOn.product_code = "PRE36";
      }),
      follows: ["fetchTvAddOns.as-spelled"],
    },
    "fetchTvAddOns.once": { by: changedJson("addOns", ({ data }) => data.push(data[0])) },
    "fetchTvAddOns.message": {
      by: changedJson("addOns", (body) => {
        body.message = "Add-on lookup successful";
      }),
    },
    "fetchTvAddOns.unknown-type": {
      by: accepts("addOns", (asked) => bodyOf(asked).type === "NOSUCHCODE", like),
      follows: ["fetchTvAddOns.unknown-type-code", "failures."],
    },
    "fetchTvAddOns.unknown-type-code": { by: status("provider_not_found", "addOns", 400) },
    "fetchTvAddOns.unknown-product": { by: status("product_not_found", "addOns", 400) },
    "fetchTvAddOns.in-query": {
      by: refused((asked) => query(asked) !== "" && asked.method === "GET"),
      follows: ["headers."],
    },
    "fetchTvAddOns.query-method": { by: refused(isMethod("QUERY")) },
    "fetchTvAddOns.any-case": { by: refused(spelledOtherwise), follows: ["fetchTvAddOns.as-spelled"] },
    "fetchTvAddOns.as-spelled": {
      by: (asked, answered) =>
        spelledOtherwise(asked)
          ? items("addOns", (addOn) => {
              addOn.product_code = "PRWE36";
            })(asked, answered)
          : undefined,
    },
  };
}

/** Replaces a fixed member by another value, or a price by another form. */
function misform(value: Record<string, unknown>): void {
  if ("status" in value) value.status = "ok";
  else if ("price" in value) value.price = "100.999";
  else for (const item of Object.values(value).flat()) if (item instanceof Object) misform(item as typeof value);
}

import { type CheckKind, negativeCode } from "../../src/operation/check-kind.ts";
import { type StandInOutcome, standInNumbers } from "../../src/upstreams/stand-in/stand-in-numbers.ts";

const notFound = "404 not_found";
const unavailable = "503 upstream_unavailable";
const timeout = "504 upstream_timeout";

/** What a caller gets for each outcome, unless the vendor says it otherwise. */
const usual: Readonly<Record<StandInOutcome, string>> = {
  found: "200",
  large_photo: "200",
  not_found: notFound,
  other_phone: "422 phone_mismatch",
  blocked: notFound,
  no_money: unavailable,
  maintenance: timeout,
  too_many_requests: unavailable,
  proxy_page: timeout,
  other_person: "502 upstream_bad_response",
  slow: timeout,
  cut: timeout,
};

/** Prembly alone says that a number is blocked, and that it did no work during maintenance. */
const own: Readonly<Record<string, Partial<typeof usual>>> = {
  prembly: { blocked: "422 blocked", maintenance: unavailable },
};

/** What a caller gets, such as `200` or `404 bvn_not_found`, when Duba asks the stand-in of a vendor about a number. */
export function toldOfStandIn(vendor: string, kind: CheckKind, number: string): string {
  const outcome = standInNumbers[number.slice(-2)]?.outcome ?? "found";
  const [status, code] = (own[vendor]?.[outcome] ?? usual[outcome]).split(" ");
  if (code === "not_found" || code === "blocked") return `${status} ${negativeCode(kind, code)}`;
  return code === undefined ? status! : `${status} ${code}`;
}

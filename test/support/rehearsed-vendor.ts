import { type CheckKind, negativeCode } from "../../src/declare/check-kind.ts";
import { nairaOf } from "../../src/declare/money.ts";
import type { Vendor } from "../../src/vendors/ports/vendor.ts";
import { type StandInOutcome, standInNumbers } from "../../stand-ins/numbers.ts";
import { standIns } from "../../stand-ins/stand-ins.ts";

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

const own: Readonly<Record<string, Partial<typeof usual>>> = {
  // Its response does not name the NIN, so only the phone tells.
  "dojah nin": { other_person: "422 phone_mismatch" },
  // It alone says that a number is blocked, and that it did no work during maintenance.
  prembly: { blocked: "422 blocked", maintenance: unavailable },
};

/** What a caller gets, such as `200` or `404 bvn_not_found`, when Duba asks the stand-in of a vendor about a number. */
export function toldOfStandIn(vendor: string, kind: CheckKind, number: string): string {
  const outcome = standInNumbers[number.slice(-2)]?.outcome ?? "found";
  const told = { ...usual, ...own[vendor], ...own[`${vendor} ${kind}`] };
  const [status, code] = told[outcome].split(" ");
  if (code === "not_found" || code === "blocked") return `${status} ${negativeCode(kind, code)}`;
  return code === undefined ? status! : `${status} ${code}`;
}

/** Settings of a service whose one vendor is the stand-in at this address. `prices`: kobo. */
export function settingsForStandIn(
  { name, settings }: Vendor,
  url: string,
  prices: Readonly<Record<string, number>>,
): Record<string, string> {
  const lacking = Object.values(settings).filter((each) => each.default === "" && !each.optional);
  const priced = Object.entries(prices).map(([what, kobo]) => `${name}.${what}=${nairaOf(kobo)}`);
  return {
    ...Object.fromEntries(lacking.map((each) => [each.name, "any"])),
    ...standIns[name]!.settings,
    [settings.url!.name]: url,
    DUBA_UPSTREAM_PRICES: priced.join(),
    DUBA_UPSTREAMS: name,
    DUBA_STAND_INS: "on",
  };
}

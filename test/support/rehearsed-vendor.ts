import { type CheckKind, negativeCode } from "../../src/declare/check-kind.ts";
import { nairaOf } from "../../src/declare/money.ts";
import type { Vendor } from "../../src/vendors/ports/vendor.ts";
import { type StandInOutcome, standInNumbers } from "../../stand-ins/numbers.ts";
import { standIns } from "../../stand-ins/stand-ins.ts";

const notFound = "404 not_found";
const unavailable = "503 upstream_unavailable";
const timeout = "504 upstream_timeout";

/** Status and code that a caller gets for each outcome, by default. */
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
  // Dojah's response does not name the NIN, so only the phone tells that the person is another one.
  "dojah nin": { other_person: "422 phone_mismatch" },
  // Only Prembly reports a blocked number, and reports maintenance as "no work done".
  prembly: { blocked: "422 blocked", maintenance: unavailable },
};

/** Returns status and code for a number at a vendor's stand-in, such as `200` or `404 bvn_not_found`. */
export function toldOfStandIn(vendor: string, kind: CheckKind, number: string): string {
  const outcome = standInNumbers[number.slice(-2)]?.outcome ?? "found";
  const told = { ...usual, ...own[vendor], ...own[`${vendor} ${kind}`] };
  const [status, code] = told[outcome].split(" ");
  if (code === "not_found" || code === "blocked") return `${status} ${negativeCode(kind, code)}`;
  return code === undefined ? status! : `${status} ${code}`;
}

/** Settings of a service whose only vendor is the stand-in at `url`. `prices`: kobo. */
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

import { koboOf } from "../../operation/money.ts";
import { duration, oneOf, orNone, setting } from "../../operation/setting.ts";
import { vendors } from "../../upstreams/registry.ts";

/** The bounds of the buckets that times are counted in. */
const times = ["250ms", "500ms", "1s", "2s", "5s", "10s"];

const percentOf = (text: string) => {
  const percent = /^\d{1,3}(\.\d)?$/.test(text) ? Number(text) : Number.NaN;
  return percent <= 100 ? percent : undefined;
};

/** Which identity vendor is asked, and which after it. */
export const routeSettings = {
  route: setting({
    name: "DUBA_ROUTE",
    default: "listed",
    about:
      "The order in which Duba asks the vendors of DUBA_UPSTREAMS. listed: as they stand there. cheapest: by what a record cost in the last 24 hours, among vendors within DUBA_ROUTE_P95 and DUBA_ROUTE_FAILURES. See docs/routes.md.",
    ...oneOf("listed", "cheapest"),
  }),
  routeP95: setting({
    name: "DUBA_ROUTE_P95",
    default: "10s",
    about: "With DUBA_ROUTE=cheapest, Duba asks a vendor last if more than 5 of 100 of its answers take longer.",
    form: `one of ${times.join(", ")}`,
    /** Milliseconds. */
    read: (text) => (times.includes(text) ? duration.read(text) : undefined),
  }),
  routeFailures: setting({
    name: "DUBA_ROUTE_FAILURES",
    default: "10",
    about:
      "With DUBA_ROUTE=cheapest, Duba asks a vendor last if more of 100 attempts fail or stay without a known outcome.",
    form: "a number from 0 to 100, such as 10 or 2.5",
    read: percentOf,
  }),
  routeShare: setting({
    name: "DUBA_ROUTE_SHARE",
    default: "",
    about:
      "Of 100 live verifications, how many a vendor gets first whatever its place, so that its figures stay true: prembly:5. Several vendors are separated by commas.",
    form: "a list of vendors, each once and with a number above 0, such as prembly:5,dojah:2.5, together 100 at most",
    read: (text): { vendor: string; percent: number }[] | undefined => {
      if (text === "") return [];
      const shares = text.split(",").map((part) => {
        const [vendor = "", percent = ""] = part.trim().split(":");
        return { vendor, percent: percentOf(percent) ?? 0 };
      });
      const names = shares.map(({ vendor }) => vendor);
      const isFit =
        shares.every(({ vendor, percent }) => percent > 0 && vendors.some(({ name }) => name === vendor)) &&
        new Set(names).size === names.length &&
        shares.reduce((sum, { percent }) => sum + percent, 0) <= 100;
      return isFit ? shares : undefined;
    },
  }),
  routeAfterNotFound: setting({
    name: "DUBA_ROUTE_AFTER_NOT_FOUND",
    default: "stop",
    about:
      "What Duba does when a vendor says that nobody has the number. stop: it tells the caller. next: it asks one more vendor within DUBA_ROUTE_NOT_FOUND_MAX, if half of DUBA_VERIFICATION_TIMEOUT is left. Both vendors may charge you; Duba charges the client once at most.",
    ...oneOf("stop", "next"),
  }),
  routeNotFoundMax: setting({
    name: "DUBA_ROUTE_NOT_FOUND_MAX",
    default: "",
    about:
      "With DUBA_ROUTE_AFTER_NOT_FOUND=next, the most in naira that all attempts of one verification may cost you, such as 100. Duba asks no vendor whose price it does not know.",
    ...orNone({
      form: 'an amount in naira, such as "100" or "100.50"',
      /** Kobo. */
      read: (text: string) => koboOf(text),
    }),
  }),
  attemptsLeft: setting({
    name: "DUBA_ROUTE_ATTEMPTS_LEFT",
    default: "500",
    about:
      "If a vendor says that your balance pays for fewer attempts than this, there is an alarm. 0: no alarm. Some vendors do not tell a balance.",
    form: "a whole number, such as 500",
    read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
  }),
};

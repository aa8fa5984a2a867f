import { koboOf } from "../../declare/money.ts";
import { oneOf, setting } from "../../declare/setting.ts";
import { vendors } from "../../vendors/registry.ts";

const percentOf = (text: string) => {
  const percent = /^\d{1,3}(\.\d)?$/.test(text) ? Number(text) : Number.NaN;
  return percent <= 100 ? percent : undefined;
};

/** The order of the identity vendors, and when a second vendor is asked. */
export const routeSettings = {
  route: setting({
    name: "DUBA_ROUTE",
    default: "listed",
    about:
      "The order in which Duba asks the vendors of DUBA_UPSTREAMS. listed: as they stand there. cheapest: " +
      "by what a record cost in 30 days, or in 24 hours if that differs clearly; " +
      "vendors that are slow or fail often come last. See docs/routes.md.",
    ...oneOf("listed", "cheapest"),
  }),
  routeShare: setting({
    name: "DUBA_ROUTE_SHARE",
    default: "",
    about:
      "Of 100 live verifications, how many a vendor gets first whatever its place, so that its figures stay true: " +
      "prembly:5. Several vendors are separated by commas.",
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
      "What Duba does when a vendor says that nobody has the number. stop: it tells the caller. next=100: " +
      "it asks one more vendor, if all attempts of the verification cost you at most so many naira and half of " +
      "DUBA_VERIFICATION_TIMEOUT is left. It asks no vendor whose price it does not know. " +
      "Both vendors may charge you; Duba charges the client once at most.",
    form: "stop, or next= and the most in naira that the attempts of one verification may cost, such as next=100",
    /** Kobo; null: stop. */
    read: (text): number | null | undefined => (text === "stop" ? null : koboOf(/^next=(.+)$/.exec(text)?.[1] ?? "")),
  }),
};

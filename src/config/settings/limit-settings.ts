import { anyLabel } from "../../declare/check-kind.ts";
import { count, limit, onOff, orNone, setting } from "../../declare/setting.ts";

/** How often callers may call, and how often an account may reach a vendor. */
export const limitSettings = {
  limits: setting({
    name: "DUBA_LIMITS",
    default: "on",
    about:
      "If off, there are no rate limits, except that of failed credentials and " +
      "DUBA_VENDOR_CALLS_PER_DAY, which always apply.",
    ...onOff,
  }),
  limitCatalogue: setting({
    name: "DUBA_LIMIT_CATALOGUE",
    default: "600/min",
    about: "Maximum look-ups per API key, counted in each process.",
    ...limit,
  }),
  limitAnonymous: setting({
    name: "DUBA_LIMIT_ANONYMOUS",
    default: "60/min",
    about: "Maximum pages and look-ups without a credential per IP address, counted in each process.",
    ...limit,
  }),
  limitVerification: setting({
    name: "DUBA_LIMIT_VERIFICATION",
    default: "60/min",
    about: "Maximum verifications per account. A retry counts if it calls the vendor again.",
    ...limit,
  }),
  limitInFlight: setting({
    name: "DUBA_LIMIT_IN_FLIGHT",
    default: "20",
    about: "Maximum verifications per account that run at the same time, counted in each process.",
    ...count,
  }),
  limitNegatives: setting({
    name: "DUBA_LIMIT_NEGATIVES",
    default: "100/h",
    about: "Maximum verifications per account that find no match.",
    ...limit,
  }),
  limitSubject: setting({
    name: "DUBA_LIMIT_SUBJECT",
    default: "5/h",
    about: `Maximum live vendor calls per account about one ${anyLabel}, including retries.`,
    ...limit,
  }),
  limitSubjectNegatives: setting({
    name: "DUBA_LIMIT_SUBJECT_NEGATIVES",
    default: "10/day",
    about: `Maximum live verifications per account and ${anyLabel} that find no match.`,
    ...limit,
  }),
  vendorCallsPerDay: setting({
    name: "DUBA_VENDOR_CALLS_PER_DAY",
    default: "",
    about: "Maximum live vendor calls per account in 24 hours, charged or not. Empty: no maximum.",
    ...orNone(count),
  }),
};

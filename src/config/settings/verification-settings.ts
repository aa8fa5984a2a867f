import { type CheckKind, forEachKind, labelOf } from "../../declare/check-kind.ts";
import { duration, someTime } from "../../declare/duration.ts";
import { koboOf } from "../../declare/money.ts";
import { anyText, oneOf, onOff, setting } from "../../declare/setting.ts";
import { timeZone } from "../../runtime/time-zone.ts";
import { vendors } from "../../vendors/registry.ts";
import { pricesByVendor } from "../../vendors/vendor-prices.ts";

const vendorNames = vendors.map(({ name }) => name);

/**
 * Verifications. Settings that all vendors share are in `vendors/upstream-settings.ts`, a vendor's own in its folder.
 */
export const verificationSettings = {
  upstreams: setting({
    name: "DUBA_UPSTREAMS",
    default: "",
    about:
      "Identity vendors for live keys, in the order in which Duba calls them. Empty: " +
      "verification with live keys is not available. Test keys always use the sandbox.",
    form: `a comma-separated list of ${vendorNames.join(", ")}, each once (test keys always use the sandbox, live keys never use it)`,
    read: (text): string[] | undefined => {
      const names = text.split(",").map((name) => name.trim());
      if (text.trim() === "") return [];
      const isFit = names.every((name) => vendorNames.includes(name)) && new Set(names).size === names.length;
      return isFit ? names : undefined;
    },
  }),
  vendorFiles: setting({
    name: "DUBA_VENDOR_FILES",
    default: "",
    about:
      "Folder with vendor files, which add identity vendors or take the place of built-in ones. " +
      "Only the user of the service may read it. See docs/vendors.md.",
    ...anyText,
  }),
  vendorPrices: setting({
    name: "DUBA_UPSTREAM_PRICES",
    default: "",
    about:
      "What vendors bill you for an attempt, in naira, for the books and the routes: " +
      "of every kind, of one kind, and for an outcome with another price, which is not_found, " +
      "phone_mismatch, blocked or failed.",
    ...pricesByVendor(vendorNames),
  }),
  afterTimeout: setting({
    name: "DUBA_UPSTREAM_AFTER_TIMEOUT",
    default: "stop",
    about:
      "What Duba does when a vendor does not answer in time. stop: it answers the caller. next: " +
      "it calls the next vendor, and both vendors may charge you.",
    ...oneOf("stop", "next"),
  }),
  verificationTimeout: setting({
    name: "DUBA_VERIFICATION_TIMEOUT",
    default: "20s",
    about: "Maximum time until a verification answers its caller.",
    ...someTime,
  }),
  ...forEachKind(
    (kind): `${CheckKind}Fee` => `${kind}Fee`,
    (kind) =>
      setting({
        name: `DUBA_${kind.toUpperCase()}_FEE`,
        default: "100",
        about: `Fee of a verified ${labelOf(kind)} in naira. 0: free.`,
        form: 'an amount in naira, such as "100" or "100.50"',
        /** Kobo. */
        read: (text) => koboOf(text),
      }),
  ),
  walletUnlimited: setting({
    name: "DUBA_WALLET_UNLIMITED",
    default: "1000000.00",
    about:
      "Balance in naira that GET /api/v2/wallet/balance gives where nothing in naira bounds what an account " +
      "spends, as with every test key. Clients that ask for it want a number.",
    form: 'an amount in naira, such as "1000000.00"',
    /** Kobo. */
    read: (text) => koboOf(text),
  }),
  timeZone: setting({
    name: "DUBA_TIME_ZONE",
    default: "Africa/Lagos",
    about:
      "Time zone of the times and days that commands and the console show and take, of the books and the sums of " +
      "the ledger, and of the months of caps. A store has one: to change it, stop all processes first.",
    form: "the name of a time zone, such as Africa/Lagos or UTC",
    read: timeZone,
  }),
  amountPolicy: setting({
    name: "DUBA_AMOUNT_POLICY",
    default: "record",
    about:
      "What Duba does when the amount in a verification differs from the fee. record: " +
      "it notes the difference on the ledger. enforce: it refuses the verification. " +
      "If the fee is 0, any amount is correct.",
    ...oneOf("record", "enforce"),
  }),
  phoneMatch: setting({
    name: "DUBA_PHONE_MATCH",
    default: "on",
    about: "If on, the caller's phone number must be one of the numbers in the record.",
    ...onOff,
  }),
  negativeDetail: setting({
    name: "DUBA_NEGATIVE_DETAIL",
    default: "full",
    about:
      "With full, callers see whether the BVN is unknown or the phone number is wrong. " +
      "With coarse, both answers are verification_failed.",
    ...oneOf("full", "coarse"),
  }),
  consent: setting({
    name: "DUBA_CONSENT",
    default: "optional",
    about:
      "The person's consent, which some vendors need. optional: Duba calls such a vendor only for a request with a " +
      "Consent-Reference header. required: each live verification needs that header. attested: " +
      "you say that you hold the consent for every live call.",
    ...oneOf("optional", "required", "attested"),
  }),
  recordRetention: setting({
    name: "DUBA_RECORD_RETENTION",
    default: "24h",
    about:
      "How long Duba keeps an encrypted identity record, to answer a retry with the same idempotency key. " +
      "0s: it keeps none.",
    ...duration,
  }),
};

import { forEachKind } from "../declare/check-kind.ts";
import { type IdentitySettings, listedRoutes } from "../ledger/identity-settings.ts";
import type { Config } from "./read-config.ts";

/** The settings of verifications, in the form that `openIdentity` takes. */
export function identitySettingsOf(config: Config): IdentitySettings {
  return {
    fees: forEachKind(
      (kind) => kind,
      (kind) => config[`${kind}Fee`],
    ),
    amountPolicy: config.amountPolicy,
    phoneMatch: config.phoneMatch,
    timeLimit: config.verificationTimeout,
    recordRetention: config.recordRetention,
    negativeDetail: config.negativeDetail,
    walletUnlimited: config.walletUnlimited,
    consentRequired: config.consent === "required",
    consentAttested: config.consent === "attested",
    payTwice: config.afterTimeout === "next",
    vendorPrices: config.vendorPrices,
    routes: {
      ...listedRoutes,
      policy: config.route,
      shares: config.routeShare,
      notFoundMax: config.routeAfterNotFound,
    },
    timeZone: config.timeZone,
    limits: config.limits
      ? {
          account: config.limitVerification,
          inFlight: config.limitInFlight,
          negatives: config.limitNegatives,
          subject: config.limitSubject,
          subjectNegatives: config.limitSubjectNegatives,
        }
      : null,
    ...(config.vendorCallsPerDay === null ? {} : { vendorAttemptsPerDay: config.vendorCallsPerDay }),
  };
}

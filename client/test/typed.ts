import type { DataBundle, Duba, Failure, IdentityRecord, VerifyBvnFailure } from "../src/duba.ts";

/** What the types promise; compiled by `npm run check`, never run. */
export async function typed(duba: Duba): Promise<DataBundle[] | IdentityRecord | string> {
  const bundles = await duba.lookupDataBundles({ provider: process.env.PROVIDER });
  if (bundles.success) return bundles.data.data;

  // @ts-expect-error A failure has no bundles.
  bundles.data.data;
  // @ts-expect-error `amount` is missing.
  await duba.verifyBvn({ bvn: "22000000017", phone: "08000000017" });
  // @ts-expect-error A number loses leading zeros.
  await duba.verifyBvn({ bvn: 22000000017, phone: "08000000017", amount: "100" });

  const verified = await duba.verifyBvn(
    { bvn: "22000000017", phone: "08000000017", amount: "100" },
    { idempotencyKey: "order-1", consentReference: "consent-1", signal: AbortSignal.timeout(60_000) },
  );
  return verified.success ? verified.data : sentenceFor(verified);
}

function sentenceFor(failure: VerifyBvnFailure): string {
  const any: Failure = failure;
  switch (failure.error.code) {
    case "bvn_not_found":
    case "phone_mismatch":
      return failure.error.charged ? "charged" : "not charged";
    case "validation_failed":
      return (failure.error.fields ?? []).map(({ field, message }) => `${field}: ${message}`).join("\n");
    case "no_answer":
      return `Go on with ${failure.error.idempotency_key}.`;
    // @ts-expect-error No verification of a BVN fails with this code.
    case "provider_not_found":
      return "";
    default:
      return any.message;
  }
}

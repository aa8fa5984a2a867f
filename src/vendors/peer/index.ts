import type { CheckInput } from "../../checks/check.ts";
import { type CheckKind, checkKinds } from "../../declare/check-kind.ts";
import { koboOf } from "../../declare/money.ts";
import { setting } from "../../declare/setting.ts";
import type { IdentityAttempt, IdentityOutcome } from "../ports/identity-upstream.ts";
import { unanswered, unavailable, unknown } from "../ports/outcomes.ts";
import { headerText, vendor, vendorUrl } from "../ports/vendor.ts";
import type { HttpResult } from "../vendor-client.ts";

const name = "peer";

/** Returns the amount for a kind of check, or undefined if the text has none. */
function amountIn(text: string, kind: CheckKind): string | undefined {
  const named = new Map(text.split(",").map((part) => part.trim().split("=") as [string, string | undefined]));
  const amount = text.includes("=") ? named.get(kind) : text;
  return koboOf(amount ?? "") ? amount : undefined;
}

/** Whether a text with `=` has a part that is anything but a kind with its amount. */
const isOdd = (text: string) =>
  text.includes("=") && text.split(",").some((part) => !checkKinds.some((kind) => amountIn(part, kind)));

/**
 * Any server with Duba's API, such as another Duba. We send our reference as `Idempotency-Key`: a server that supports
 * this header verifies once, and repeats its response for free. `lookUp` returns the outcome without the record, and
 * sends no number.
 */
export const peer = vendor({
  name,
  about: "Any server with this same interface, such as another Duba; run against Duba itself.",
  // A Duba answers within 20 s by default. We wait longer, so that it can report a time-out of its own vendor.
  timeout: 25_000,
  settings: {
    url: setting({
      name: "DUBA_PEER_URL",
      default: "",
      about: "Address of a server with this same interface that verifies for live keys, without /api/v2.",
      ...vendorUrl,
    }),
    email: setting({
      name: "DUBA_PEER_EMAIL",
      default: "",
      about: "E-mail address of the account on that server.",
      form: "an e-mail address",
      read: (text) => (text === "" || /^\S+@\S+$/.test(text) ? text : undefined),
    }),
    key: setting({
      name: "DUBA_PEER_KEY",
      default: "",
      about: "API key of the account on that server, exchanged for access tokens.",
      secret: true,
      form: `${headerText.form}, and no test key: its people are invented`,
      read: (text) => (text.startsWith("duba_test_") ? undefined : headerText.read(text)),
    }),
    amount: setting({
      name: "DUBA_PEER_AMOUNT",
      default: "100",
      about:
        "Amount in naira that the server requests for a verification, or one for each kind. " +
        "A kind without one is not asked there.",
      form: `an amount in naira, such as "100" or "100.50", or ${checkKinds.map((kind) => `${kind}=100`).join()}`,
      read: (text) => (checkKinds.some((kind) => amountIn(text, kind)) && !isOdd(text) ? text : undefined),
    }),
  },
  async open({ url, email, key, amount }, parts) {
    const { sendWithToken } = await import("../responses/access-tokens.ts");
    const { outcomeReader } = await import("../responses/read-outcome.ts");
    const { accountTokens } = await import("./tokens.ts");
    const { earlierOf, factsIn, failureIn, inTestMode, ofMode, PeerResponse } = await import("./wire.ts");
    const tokenFor = accountTokens({ url, email, key, mustBeLive: true }, parts);
    const responses = { vendor: name, failureIn, good: PeerResponse, factsIn };
    const readOutcome = outcomeReader({ ...responses, recordIn: ({ data }) => data }, parts.log);

    const ask = (attempt: IdentityAttempt, token: string): Promise<HttpResult> =>
      parts.http.send({
        method: "POST",
        url: `${url}/api/v2/kyc/verify-${attempt.kind}`,
        headers: { authorization: `Bearer ${token}`, "idempotency-key": attempt.reference },
        body: {
          [attempt.kind]: attempt.number,
          ...attempt.claims,
          ...(attempt.claims.phone && { phone: `0${attempt.claims.phone}` }),
          amount: amountIn(amount, attempt.kind),
        },
        signal: attempt.signal,
        sendUntil: attempt.sendUntil,
        traceparent: attempt.traceparent,
        ...ofMode,
      });

    const outcomeOf = async (result: HttpResult, asked: CheckInput): Promise<IdentityOutcome> =>
      inTestMode(result, parts.log) ? unavailable("bad_settings") : readOutcome(result, asked);

    return {
      name,
      kinds: checkKinds.filter((kind) => amountIn(amount, kind)),
      repeatable: true,
      async verify(attempt) {
        const sent = await sendWithToken(tokenFor, attempt.sendUntil ?? attempt.signal, (token) => ask(attempt, token));
        return "outcome" in sent ? sent.outcome : outcomeOf(sent.result, attempt);
      },
      async lookUp({ reference, signal }) {
        const first = await tokenFor(signal);
        if ("outcome" in first) return unknown;
        const result = await parts.http.send({
          method: "GET",
          url: `${url}/api/v2/kyc/verifications`,
          headers: { authorization: `Bearer ${first.token}`, "idempotency-key": reference },
          signal,
          ...ofMode,
        });
        if (result.kind !== "answered") return unanswered(result);
        return inTestMode(result, parts.log) ? unknown : earlierOf(result.status, result.body);
      },
    };
  },
});

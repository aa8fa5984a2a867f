import type { CheckKind } from "../../../operation/check-kind.ts";
import { koboOf } from "../../../operation/money.ts";
import { setting } from "../../../operation/setting.ts";
import type { HttpResult } from "../../http-client.ts";
import { toIdentityRecord, unreadOf } from "../../loose-record.ts";
import { responseParser } from "../../parse-response.ts";
import type { IdentityOutcome, IdentityQuestion } from "../../ports/identity-upstream.ts";
import { unanswered, unavailable, unknown, withoutRecord } from "../../ports/outcomes.ts";
import { headerText, vendor, vendorUrl } from "../../ports/vendor.ts";
import { inTestMode, ofMode } from "./mode.ts";
import { Tokens } from "./tokens.ts";
import { earlierOf, isFailure, outcomeOfFailure, PeerResponse } from "./wire.ts";

const name = "peer";

const amountInNaira = {
  form: 'an amount in naira, such as "100" or "100.50"',
  read: (text: string) => (koboOf(text) ? text : undefined),
};

/**
 * Any server that speaks Duba's own interface, another Duba included. The reference goes along as `Idempotency-Key`, so
 * that a server which knows that header does the work of one verification once, however often it is asked. VendorRequest again
 * tells what became of an earlier question, and gives the record too; `lookUp` tells it without the BVN and the record.
 */
export const peer = vendor({
  name,
  about: "Any server with this same interface, such as another Duba; run against Duba itself.",
  // A Duba answers within 20 s by default: it is to say itself that its own source was too slow.
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
      about: "The amount that server asks for in each verification of a BVN.",
      ...amountInNaira,
    }),
    ninAmount: setting({
      name: "DUBA_PEER_NIN_AMOUNT",
      default: "100",
      about: "The amount that server asks for in each verification of a NIN.",
      ...amountInNaira,
    }),
  },
  open({ url, email, key, amount, ninAmount }, parts) {
    const amounts = { bvn: amount, nin: ninAmount };
    const tokens = new Tokens({ url, email, key, mustBeLive: true }, parts);
    const read = responseParser(name, PeerResponse, parts.log);
    const unread = unreadOf(name, parts.log);

    const ask = (question: IdentityQuestion, token: string): Promise<HttpResult> =>
      parts.http.send({
        method: "POST",
        url: `${url}/api/v2/kyc/verify-${question.kind}`,
        headers: { authorization: `Bearer ${token}`, "idempotency-key": question.reference },
        body: { [question.kind]: question.number, phone: `0${question.phone}`, amount: amounts[question.kind] },
        signal: question.signal,
        sendUntil: question.sendUntil,
        traceparent: question.traceparent,
        ...ofMode,
      });

    const outcomeOf = (result: HttpResult, kind: CheckKind): IdentityOutcome => {
      if (result.kind !== "answered") return unanswered(result);
      if (inTestMode(result, parts.log)) return unavailable("bad_settings");
      const { status, body } = result;
      if (status >= 300 || isFailure(body)) return outcomeOfFailure(status, body, kind);
      const verified = read(body);
      return verified ? { kind: "verified", record: toIdentityRecord(verified.data, unread) } : withoutRecord(body);
    };

    return {
      name,
      kinds: ["bvn", "nin"],
      repeatable: true,
      async verify(question) {
        const sendUntil = question.sendUntil ?? question.signal;
        const first = await tokens.token(sendUntil);
        if ("outcome" in first) return first.outcome;
        const result = await ask(question, first.token);
        if (result.kind !== "answered" || result.status !== 401) return outcomeOf(result, question.kind);
        // A 401 did no work, so the question may be put again.
        const second = await tokens.token(sendUntil, first.token);
        return "outcome" in second ? second.outcome : outcomeOf(await ask(question, second.token), question.kind);
      },
      async lookUp({ reference, signal }) {
        const first = await tokens.token(signal);
        if ("outcome" in first) return unknown;
        const result = await parts.http.send({
          method: "GET",
          url: `${url}/api/v2/kyc/verifications`,
          headers: { authorization: `Bearer ${first.token}`, "idempotency-key": reference },
          signal,
          ...ofMode,
        });
        const isTold = result.kind === "answered" && !inTestMode(result, parts.log);
        return isTold ? earlierOf(result.status, result.body) : unknown;
      },
    };
  },
});

import { findVerification } from "../../identity/operations/findVerification.ts";
import { getVerification } from "../../identity/operations/getVerification.ts";
import { verifyBvn } from "../../identity/operations/verifyBvn.ts";
import { modeHeader } from "../../operation/operation.ts";
import { reservedFor, type SandboxNumber, sandboxNumbers } from "../../upstreams/sandbox/numbers.ts";
import type { CheckedResponse } from "../ask-server.ts";
import { isObject, successFaults, unless } from "../judge-response.ts";
import type { Point } from "../point.ts";
import type { AnyOperation, CheckSession, RequestChanges } from "../session.ts";
import { Blocked } from "../session.ts";
import { shapeErrors } from "../shape-errors.ts";

const header = "Idempotency-Key";

/** The reference of the verification that the other points look at. */
async function referenceOf(session: CheckSession, changes?: RequestChanges): Promise<string> {
  const { data } = await session.answerOf(verifyBvn, changes);
  const reference = isObject(data) ? data.request_reference : undefined;
  if (typeof reference !== "string") throw new Blocked("verifyBvn.members");
  return reference;
}

function state(
  name: string,
  operation: AnyOperation,
  sentence: string,
  changes: (session: CheckSession, reference: string) => RequestChanges,
): Point {
  return {
    ...{ id: `verifyBvn.${name}`, part: "duba", needs: ["key", "verification"], sentence },
    check: async (session) => {
      const reference = await referenceOf(session);
      const { status, json } = await session.call(operation, changes(session, reference));
      if (status !== 200) return [`The status is ${status}, not 200.`];
      const faults = shapeErrors(operation.answer, json);
      const data = isObject(json?.data) ? json.data : {};
      return [
        ...faults.map(({ sentence }) => sentence),
        ...unless(
          data.request_reference === reference && data.state === "verified",
          "It is another verification, or not verified.",
        ),
      ];
    },
  };
}

/** Another spelling of the same person is the same verification. */
function spelling(name: string, sentence: string, members: (session: CheckSession) => Record<string, string>): Point {
  return {
    ...{ id: `verifyBvn.${name}`, part: "duba", needs: ["key", "verification", "sandbox"], sentence },
    check: async (session) => {
      const response = await session.call(verifyBvn, {
        members: members(session),
        headers: { [header]: `${session.idempotencyKey}-${name}` },
      });
      return successFaults(response);
    },
  };
}

/** Those that would take seconds, or that answer as a limit of the server does, are not asked for. */
const askedNumbers = sandboxNumbers("bvn").filter(
  ({ number, result, retried }) =>
    (result !== "VERIFIED" || retried !== result) &&
    !result.startsWith("429") &&
    !reservedFor({ kind: "bvn", number })?.delay,
);

/** The sandbox's number has its fixed result, and so has a retry. */
function sandboxPoint({ number, result, retried, description }: SandboxNumber): Point {
  const ofRetry = retried === result ? "" : `, and that to a retry ${retried}`;
  return {
    ...{ id: `verifyBvn.sandbox-${number.slice(-2)}`, part: "duba", needs: ["key", "verification", "sandbox"] },
    sentence: `The answer to ${number} is ${result}${ofRetry}. ${description}`,
    check: async (session) => {
      const key = { [header]: `${session.idempotencyKey}-${number.slice(-2)}` };
      const first = await session.call(verifyBvn, { members: { bvn: number }, headers: key });
      if (ofRetry === "") return unless(resultOf(first) === result, `It is ${resultOf(first)}.`);
      const again = await session.call(verifyBvn, {
        members: { bvn: number },
        headers: { ...key, "X-Request-Id": "duba-check-retry" },
      });
      return [
        ...unless(resultOf(first) === result, `It is ${resultOf(first)}.`),
        ...unless(resultOf(again) === retried, `That to a retry is ${resultOf(again)}.`),
      ];
    },
  };
}

function resultOf({ status, json }: CheckedResponse): string {
  if (status === 200 && json?.success === true) return "VERIFIED";
  return `${status} ${isObject(json?.error) ? json.error.code : "without a code"}`;
}

const notCharged: Point = {
  ...{ id: "verifyBvn.not-charged", part: "duba", needs: ["key", "verification", "sandbox"] },
  sentence: "A failure says that nothing was charged: `error.charged` is false.",
  check: async (session) => {
    const { json } = await session.call(verifyBvn, {
      members: { bvn: "00000000001" },
      headers: { [header]: `${session.idempotencyKey}-01` },
    });
    if (!isObject(json?.error)) throw new Blocked("verifyBvn.sandbox-01");
    return unless(json.error.charged === false, "`error.charged` is not false.");
  },
};

export const verificationPoints: readonly Point[] = [
  {
    ...{ id: "verifyBvn.replay", part: "duba", needs: ["key", "verification"] },
    sentence:
      "The same request with the same Idempotency-Key gets the same verification, with Idempotency-Replayed: true.",
    check: async (session) => {
      const reference = await referenceOf(session);
      const again = { headers: { "X-Request-Id": "duba-check-replay" } };
      const { headers } = await session.call(verifyBvn, again);
      return [
        ...unless((await referenceOf(session, again)) === reference, "It is another verification."),
        ...unless(headers["idempotency-replayed"] === "true", "Idempotency-Replayed is not true."),
      ];
    },
  },
  {
    ...{ id: "verifyBvn.key-reused", part: "duba", needs: ["key", "verification"] },
    sentence: "Another request with that Idempotency-Key is `idempotency_key_reused`.",
    check: async (session) => {
      await referenceOf(session);
      const { status, json } = await session.call(verifyBvn, { members: { amount: "9.99" } });
      const code = isObject(json?.error) ? json.error.code : undefined;
      return unless(status === 422 && code === "idempotency_key_reused", `It is ${status}, or has another code.`);
    },
  },
  state("by-reference", getVerification, "Its outcome can be asked for by its reference.", (_, reference) => ({
    members: { request_reference: reference },
  })),
  state("by-key", findVerification, "Its outcome can be asked for by its Idempotency-Key.", ({ idempotencyKey }) => ({
    members: { idempotency_key: idempotencyKey },
  })),
  {
    ...{ id: "verifyBvn.unknown-reference", part: "duba", needs: ["key"] },
    sentence: "An unknown reference is `verification_not_found`.",
    check: async (session) => {
      const { status, json } = await session.call(getVerification, {
        members: { request_reference: "AAAAAA000000000" },
      });
      const code = isObject(json?.error) ? json.error.code : undefined;
      return unless(status === 404 && code === "verification_not_found", `It is ${status}, or has another code.`);
    },
  },
  {
    ...{ id: "verifyBvn.not-stored", part: "duba", needs: ["key", "verification"] },
    sentence: "No cache may store a verification.",
    check: async (session) => {
      await session.answerOf(verifyBvn);
      const { headers } = await session.call(verifyBvn);
      return unless(headers["cache-control"] === "no-store", "Cache-Control is not no-store.");
    },
  },
  {
    ...{ id: "verifyBvn.mode", part: "duba", needs: ["key", "verification", "sandbox"] },
    sentence: `Answers to a test key say ${modeHeader}: test.`,
    check: async (session) => {
      await session.answerOf(verifyBvn);
      const { headers } = await session.call(verifyBvn);
      return unless(headers[modeHeader.toLowerCase()] === "test", `${modeHeader} is missing or says something else.`);
    },
  },
  spelling("spaces", "Spaces in the BVN and the phone number are dropped.", (session) => ({
    bvn: session.value("bvn").replace(/^(...)(....)/, "$1 $2 "),
    phone: session.value("phone").replace(/^(....)(...)/, "$1 $2 "),
  })),
  spelling("phone-forms", "The phone number may begin with +234.", (session) => ({
    phone: `+234${session.value("phone").slice(-10)}`,
  })),
  ...askedNumbers.map(sandboxPoint),
  notCharged,
  {
    ...{ id: "verifyBvn.keyless", part: "duba", needs: ["key", "verification", "sandbox"] },
    sentence: "Without an Idempotency-Key each call is a verification of its own.",
    check: async (session) => {
      const { headers, ...asked } = session.request(verifyBvn, {});
      const { [header]: _, ...rest } = headers;
      const ask = (id: string) => session.ask({ ...asked, headers: { ...rest, "X-Request-Id": id } });
      const references = [(await ask("duba-check-4")).json, (await ask("duba-check-5")).json].map(
        (json) => isObject(json?.data) && json.data.request_reference,
      );
      if (typeof references[0] !== "string") throw new Blocked("verifyBvn.answers");
      return unless(references[0] !== references[1], "Two calls have one reference.");
    },
  },
];

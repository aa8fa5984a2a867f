import type { CheckedResponse } from "../ask-server.ts";
import { findVerification, getVerification, type Operation, verifyBvn } from "../document.ts";
import { isObject, successProblems, unless } from "../judge-response.ts";
import type { Point } from "../point.ts";
import type { CheckSession, RequestChanges } from "../session.ts";
import { Blocked } from "../session.ts";
import { shapeErrors } from "../shape-errors.ts";

const header = "Idempotency-Key";

/** The reference of the verification that most points look at. Throws `Blocked` if the response has none. */
async function referenceOf(session: CheckSession, changes?: RequestChanges): Promise<string> {
  const { data } = await session.answerOf(verifyBvn, changes);
  const reference = isObject(data) ? data.request_reference : undefined;
  if (typeof reference !== "string") throw new Blocked("verifyBvn.members");
  return reference;
}

function state(
  name: string,
  operation: Operation,
  sentence: string,
  changes: (session: CheckSession, reference: string) => RequestChanges,
): Point {
  return {
    id: `verifyBvn.${name}`,
    part: "duba",
    needs: ["key", "verification"],
    sentence,
    check: async (session) => {
      const reference = await referenceOf(session);
      const { status, json } = await session.call(operation, changes(session, reference));
      if (status !== 200) return [`The status is ${status}, not 200.`];
      const problems = shapeErrors(operation.answer, json);
      const data = isObject(json?.data) ? json.data : {};
      return [
        ...problems.map(({ sentence }) => sentence),
        ...unless(
          data.request_reference === reference && data.state === "verified",
          "It is another verification, or not verified.",
        ),
      ];
    },
  };
}

/** A point that the server accepts a request about a person in another spelling. */
function spelling(name: string, sentence: string, members: (session: CheckSession) => Record<string, string>): Point {
  return {
    id: `verifyBvn.${name}`,
    part: "duba",
    needs: ["key", "verification", "sandbox"],
    sentence,
    check: async (session) => {
      const response = await session.call(verifyBvn, {
        members: members(session),
        headers: { [header]: `${session.idempotencyKey}-${name}` },
      });
      return successProblems(response);
    },
  };
}

/**
 * The last digits of the sandbox's numbers, the result of each, and the result of a retry where it differs. Left out
 * are numbers that take seconds, or that meet a limit of the server.
 */
const sandboxNumbers: readonly [end: string, result: string, retried?: string][] = [
  ["01", "404 bvn_not_found"],
  ["02", "422 phone_mismatch"],
  ["05", "503 upstream_unavailable"],
  ["06", "504 upstream_timeout"],
  ["07", "502 upstream_bad_response"],
  ["10", "402 spending_cap_reached"],
  ["11", "402 balance_too_low"],
  ["12", "504 upstream_timeout", "VERIFIED"],
  ["13", "504 upstream_timeout", "404 bvn_not_found"],
  ["14", "403 consent_required"],
  ["15", "VERIFIED", "410 record_no_longer_held"],
  ["16", "500 internal_error"],
  ["20", "422 bvn_blocked"],
];

function sandboxPoint([end, result, retried]: (typeof sandboxNumbers)[number]): Point {
  const bvn = `000000000${end}`;
  return {
    id: `verifyBvn.sandbox-${end}`,
    part: "duba",
    needs: ["key", "verification", "sandbox"],
    sentence: `The answer to ${bvn} is ${result}${retried ? `, and that to a retry ${retried}` : ""}.`,
    check: async (session) => {
      const key = { [header]: `${session.idempotencyKey}-${end}` };
      const first = await session.call(verifyBvn, { members: { bvn }, headers: key });
      const problems = unless(resultOf(first) === result, `It is ${resultOf(first)}.`);
      if (!retried) return problems;
      const again = await session.call(verifyBvn, {
        members: { bvn },
        headers: { ...key, "X-Request-Id": "duba-check-retry" },
      });
      return [...problems, ...unless(resultOf(again) === retried, `That to a retry is ${resultOf(again)}.`)];
    },
  };
}

function resultOf({ status, json }: CheckedResponse): string {
  if (status === 200 && json?.success === true) return "VERIFIED";
  return `${status} ${isObject(json?.error) ? json.error.code : "without a code"}`;
}

const notCharged: Point = {
  id: "verifyBvn.not-charged",
  part: "duba",
  needs: ["key", "verification", "sandbox"],
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
    id: "verifyBvn.replay",
    part: "duba",
    needs: ["key", "verification"],
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
    id: "verifyBvn.key-reused",
    part: "duba",
    needs: ["key", "verification"],
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
    id: "verifyBvn.unknown-reference",
    part: "duba",
    needs: ["key"],
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
    id: "verifyBvn.not-stored",
    part: "duba",
    needs: ["key", "verification"],
    sentence: "No cache may store a verification.",
    check: async (session) => {
      await session.answerOf(verifyBvn);
      const { headers } = await session.call(verifyBvn);
      return unless(headers["cache-control"] === "no-store", "Cache-Control is not no-store.");
    },
  },
  {
    id: "verifyBvn.mode",
    part: "duba",
    needs: ["key", "verification", "sandbox"],
    sentence: "Answers to a test key say Duba-Mode: test.",
    check: async (session) => {
      await session.answerOf(verifyBvn);
      const { headers } = await session.call(verifyBvn);
      return unless(headers["duba-mode"] === "test", "Duba-Mode is missing or says something else.");
    },
  },
  spelling("spaces", "Spaces in the BVN and the phone number are dropped.", (session) => ({
    bvn: session.value("bvn").replace(/^(...)(....)/, "$1 $2 "),
    phone: session.value("phone").replace(/^(....)(...)/, "$1 $2 "),
  })),
  spelling("phone-forms", "The phone number may begin with +234.", (session) => ({
    phone: `+234${session.value("phone").slice(-10)}`,
  })),
  ...sandboxNumbers.map(sandboxPoint),
  notCharged,
  {
    id: "verifyBvn.keyless",
    part: "duba",
    needs: ["key", "verification", "sandbox"],
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

import type { CheckedResponse } from "../ask-server.ts";
import { findVerification, getRequest, getVerification, verifyBvn } from "../document.ts";
import { isObject, unless } from "../judge-response.ts";
import type { Point } from "../point.ts";
import { Blocked, type CheckSession, type RequestChanges } from "../session.ts";

const bare = (text: string) => text.replaceAll(/[^A-Za-z0-9]/g, "");

/** A point that no failure repeats a number of the person in the request. */
function unrepeated(name: string, sentence: string, changes: (session: CheckSession) => RequestChanges[]): Point {
  return {
    id: `verifyBvn.${name}`,
    part: "duba",
    sentence,
    needs: ["key", "verification", ...(name === "unrepeated-negative" ? (["sandbox"] as const) : [])],
    check: async (session) => {
      const found: string[] = [];
      for (const each of changes(session)) {
        const { status, text } = await session.call(verifyBvn, each);
        const bvn = String(each.members?.bvn ?? session.value("bvn"));
        if (status < 400) continue;
        if (bare(text).includes(bvn)) found.push(`A failure (HTTP ${status}) repeats the BVN of its request.`);
        if (bare(text).includes(session.value("phone").slice(-10)))
          found.push(`A failure (HTTP ${status}) repeats the phone number of its request.`);
      }
      return found;
    },
  };
}

/** A point that another account's request reveals nothing about the verification that most points look at. */
function elsewhere(
  name: string,
  sentence: string,
  ask: (session: CheckSession, verified: CheckedResponse) => Promise<CheckedResponse>,
  holds: (response: CheckedResponse, verified: CheckedResponse) => boolean,
): Point {
  return {
    id: `accounts.${name}`,
    part: "duba",
    needs: ["key", "verification", "other_key"],
    sentence,
    check: async (session) => {
      const verified = await session.call(verifyBvn);
      if (typeof referenceIn(verified) !== "string") throw new Blocked("verifyBvn.members");
      return unless(
        holds(await ask(session, verified), verified),
        "The other account learns of it, unless both keys are of one account.",
      );
    },
  };
}

const referenceIn = ({ json }: CheckedResponse) => (isObject(json?.data) ? json.data.request_reference : undefined);
const isUnknown = (code: string) => (response: CheckedResponse) =>
  response.status === 404 && isObject(response.json?.error) && response.json.error.code === code;
const asOther = ({ otherKey }: CheckSession) => ({ authorization: `Bearer ${otherKey}` });

/** What nobody else may read. */
export const leakPoints: readonly Point[] = [
  unrepeated("unrepeated", "No failure repeats the BVN or the phone number.", (session) => [
    { members: { amount: "-100" } },
    { members: { phone: "12345" } },
    { headers: { "Idempotency-Key": session.value("bvn") } },
  ]),
  unrepeated("unrepeated-negative", "No failure of the sandbox repeats the BVN or the phone number.", () => [
    { members: { bvn: "00000000001" }, headers: { "Idempotency-Key": "duba-check-not-found" } },
    { members: { bvn: "00000000005" }, headers: { "Idempotency-Key": "duba-check-unavailable" } },
  ]),
  elsewhere(
    "reference",
    "Another account does not find a verification by its reference.",
    (session, verified) =>
      session.call(getVerification, {
        members: { request_reference: referenceIn(verified) },
        ...asOther(session),
      }),
    isUnknown("verification_not_found"),
  ),
  elsewhere(
    "idempotency-key",
    "Another account does not find a verification by its Idempotency-Key.",
    (session) =>
      session.call(findVerification, { members: { idempotency_key: session.idempotencyKey }, ...asOther(session) }),
    isUnknown("verification_not_found"),
  ),
  elsewhere(
    "request-log",
    "Another account does not find a request in the log.",
    (session, { headers }) =>
      session.call(getRequest, { members: { request_id: headers["x-request-id"] ?? "none" }, ...asOther(session) }),
    isUnknown("request_not_found"),
  ),
  elsewhere(
    "replay",
    "Another account that sends the same request with the same Idempotency-Key has a verification of its own.",
    (session) => session.call(verifyBvn, asOther(session)),
    (response, verified) =>
      referenceIn(response) !== undefined &&
      referenceIn(response) !== referenceIn(verified) &&
      response.headers["idempotency-replayed"] === undefined,
  ),
];

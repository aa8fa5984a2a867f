import { verifyBvn } from "../document.ts";
import { isObject, refusalProblems, unless } from "../judge-response.ts";
import type { Point } from "../point.ts";
import type { CheckSession } from "../session.ts";
import { Blocked } from "../session.ts";

/** The rules of the interface document about the identity record. */
export const personPoints: readonly Point[] = [
  ofRecord("number", "`bvn_number` is the BVN of the request.", ({ bvn_number }, session) =>
    unless(bvn_number === session.value("bvn").replaceAll(/\D/g, ""), "`bvn_number` is another number."),
  ),
  ofRecord("status", "`verification_status` is VERIFIED.", ({ verification_status }) =>
    unless(verification_status === "VERIFIED", "`verification_status` has another value."),
  ),
  ofRecord("birth", "`date_of_birth` has the form DD-Mon-YYYY.", ({ personal_info }) =>
    unless(
      /^\d\d-(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-\d{4}$/.test(textIn(personal_info, "date_of_birth")),
      "`personal_info.date_of_birth` has another form.",
    ),
  ),
  ofRecord("formatted-birth", "`formatted_date_of_birth` has the form Month D, YYYY.", ({ personal_info }) =>
    unless(
      /^(January|February|March|April|May|June|July|August|September|October|November|December) [1-9]\d?, \d{4}$/.test(
        textIn(personal_info, "formatted_date_of_birth"),
      ),
      "`personal_info.formatted_date_of_birth` has another form.",
    ),
  ),
  {
    id: "verifyBvn.empty-body",
    part: "interface",
    needs: ["key"],
    sentence: "A request without any parameter is refused, with `success` false.",
    check: async (session) => refusalProblems(await session.call(verifyBvn, { body: "{}" })),
  },
];

function ofRecord(
  name: string,
  sentence: string,
  problems: (record: Record<string, unknown>, session: CheckSession) => string[],
): Point {
  return {
    id: `verifyBvn.${name}`,
    part: "interface",
    needs: ["key", "verification"],
    sentence,
    check: async (session) => {
      const { data } = await session.answerOf(verifyBvn);
      if (!isObject(data) || !isObject(data.personal_info)) throw new Blocked("verifyBvn.members");
      return problems(data, session);
    },
  };
}

function textIn(members: unknown, name: string): string {
  const value = isObject(members) ? members[name] : undefined;
  if (typeof value !== "string") throw new Blocked("verifyBvn.members");
  return value;
}

import type { Operation } from "../document.ts";
import { refusalProblems, responseErrors, successProblems } from "../judge-response.ts";
import type { Need, PartName, Point } from "../point.ts";
import { hasForms } from "../shape-errors.ts";

/** The points about an operation's response: its status, its members, their order and their forms. */
export function operationPoints(operation: Operation, part: PartName): Point[] {
  const { id, answer } = operation;
  const needs = needsOf(operation);
  const own = [
    {
      id: `${id}.answers`,
      part,
      needs,
      sentence: `${requestOf(operation)} is answered with HTTP 200, JSON and \`success\` true.`,
      check: async (session) => successProblems(await session.call(operation)),
    },
    {
      id: `${id}.members`,
      part,
      needs,
      sentence: "Its answer has every documented member, each of its type.",
      check: (session) => responseErrors(session, operation, "member"),
    },
    {
      id: `${id}.nothing-else`,
      part: "duba",
      needs,
      sentence: "Its answer has no other member, and the documented order.",
      check: (session) => responseErrors(session, operation, "undeclared", "order"),
    },
  ] satisfies Point[];
  const forms: Point = {
    id: `${id}.forms`,
    part,
    needs,
    sentence: "Fixed members have their values, money is naira text, and times are ISO 8601.",
    check: (session) => responseErrors(session, operation, "form"),
  };
  return [...own, ...(hasForms(answer) ? [forms] : [])];
}

/** The refusals of an operation of the documented interface. */
export function refusalPoints(operation: Operation): Point[] {
  const { id, needsKey, method, required } = operation;
  // A server that ignores keys would verify somebody, so the need `verification` stays.
  const needs = needsOf(operation).filter((need) => need !== "key");
  const credentials: Point[] = [
    {
      id: `${id}.needs-key`,
      part: "interface",
      needs,
      sentence: "Without `Authorization` it is refused.",
      check: async (session) => refusalProblems(await session.call(operation, { authorization: null })),
    },
    {
      id: `${id}.wrong-key`,
      part: "interface",
      needs,
      sentence: "A key that nobody has is refused.",
      check: async (session) => refusalProblems(await session.call(operation, { authorization: wrongKey })),
    },
  ];
  const parameters = required.map(
    (name): Point => ({
      id: `${id}.requires-${name}`,
      part: "interface",
      needs: needsOf(operation),
      sentence: `Without \`${name}\` it is refused, with \`success\` false.`,
      check: async (session) => refusalProblems(await session.call(operation, { members: { [name]: null } })),
    }),
  );
  return [
    ...(needsKey ? credentials : []),
    ...parameters,
    {
      id: `${id}.other-method`,
      part: "interface",
      needs: [],
      sentence: `The path does not take ${otherMethod(method)}.`,
      check: async (session) =>
        refusalProblems(
          await session.call(operation, { method: otherMethod(method), carriage: "query", members: withoutPerson }),
          {
            anyBody: true,
          },
        ),
    },
  ];
}

/** Has the form of no vendor's keys. */
export const wrongKey = "Bearer a-key-that-nobody-has";

export const otherMethod = (method: string): string => (method === "POST" ? "GET" : "DELETE");

/** Leaves out the members of a verification, because a GET would put the person's number into the URL. */
const withoutPerson = { bvn: null, nin: null, phone: null, amount: null };

export function needsOf({ needsKey, id }: Operation): Need[] {
  const key: Need[] = needsKey ? ["key"] : [];
  return id.startsWith("verify") ? [...key, "verification"] : key;
}

function requestOf({ method, path, carriage }: Operation): string {
  return `${method} ${path}${carriage === "body" && method === "GET" ? " with a JSON body" : ""}`;
}

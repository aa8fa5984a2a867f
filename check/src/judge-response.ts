import type { CheckedResponse } from "./ask-server.ts";
import type { Operation } from "./document.ts";
import type { CheckSession, RequestChanges } from "./session.ts";
import { type ShapeErrorKind, shapeErrors } from "./shape-errors.ts";

/** The first problem of a success, if it has one: of its status, JSON, `Content-Type` or `success`. */
export function successProblems({ status, headers, json }: CheckedResponse): string[] {
  if (status !== 200) return [`The status is ${status}, not 200.`];
  if (!json) return ["The body is not a JSON object."];
  if (!/^application\/json\b/i.test(headers["content-type"] ?? ""))
    return ["The Content-Type is not application/json."];
  return json.success === true ? [] : ["`success` is not true."];
}

/** Why a response does not count as a refusal. `anyBody`: a page or no body will do. */
export function refusalProblems({ status, json }: CheckedResponse, { anyBody = false } = {}): string[] {
  if (status >= 200 && status < 300 && json?.success !== false)
    return [`The request was accepted: the status is ${status}, and \`success\` is not false.`];
  if (status >= 500) return [`The status is ${status}, which says that the server failed.`];
  if (anyBody || json?.success === false) return [];
  return [json ? "`success` is not false." : "The body is not a JSON object."];
}

/** How the response to the usual request differs from the operation's schema, in these kinds of difference. */
export async function responseErrors(
  session: CheckSession,
  operation: Operation,
  ...kinds: ShapeErrorKind[]
): Promise<string[]> {
  const json = await session.answerOf(operation);
  const problems = shapeErrors(operation.answer, json).filter(({ kind }) => kinds.includes(kind));
  return problems.map(({ sentence }) => sentence);
}

/** The list in a response: its items that are objects, from the member that the operation uses. */
export async function itemsOf(
  session: CheckSession,
  operation: Operation,
  changes?: RequestChanges,
): Promise<Record<string, unknown>[]> {
  const json = await session.answerOf(operation, changes);
  const within = isObject(json.data) ? json.data.data : (json.data ?? json.billers ?? json.plans);
  return Array.isArray(within) ? within.filter(isObject) : [];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The sentence if the condition does not hold. */
export function unless(holds: boolean, sentence: string): string[] {
  return holds ? [] : [sentence];
}

import { question } from "./conformance.fixture.ts";
import type { IdentityQuestion } from "./ports/identity-upstream.ts";

/** What the tests of the guard set unless they say otherwise, in milliseconds and numbers. */
export const usual = { timeout: 5000, concurrency: 4, breakerFailures: 3, breakerPause: 10_000, alarmPause: 60_000 };

let numbers = Number(question.number);

/** A question about somebody else. */
export function another(): IdentityQuestion {
  numbers += 1;
  return { ...question, number: String(numbers) };
}

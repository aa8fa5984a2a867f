import { question } from "./conformance.fixture.ts";
import type { IdentityQuestion } from "./ports/identity-upstream.ts";

/** Options of the tests, with times in milliseconds. */
export const usual = { timeout: 5000, concurrency: 4, breakerFailures: 3, breakerPause: 10_000, alarmPause: 60_000 };

let numbers = Number(question.number);

/** A question about another person at each call. */
export function another(): IdentityQuestion {
  numbers += 1;
  return { ...question, number: String(numbers) };
}

import type { TestContext } from "node:test";
import { RecordedLog } from "../runtime/recorded-log.fixture.ts";
import { CircuitBreaker, type CircuitBreakerOptions, type UpstreamHealth } from "./circuit-breaker.ts";
import { attempt } from "./conformance.fixture.ts";
import type { IdentityAttempt, IdentityOutcome, IdentityUpstream } from "./ports/identity-upstream.ts";

/** Options of the tests, with times in milliseconds. */
export const usual = { timeout: 5000, concurrency: 4, breakerFailures: 3, breakerPause: 10_000, alarmPause: 60_000 };

let numbers = Number(attempt.number);

/** Returns an attempt about another person at each call. */
export function another(): IdentityAttempt {
  numbers += 1;
  return { ...attempt, number: String(numbers) };
}

/** One clock for all breakers of a test: Node cannot restore a method that was mocked twice. */
const clocks = new WeakMap<TestContext, { passed: number }>();

function clockOf(t: TestContext): { passed: number } {
  const known = clocks.get(t);
  if (known) return known;
  const clock = { passed: 0 };
  t.mock.method(performance, "now", () => clock.passed);
  clocks.set(t, clock);
  return clock;
}

/** A vendor that answers `outcome`, behind a breaker, with a clock that the test moves. */
export function openedBreaker(
  t: TestContext,
  changes: Partial<CircuitBreakerOptions> = {},
  upstream: Partial<IdentityUpstream> = {},
) {
  t.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  const clock = clockOf(t);
  const vendor = { outcome: { state: "negative", reason: "not_found" } as IdentityOutcome, asked: 0 };
  const log = new RecordedLog();
  const changesSeen: UpstreamHealth[] = [];
  const breaker = new CircuitBreaker(
    {
      name: "vendor",
      kinds: ["bvn"],
      verify: async () => {
        vendor.asked += 1;
        return vendor.outcome;
      },
      ...upstream,
    },
    {
      ...usual,
      log,
      onChange: (health) => changesSeen.push(health),
      ...changes,
    },
  );
  /** Makes attempts about this many people, one after another. */
  const ask = async (outcome: IdentityOutcome, people = 1) => {
    vendor.outcome = outcome;
    let last: IdentityOutcome | undefined;
    for (let n = 0; n < people; n += 1) last = await breaker.verify(another());
    return last;
  };
  const pass = (milliseconds: number) => {
    clock.passed += milliseconds;
    t.mock.timers.tick(milliseconds);
  };
  /** Sets the wall clock. */
  const setClock = (now: number) => t.mock.timers.setTime(now);
  return { breaker, vendor, log, changesSeen, ask, pass, setClock };
}

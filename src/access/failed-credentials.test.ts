import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, suite, test } from "node:test";
import { Failure } from "../declare/failures.ts";
import { FailedCredentials } from "./failed-credentials.ts";

const here = "203.0.113.7";
const wrong = async () => {
  throw new Failure("invalid_credentials");
};
const good = async () => "good";
const isFailure = (code: string) => (error: unknown) => error instanceof Failure && error.code === code;

suite("the limit of failed credentials", () => {
  let failed: FailedCredentials;
  beforeEach(() => {
    mock.timers.enable({ apis: ["setTimeout", "Date"] });
    failed = new FailedCredentials({ count: 20, seconds: 60 });
  });
  afterEach(() => mock.timers.reset());

  let credentials = 0;
  /** An attempt with a credential that no earlier attempt had. */
  const attempt = <Result>(address: string, work: () => Promise<Result>) =>
    failed.attempt(address, `credential ${credentials++}`, work);

  const fail = async (times: number, address = here) => {
    for (let count = 0; count < times; count++)
      await assert.rejects(attempt(address, wrong), isFailure("invalid_credentials"));
  };
  const assertLimited = async (address = here) => {
    let asked = false;
    const refused = attempt(address, async () => {
      asked = true;
    });
    await assert.rejects(refused, isFailure("rate_limited"));
    assert.equal(asked, false);
  };

  test("the 21st failed credential in a minute is refused without a look-up", async () => {
    await fail(20);
    await assertLimited();
    await assert.rejects(attempt(here, good), isFailure("rate_limited"));
  });

  test("a limited address is told when it may try again, and an attempt at that time succeeds", async () => {
    await fail(20);
    mock.timers.tick(45_500);
    await assert.rejects(attempt(here, good), (error: Failure) => error.detail.retryAfter === 15);
    mock.timers.tick(15_000);
    assert.equal(await attempt(here, good), "good");
    await fail(20);
    await assertLimited();
  });

  test("the limit of failed credentials counts each address by itself", async () => {
    await fail(20);
    assert.equal(await attempt("203.0.113.8", good), "good");
  });

  test("all addresses of one IPv6 subscriber count together against the limit of failed credentials", async () => {
    for (let host = 1; host <= 20; host++) await fail(1, `2001:db8::${host}`);
    await assertLimited("2001:db8::ffff");
  });

  test("a /48 network of IPv6 counts as a whole, and may fail ten times as often as an address", async () => {
    for (let network = 1; network <= 200; network++) await fail(1, `2001:db8:1:${network}::1`);
    await assertLimited("2001:db8:1:ffff::1");
    assert.equal(await attempt("2001:db8:2::1", good), "good");
  });

  test("a credential that worked before is not limited until its own first failure", async () => {
    assert.equal(await failed.attempt(here, "mine", good), "good");
    await fail(20);
    assert.equal(await failed.attempt(here, "mine", good), "good");
    await assert.rejects(failed.attempt(here, "mine", wrong), isFailure("invalid_credentials"));
    await assert.rejects(failed.attempt(here, "mine", good), isFailure("rate_limited"));
    await assertLimited();
  });

  test("a good credential does not count towards the limit of failed credentials", async () => {
    await fail(19);
    for (let count = 0; count < 50; count++) assert.equal(await attempt(here, good), "good");
    await fail(1);
    await assertLimited();
  });

  test("neither an expired credential nor an unavailable store counts towards the limit", async () => {
    for (const error of [new Failure("expired_credentials"), new Error("connection lost")]) {
      for (let count = 0; count < 30; count++)
        await assert.rejects(
          attempt(here, () => Promise.reject(error)),
          error,
        );
    }
    assert.equal(await attempt(here, good), "good");
  });

  test("a success that began in an earlier minute forgives no failure of the present minute", async () => {
    const slow = Promise.withResolvers<string>();
    const started = Promise.withResolvers<void>();
    const slowly = attempt(here, () => {
      started.resolve();
      return slow.promise;
    });
    await started.promise;
    mock.timers.tick(60_001);
    await fail(10);
    slow.resolve("good");
    await slowly;
    await fail(10);
    await assertLimited();
  });

  test("parallel guesses do not exceed the limit", async () => {
    let lookUps = 0;
    const guess = async () => {
      lookUps += 1;
      await new Promise(setImmediate);
      return wrong();
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => attempt(here, guess)));
    const codes = outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.code);
    assert.equal(lookUps, 20);
    assert.equal(codes.filter((code) => code === "invalid_credentials").length, 20);
    assert.equal(codes.filter((code) => code === "rate_limited").length, 80);
  });

  test("the limit of failed credentials refuses none of many good credentials that come at once", async () => {
    const slowly = async () => {
      await new Promise(setImmediate);
      return "good";
    };
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => attempt(here, slowly)));
    assert.equal(outcomes.length, 100);
    await fail(20);
    await assertLimited();
  });

  test("all waiting callers get the error of an unavailable store", async () => {
    const lost = new Error("connection lost");
    let lookUps = 0;
    const ask = async () => {
      lookUps += 1;
      await new Promise(setImmediate);
      throw lost;
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => attempt(here, ask)));
    assert.ok(outcomes.every((outcome) => outcome.status === "rejected" && outcome.reason === lost));
    assert.equal(lookUps, 20);
  });
});

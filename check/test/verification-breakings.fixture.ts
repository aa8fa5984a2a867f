import type { CheckedResponse, ServerRequest } from "../src/ask-server.ts";
import {
  accepts,
  type Breaking,
  barePath,
  bodyOf,
  changedJson,
  error,
  failed,
  header,
  isSuccess,
  type PathName,
  status,
} from "./breaks.fixture.ts";

const sandboxNumbers = "01 02 05 06 07 10 11 12 13 14 15 16 20".split(" ");

/** Problems in verifications. */
export function verificationBreakings(like: (place: PathName) => CheckedResponse): Record<string, Breaking> {
  const record = (change: (record: ReturnType<typeof JSON.parse>) => void) =>
    changedJson("verify", ({ data }) => change(data));
  const wrong = (name: string, value: unknown) => accepts("verify", (asked) => bodyOf(asked)[name] === value, like);
  const isReplay = ({ headers }: ServerRequest) => headers["X-Request-Id"] === "duba-check-replay";
  const sandbox = (number: string): [string, Breaking] => [
    `verifyBvn.sandbox-${number}`,
    { by: (asked) => (bodyOf(asked).bvn === `000000000${number}` ? { status: 418 } : undefined) },
  ];
  return {
    "verifyBvn.number": {
      by: record((data) => {
        data.bvn_number = "22000000018";
      }),
    },
    "verifyBvn.status": {
      by: record((data) => {
        data.verification_status = "verified";
      }),
    },
    "verifyBvn.birth": {
      by: record(({ personal_info }) => {
        personal_info.date_of_birth = "1995-11-20";
      }),
    },
    "verifyBvn.formatted-birth": {
      by: record(({ personal_info }) => {
        personal_info.formatted_date_of_birth = "20 November 1995";
      }),
    },
    "verifyBvn.empty-body": {
      by: accepts("verify", ({ body }) => body === "{}", like),
      follows: ["verifyBvn.no-parameters", "failures."],
    },
    "verifyBvn.no-parameters": {
      by: (asked, answered) =>
        asked.body === "{}" ? error("validation_failed", (error) => error.fields.pop())(asked, answered) : undefined,
    },
    "verifyBvn.bvn-digits": { by: wrong("bvn", "2200000001") },
    "verifyBvn.bvn-number": { by: wrong("bvn", 22000000017) },
    "verifyBvn.phone-short": { by: wrong("phone", "12345") },
    "verifyBvn.amount-negative": { by: wrong("amount", "-100") },
    "verifyBvn.amount-number": { by: wrong("amount", 100) },
    "verifyBvn.idempotency-key": {
      by: accepts("verify", ({ headers }) => headers["Idempotency-Key"] === "two words", like),
    },
    "verifyBvn.replay": {
      by: (asked, answered) =>
        isReplay(asked)
          ? record((data) => {
              data.request_reference = "AAAAAA000000001";
            })(asked, answered)
          : undefined,
    },
    "verifyBvn.key-reused": { by: wrong("amount", "9.99") },
    "verifyBvn.by-reference": {
      by: (asked, answered) =>
        barePath(asked).endsWith("/verifications")
          ? undefined
          : changedJson("requery", ({ data }) => {
              data.state = "started";
            })(asked, answered),
    },
    "verifyBvn.by-key": {
      by: (asked, answered) =>
        barePath(asked).endsWith("/verifications")
          ? changedJson("requery", ({ data }) => delete data.fee)(asked, answered)
          : undefined,
    },
    "verifyBvn.unknown-reference": { by: status("verification_not_found", "requery", 403), follows: ["accounts."] },
    "verifyBvn.not-stored": { by: header("verify", "cache-control", null) },
    "verifyBvn.mode": { by: header("verify", "duba-mode", null) },
    "verifyBvn.spaces": {
      by: (asked, answered) => (String(bodyOf(asked).bvn).includes(" ") && isSuccess(answered) ? failed : undefined),
    },
    "verifyBvn.phone-forms": {
      by: (asked, answered) =>
        String(bodyOf(asked).phone).startsWith("+") && isSuccess(answered) ? failed : undefined,
    },
    ...Object.fromEntries(sandboxNumbers.map(sandbox)),
    "verifyBvn.not-charged": {
      by: error("bvn_not_found", (error) => {
        error.charged = true;
      }),
    },
    "verifyBvn.keyless": {
      by: accepts("verify", ({ headers, method }) => method === "POST" && !headers["Idempotency-Key"], like),
    },
  };
}

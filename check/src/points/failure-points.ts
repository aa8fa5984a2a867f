import type { CheckedResponse, ServerRequest } from "../ask-server.ts";
import { failures } from "../document.ts";
import { isObject, unless } from "../judge-response.ts";
import type { Need, Point } from "../point.ts";
import { Blocked, type CheckSession } from "../session.ts";
import { documented, type FailureCase, failureCases } from "./failure-cases.ts";
import { needsOf } from "./operation-points.ts";

function askRefused(session: CheckSession, { operation, changes = {}, after }: FailureCase): Promise<CheckedResponse> {
  if (after === undefined) return session.call(operation, changes);
  const asked: ServerRequest = session.request(operation, {
    carriage: "query",
    members: { bvn: null, phone: null, amount: null },
  });
  const { body: _, ...rest } = asked;
  return session.ask({ ...rest, path: operation.path + after });
}

/** A request with another body, method or path verifies nobody on any server, so it needs at most a key. */
function needsOfCase({ operation, code, changes = {}, after }: FailureCase): Need[] {
  const isKeyless = code === "invalid_credentials" || code === "missing_credentials";
  const isHarmless = changes.body !== undefined || changes.method !== undefined || after !== undefined;
  return needsOf(operation).filter((need) => (need === "key" ? !isKeyless : !isHarmless));
}

function pointOf(failureCase: FailureCase): Point {
  const { name, operation, code, sentence, fields, header } = failureCase;
  return {
    id: `${operation.id}.${name}`,
    part: "duba",
    sentence,
    needs: needsOfCase(failureCase),
    check: async (session) => {
      const { status, json, headers } = await askRefused(session, failureCase);
      const error = isObject(json?.error) ? json.error : {};
      const named = Array.isArray(error.fields)
        ? error.fields.map((problem) => isObject(problem) && problem.field)
        : [];
      return [
        ...unless(status === failures[code]!.status, `The status is ${status}, not ${failures[code]!.status}.`),
        ...unless(error.code === code, `\`error.code\` is not ${code}.`),
        ...unless(
          fields === undefined || [...fields].sort().join() === named.sort().join(),
          `\`error.fields\` does not name ${fields?.join(", ")}, each once.`,
        ),
        ...unless(
          header === undefined || header[1].test(String(headers[header[0]] ?? "")),
          `The header ${header?.[0]} is missing or says something else.`,
        ),
      ];
    },
  };
}

/** One promise about all failures, with a sentence for each case of the sample that breaks the promise. */
function ofFailures(
  name: string,
  sentence: string,
  problems: (json: Record<string, unknown>, answer: CheckedResponse, failureCase: FailureCase) => string[],
): Point {
  return {
    id: `failures.${name}`,
    part: "duba",
    sentence,
    needs: [],
    check: async (session) => {
      const found: string[] = [];
      for (const failureCase of sample) {
        if (session.key === "" && needsOfCase(failureCase).includes("key")) continue;
        const response = await askRefused(session, failureCase);
        if (!response.json || !isObject(response.json.error))
          throw new Blocked(`${failureCase.operation.id}.${failureCase.name}`);
        const where = `${failureCase.operation.id}.${failureCase.name}`;
        found.push(...problems(response.json, response, failureCase).map((problem) => `${where}: ${problem}`));
      }
      return found;
    },
  };
}

/** One failure case for each documented path. None of the cases verifies anybody. */
const sample = documented.map(
  ({ id }) =>
    failureCases.find(
      ({ operation, name }) =>
        operation.id === id && /^(no-parameters|unknown-type-code|method|unknown-provider-code)$/.test(name),
    )!,
);

/** The members after `error` in the failures of a path, where clients look for the result. */
const payloads: Readonly<Record<string, (message: string) => object>> = {
  lookupDataBundles: (message) => ({ data: { status: 0, error: true, data: [], date: "", message } }),
  listCorporateBundles: () => ({ data: [] }),
  fetchTvAddOns: () => ({ data: [] }),
  fetchDataProviders: () => ({ billers: [] }),
  verifyBvn: () => ({ data: null }),
};

/** Lines of stack traces as JSON has them: `\\n    at run (/srv/app.js:10:5)`, `app.py\", line 10`, `Main.java:10`. */
const stack = /\bat [^"]{1,200}:\d+:\d+|\.py\\?", line \d|\.(?:[cm]?[jt]s|php|rb|go|java|kt)\b\(?:?\d+|node_modules\//;

const envelope = ["success", "status", "message", "error"];
const errorMembers = ["code", "retryable", "request_id", "help"];

export const failurePoints: readonly Point[] = [
  ...failureCases.map(pointOf),
  ofFailures(
    "envelope",
    `A failure begins with ${envelope.join(", ")}; \`error\` with ${errorMembers.join(", ")}.`,
    (json) => {
      const error = json.error as Record<string, unknown>;
      return [
        ...unless(
          Object.keys(json).slice(0, 4).join() === envelope.join(),
          "the members are others, or in another order.",
        ),
        ...unless(
          Object.keys(error).slice(0, 4).join() === errorMembers.join(),
          "the members of `error` are others, or in another order.",
        ),
        // Servers up to 0.1 say "error".
        ...unless(json.status === "failed" || json.status === "error", '`status` is not "failed".'),
      ];
    },
  ),
  ofFailures("message", "`message` is a sentence.", ({ message }) =>
    unless(typeof message === "string" && /^\S.{8,}/s.test(message), "`message` is no sentence."),
  ),
  ofFailures("retryable", "`retryable` is that of the code.", ({ error }, _, { code }) =>
    unless(
      (error as { retryable?: unknown }).retryable === failures[code]!.retryable,
      "`retryable` has another value.",
    ),
  ),
  ofFailures("help", "`help` leads to the page of the code.", ({ error }, _, { code }) =>
    unless(
      String((error as { help?: unknown }).help).endsWith(`/docs/errors#${code}`),
      "`help` does not end with /docs/errors# and the code.",
    ),
  ),
  ofFailures("request-id", "`error.request_id` is the X-Request-Id.", ({ error }, { headers }) =>
    unless((error as { request_id?: unknown }).request_id === headers["x-request-id"], "the two differ."),
  ),
  ofFailures("not-stored", "No cache may store a failure.", (_, { headers }) =>
    unless(headers["cache-control"] === "no-store", "Cache-Control is not no-store."),
  ),
  ofFailures("payload", "The payload member of the path follows `error`, empty.", (json, _, { operation }) => {
    const { success: _success, status: _status, message, error: _error, ...rest } = json;
    const wanted = payloads[operation.id]!(String(message));
    return unless(withoutDate(rest) === withoutDate(wanted), "the payload is another.");
  }),
  {
    id: "failures.no-stack",
    part: "duba",
    needs: [],
    sentence: "No failure holds a stack trace, or a line of a program.",
    check: async (session) => {
      for (const failureCase of sample) await askRefused(session, failureCase);
      const shown = session.failures().filter(({ text }) => stack.test(text));
      return [...new Set(shown.map(({ status }) => `A failure with HTTP ${status} does.`))];
    },
  },
  {
    id: "failures.unknown-path",
    part: "duba",
    needs: [],
    sentence: "An unknown path is `route_not_found`.",
    check: async (session) => {
      const headers = { Accept: "application/json", "User-Agent": "duba-check" };
      const { status, json } = await session.ask({ method: "GET", path: "/api/v2/no-such-path", headers });
      const code = isObject(json?.error) ? json.error.code : undefined;
      return unless(status === 404 && code === "route_not_found", "It is not 404 with this code.");
    },
  },
];

function withoutDate(payload: object): string {
  return JSON.stringify(payload, (name, value) => (name === "date" ? "" : value));
}

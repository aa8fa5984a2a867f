import type { ServerRequest } from "../src/ask-server.ts";
import { all, type Breaking, barePath, bodyOf, error, header, type PathName } from "./breaks.fixture.ts";

const lists: readonly PathName[] = ["bundles", "corporate", "providers", "addOns"];

/** Problems in all failures. */
export function failureBreakings(): Record<string, Breaking> {
  const inAll = (change: Parameters<typeof error>[1]): Breaking["by"] =>
    all(...["provider_not_found", "method_not_allowed", "validation_failed"].map((code) => error(code, change)));
  return {
    "failures.envelope": {
      by: inAll((error, body) => {
        body.status = `${error.code}`;
      }),
    },
    "failures.message": {
      by: inAll((_, body) => {
        body.message = "Error";
      }),
      follows: ["failures.payload"],
    },
    "failures.retryable": {
      by: inAll((error) => {
        error.retryable = true;
      }),
    },
    "failures.help": {
      by: inAll((error) => {
        error.help = "/docs";
      }),
    },
    "failures.request-id": {
      by: inAll((error) => {
        error.request_id = "another";
      }),
    },
    "failures.no-stack": {
      by: error("internal_error", (error) => {
        error.detail = "Error: no\n    at run (/srv/app/server.js:10:5)";
      }),
    },
    "failures.not-stored": {
      by: (_, { status, headers }) =>
        status >= 400 ? { headers: { ...headers, "cache-control": "public" } } : undefined,
    },
    "failures.payload": {
      by: error("validation_failed", (_, body) => {
        body.data = {};
      }),
    },
    "failures.unknown-path": {
      by: (asked) => (barePath(asked).endsWith("no-such-path") ? { status: 200 } : undefined),
    },
  };
}

/** Faults by which a response reveals data that the caller must not get. */
export function leakBreakings(): Record<string, Breaking> {
  // The check's first key has another form than its second key.
  const isOther = ({ headers }: ServerRequest) => headers.Authorization?.startsWith("Bearer duba_test_") === true;
  const tells = (isMeant: (path: string) => boolean): Breaking => ({
    by: (asked) => (isOther(asked) && isMeant(barePath(asked)) ? { status: 200 } : undefined),
  });
  const repeats = (code: string, member: "bvn" | "phone"): Breaking => ({
    by: (asked, answered) =>
      error(code, (_, body) => {
        body.message += ` (${bodyOf(asked)[member]})`;
      })(asked, answered),
  });
  return {
    "verifyBvn.unrepeated": repeats("invalid_idempotency_key", "bvn"),
    "verifyBvn.unrepeated-negative": repeats("bvn_not_found", "phone"),
    "accounts.reference": tells((path) => /verifications\/./.test(path)),
    "accounts.idempotency-key": tells((path) => path.endsWith("/verifications")),
    "accounts.request-log": tells((path) => path.includes("/requests/")),
    "accounts.replay": {
      by: (asked, { headers }) =>
        isOther(asked) && asked.method === "POST"
          ? { headers: { ...headers, "idempotency-replayed": "true" } }
          : undefined,
    },
  };
}

/** Problems in the headers of lists. */
export function headerBreakings(): Record<string, Breaking> {
  const without = (
    name: string,
    value: string | null = null,
    isMeant?: (asked: ServerRequest) => boolean,
  ): Breaking => ({ by: all(...lists.map((place) => header(place, name, value, isMeant))) });
  const full = (name: string): Breaking => ({
    by: ({ headers }, { status }) => (status === 304 && headers[name] ? { status: 200, text: "{}" } : undefined),
  });
  return {
    "headers.request-id": without("x-request-id", null, ({ headers }) => headers["X-Request-Id"] !== "duba-check-1"),
    "headers.own-request-id": without(
      "x-request-id",
      "another",
      ({ headers }) => headers["X-Request-Id"] === "duba-check-1",
    ),
    "headers.nosniff": without("x-content-type-options"),
    "headers.no-rehearsal": without("duba-mode", "stand-in"),
    "headers.etag": { ...without("etag", '"strong"'), follows: ["headers.not-modified"] },
    "headers.not-modified": full("If-None-Match"),
    "headers.not-modified-since": full("If-Modified-Since"),
    "headers.last-modified": { ...without("last-modified"), follows: ["headers.not-modified-since"] },
    "headers.cache-control": without("cache-control", "private", ({ body }) => body === undefined),
    "headers.vary": without("vary", "Accept-Encoding"),
    "headers.revision": without("duba-catalogue-revision"),
    "headers.head": { by: ({ method }) => (method === "HEAD" ? { status: 405 } : undefined) },
    "headers.gzip": without("content-encoding"),
    "headers.body-not-stored": without("content-location"),
  };
}

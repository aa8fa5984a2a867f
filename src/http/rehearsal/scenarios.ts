import { type FailureCode, failures } from "../../declare/failures.ts";
import { koboOf, nairaOf } from "../../declare/money.ts";
import type { Scope } from "../../declare/operation.ts";

/** The header by which a look-up with a test key chooses a scenario. The response repeats the header. */
export const scenarioHeader = "Duba-Scenario";
/** The name of that header in Node's spelling. */
export const scenarioName = "duba-scenario";

/** Operations with this scope are look-ups. */
export const rehearsedScope: Scope = "catalogue:read";

const day = 24 * 60 * 60_000;

/** What a look-up rehearses. */
export interface Scenario {
  description: string;
  failure?: { code: FailureCode; headers?: Record<string, string>; retryAfter?: number };
  /** Milliseconds before the response. */
  delay?: number;
  /** Changes a copy of the response, which then has another ETag, and a later revision and date. */
  change?: (answer: unknown) => unknown;
  /** Returns additional headers of the response, given the current time. */
  headers?: (now: number) => Record<string, string>;
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  stale: {
    description:
      "The list is two days old, because its source does not answer: `Duba-Catalogue-Stale: " +
      "true`, and an old `Duba-Catalogue-As-Of`.",
    headers: (now) => ({
      "Duba-Catalogue-As-Of": new Date(now - 2 * day).toISOString(),
      "Duba-Catalogue-Stale": "true",
    }),
  },
  empty: { description: "The list has no entries.", change: emptied },
  "price-change": {
    description:
      "Every price is 10 naira higher than without the header, under another ETag. Look up without it, then with it.",
    change: dearer,
  },
  "429": { description: "You sent too many look-ups.", failure: { code: "rate_limited", retryAfter: 2 } },
  "503": {
    description: "The instance is stopping: it answers no more, and closes the connection.",
    failure: { code: "shutting_down", headers: { Connection: "close" } },
  },
  slow: { description: "The answer takes 5 s.", delay: 5_000 },
};

/**
 * The scenarios as rows for documentation. A result is an HTTP status, with the code of a failure: `429 rate_limited`.
 */
export function scenarioRows(): { scenario: string; result: string; description: string }[] {
  return Object.entries(scenarios).map(([scenario, { failure, description }]) => ({
    scenario,
    result: failure ? `${failures[failure.code].status} ${failure.code}` : "200",
    description,
  }));
}

function emptied(value: unknown): unknown {
  return Array.isArray(value) ? [] : changed(value, (_, member) => emptied(member));
}

function dearer(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dearer);
  return changed(value, (name, member) => {
    const kobo = name === "price" && typeof member === "string" ? koboOf(member) : undefined;
    return kobo === undefined ? dearer(member) : nairaOf(kobo + 1_000);
  });
}

/** A copy of an object with its members changed; any other value unchanged. */
function changed(value: unknown, change: (name: string, member: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(name, member)]));
}

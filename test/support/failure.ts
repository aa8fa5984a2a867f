import assert from "node:assert/strict";
import { forEachKind } from "../../src/declare/check-kind.ts";
import type { ServiceResponse } from "./service.ts";

/** Members that failures of the documented paths, and of verifications of other kinds, have in addition. */
const payloads: Record<string, (message: string, date: string) => object> = {
  "/api/v2/internet/data/lookup": (message, date) => ({ data: { status: 0, error: true, data: [], date, message } }),
  "/api/v2/corporate-data/list": () => ({ data: [] }),
  ...forEachKind(
    (kind) => `/api/v2/kyc/verify-${kind}`,
    () => () => ({ data: null }),
  ),
  "/api/v2/cable-tv/fetch-tv-add-ons": () => ({ data: [] }),
  "/api/v2/internet/data/fetch-providers": () => ({ billers: [] }),
};

export interface Refusal {
  /** The path whose payload the failure must carry. */
  path?: string;
  /** All fields at fault, in any order. */
  fields?: string[];
  message?: RegExp;
}

/** Checks the members of a failure, their order, and the headers that belong to it. Returns the body. */
export function assertFailure(
  response: Pick<ServiceResponse, "status" | "headers" | "text" | "json">,
  status: number,
  code: string,
  { path, fields, message }: Refusal = {},
): ServiceResponse["json"] {
  const { headers, json } = response;
  assert.deepEqual([response.status, json.error?.code], [status, code], response.text.slice(0, 400));
  const payload = path === undefined ? undefined : payloads[path];
  const added = payload ? Object.keys(payload("", "")) : Object.keys(json).slice(4);
  assert.deepEqual(Object.keys(json), ["success", "status", "message", "error", ...added]);
  assert.equal(json.success, false);
  assert.equal(json.status, "failed");
  assert.match(json.message, /^\S.{8,}/);
  if (message) assert.match(json.message, message);
  const facts = path?.startsWith("/api/v2/kyc/verify-") ? ["charged", "upstream_called", "request_reference"] : [];
  const named = "fields" in json.error ? ["fields"] : [];
  assert.deepEqual(Object.keys(json.error).slice(0, 4 + named.length), [
    "code",
    "retryable",
    "request_id",
    "help",
    ...named,
  ]);
  if (path !== undefined) assert.deepEqual(Object.keys(json.error).slice(4 + named.length), facts);
  assert.equal(typeof json.error.retryable, "boolean");
  assert.equal(json.error.request_id, headers["x-request-id"]);
  assert.equal(json.error.help, `/docs/errors#${code}`);
  if (fields) {
    const found = json.error.fields as { field: string; message: string }[];
    assert.deepEqual(found.map(({ field }) => field).sort(), [...fields].sort());
    for (const problem of found) {
      assert.deepEqual(Object.keys(problem), ["field", "message"]);
      assert.ok(problem.message.length > 5);
    }
  } else if (code !== "validation_failed") assert.deepEqual(named, []);
  if (payload) {
    const date = json.data?.date;
    if (date !== undefined) assertFresh(date);
    const { success, status, message, error, ...rest } = json;
    assert.equal(JSON.stringify(rest), JSON.stringify(payload(message, date)), `${success} ${status} ${error.code}`);
  }
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  assert.equal(headers["cache-control"], "no-store");
  assert.equal(headers["x-content-type-options"], "nosniff");
  if (status === 401) assert.match(headers["www-authenticate"] ?? "", /^Bearer\b/);
  return json;
}

/** Checks that a time has the form of `date` and is at most a minute old. */
export function assertFresh(date: string): void {
  assert.match(date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const age = Date.now() - Date.parse(date);
  assert.ok(age >= -1000 && age <= 60_000, `${date} is ${age} ms ago`);
}

/** Fails if a text reveals how the service is built. */
export function assertDiscreet(text: string): void {
  assert.ok(!text.includes(process.cwd()), text);
  for (const trace of [/\bat .*[(/].*:\d+/, /node:|node_modules|\.ts\b|file:\/\//, /\/(?:tmp|home|root|usr)\//])
    assert.doesNotMatch(text, trace);
  for (const trace of [/\b(?:SELECT|INSERT|UPDATE|sqlite|SQLITE_\w+|postgres|kysely|HPE_\w+)\b/i])
    assert.doesNotMatch(text, trace);
  for (const trace of [/\b\w*Error:/, /\bundefined\b|\bNaN\b|\[object /]) assert.doesNotMatch(text, trace);
}

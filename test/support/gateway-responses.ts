/** A response of a gateway, instead of the service's. */
export interface GatewayResponse {
  status: number;
  headers?: Record<string, string>;
  body: string | Buffer;
  /** A retry cannot help: the gateway forbids the request. */
  isFinal?: true;
}

const page = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>`;
const html = { "Content-Type": "text/html" };
const json = { "Content-Type": "application/json" };
const person = { bvn_number: "22999999999", personal_info: { first_name: "SOMEBODY", last_name: "ELSE" } };

/** Responses of gateways, login pages and the like, by name. Duba itself sends none of them. */
export const gatewayResponses = {
  "200 null": { status: 200, headers: json, body: "null" },
  "200 list": { status: 200, headers: json, body: "[]" },
  "200 text": { status: 200, headers: json, body: '"text"' },
  "200 number": { status: 200, headers: json, body: "200" },
  "200 empty object": { status: 200, headers: json, body: "{}" },
  "200 success alone": { status: 200, headers: json, body: '{"success":true}' },
  "200 success without data": { status: 200, headers: json, body: '{"success":true,"message":"OK","data":null}' },
  "200 success with a list": { status: 200, headers: json, body: '{"success":true,"message":"OK","data":[]}' },
  "200 success as text": { status: 200, headers: json, body: '{"success":"true","data":{}}' },
  "200 another person": {
    ...{ status: 200, headers: json },
    body: JSON.stringify({ success: true, message: "BVN Verification Completed Successfully", data: person }),
  },
  "200 half an answer": { status: 200, headers: json, body: '{"success":true,"message":"BVN Verif' },
  "200 HTML": { status: 200, headers: html, body: page("Welcome to the hotel's network") },
  "200 nothing": { status: 200, body: "" },
  "200 no gzip": { status: 200, headers: { ...json, "Content-Encoding": "gzip" }, body: "not compressed" },
  "200 other letters": {
    status: 200,
    headers: json,
    body: Buffer.from('{"success":true,"data":"\xff\xfe"}', "latin1"),
  },
  "204 nothing": { status: 204, body: "", isFinal: true },
  "302 to a login": { status: 302, headers: { ...html, Location: "/login" }, body: page("Found"), isFinal: true },
  "304 nothing": { status: 304, body: "", isFinal: true },
  "401 message": { status: 401, headers: json, body: '{"message":"Unauthorized"}', isFinal: true },
  "403 HTML": { status: 403, headers: html, body: page("Forbidden"), isFinal: true },
  "404 HTML": { status: 404, headers: html, body: page("Not found"), isFinal: true },
  "408 HTML": { status: 408, headers: html, body: page("Request time-out") },
  "429 HTML": { status: 429, headers: html, body: page("Too many requests") },
  "500 nothing": { status: 500, body: "" },
  "502 HTML": { status: 502, headers: html, body: page("Bad gateway") },
  "503 code as number": { status: 503, headers: json, body: '{"error":{"code":503,"message":"No server"}}' },
  "503 code of another": { status: 503, headers: json, body: '{"error":{"code":"ServiceUnavailable"}}' },
  "503 failure of another": { status: 503, headers: json, body: '{"success":false,"error":{"code":"DOWN"}}' },
  "503 failure without a code": {
    ...{ status: 503, headers: json },
    body: '{"success":false,"message":"Down","error":{"retryable":true}}',
  },
  "503 failure with a number as code": {
    ...{ status: 503, headers: json },
    body: '{"success":false,"message":"Down","error":{"code":503,"retryable":true}}',
  },
  "503 failure without a message": {
    ...{ status: 503, headers: json },
    body: '{"success":false,"error":{"code":"down","retryable":true}}',
  },
  "503 nested": { status: 503, headers: json, body: "[".repeat(100_000) + "]".repeat(100_000) },
  "503 error as text": { status: 503, headers: json, body: '{"success":false,"error":"no server"}' },
  "503 with a date": {
    ...{ status: 503, headers: { ...html, "Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT" } },
    body: page("Maintenance"),
  },
} as const satisfies Record<string, GatewayResponse>;

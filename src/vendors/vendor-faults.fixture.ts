import { type Behaviour, json, text } from "./local-vendor.fixture.ts";
import type { IdentityOutcome } from "./ports/identity-upstream.ts";
import { unavailable } from "./ports/outcomes.ts";

/** A vendor's text in the fault table. Duba must not repeat it anywhere. */
export const rawText = "raw text of a vendor about 22000000017";

const unreadable: IdentityOutcome = { state: "failed", reason: "unreadable" };
const shape: IdentityOutcome = { state: "failed", reason: "shape" };
const lost: IdentityOutcome = { state: "unknown", reason: "connection_lost" };
const timedOut: IdentityOutcome = { state: "unknown", reason: "timed_out" };
const serverError: IdentityOutcome = { state: "unknown", reason: "server_error" };

/** Faults that any vendor may have, with the expected outcome. */
export const vendorFaults: Record<string, { behaviour: Behaviour; outcome: IdentityOutcome; timeout?: number }> = {
  "resets the connection after the request": {
    behaviour: (response) => void response.socket!.resetAndDestroy(),
    outcome: lost,
  },
  "hangs up without an answer": {
    behaviour: (response) => void response.socket!.end(),
    outcome: lost,
  },
  "never answers": { behaviour: () => {}, outcome: timedOut, timeout: 1000 },
  "never finishes the body": {
    behaviour: (response) =>
      void response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "99" }).write("{"),
    outcome: timedOut,
    timeout: 1000,
  },
  "sends half a body": {
    behaviour: (response) => {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "99" });
      response.write(`{"${rawText}`, () => response.socket!.destroy());
    },
    outcome: lost,
  },
  "answers in HTML": { behaviour: text(200, "text/html", rawText), outcome: unreadable },
  "answers JSON under another type": {
    behaviour: text(200, "text/plain", JSON.stringify({ message: rawText })),
    outcome: shape,
  },
  "answers a page of a proxy with 404": {
    behaviour: text(404, "text/html", rawText),
    outcome: unreadable,
  },
  "answers a page of a proxy with 502": { behaviour: text(502, "text/html", rawText), outcome: serverError },
  "answers what is no JSON": {
    behaviour: text(200, "application/json", `{"message":"${rawText}`),
    outcome: unreadable,
  },
  "answers nothing with 200": {
    behaviour: (response) => void response.writeHead(200).end(),
    outcome: shape,
  },
  "answers nothing with 503": {
    behaviour: (response) => void response.writeHead(503).end(),
    outcome: serverError,
  },
  "answers more than may be read": {
    behaviour: json(200, { message: rawText.repeat(50_000) }),
    outcome: { state: "failed", reason: "too_large" },
  },
  "redirects the attempt": {
    behaviour: json(307, { message: rawText }, { Location: "/elsewhere" }),
    outcome: unreadable,
  },
  "answers another shape": {
    behaviour: json(200, { success: true, data: { message: rawText, "22000000017": 1 } }),
    outcome: shape,
  },
  "answers a list": { behaviour: json(200, [rawText]), outcome: shape },
  "answers null": { behaviour: json(200, null), outcome: shape },
  ...statuses(404, { state: "failed", reason: "status" }),
  ...statuses(401, unavailable("bad_credentials")),
  ...statuses(402, unavailable("no_money")),
  ...statuses(403, unavailable("bad_credentials")),
  "says without more that our wallet is empty, with 400": {
    behaviour: json(400, { message: "Insufficient wallet balance" }),
    outcome: unavailable("no_money"),
  },
  "says without more that our balance is too low, with 403": {
    behaviour: json(403, { error: { code: "BALANCE_INSUFFICIENT", description: rawText } }),
    outcome: unavailable("no_money"),
  },
  "says without more that we lack funds, with 200": {
    behaviour: json(200, { status: false, message: "You have insufficient funds to do this." }),
    outcome: unavailable("no_money"),
  },
  ...statuses(429, unavailable("rate_limited")),
  ...statuses(500, serverError),
  ...statuses(502, serverError),
  ...statuses(503, serverError),
  ...statuses(504, serverError),
};

/** Ways in which a vendor asks us to wait a minute, with the expected outcome. */
export const vendorWaits: typeof vendorFaults = {
  "answers 429 with Retry-After": {
    behaviour: json(429, { message: rawText }, { "Retry-After": "60" }),
    outcome: { ...unavailable("rate_limited"), retryAfter: 60 },
  },
  "answers 503 with Retry-After": {
    behaviour: json(503, { message: rawText }, { "Retry-After": "60" }),
    outcome: { ...serverError, retryAfter: 60 },
  },
  "answers a page of a proxy with 429 and Retry-After": {
    behaviour: text(429, "text/html", rawText, { "Retry-After": "60" }),
    outcome: { ...unreadable, retryAfter: 60 },
  },
  "answers a page of a proxy with 503 and Retry-After": {
    behaviour: text(503, "text/html", rawText, { "Retry-After": "60" }),
    outcome: { ...serverError, retryAfter: 60 },
  },
};

/** A status with a body that does not explain it. */
function statuses(status: number, outcome: IdentityOutcome) {
  return { [`answers ${status}`]: { behaviour: json(status, { message: rawText }), outcome } };
}

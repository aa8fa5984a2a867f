import { jsonHeaders } from "../failure-response.ts";
import type { ApiServer } from "../server.ts";
import { type HttpResponse, pairsOf } from "../shell/http-response.ts";

export interface Health {
  /** The version of Duba. */
  version: string;
  stopping: () => boolean;
  /** Whether the store accepts a write; never rejects. */
  takesWrites: () => Promise<boolean>;
  /** Milliseconds. */
  now?: () => number;
}

/** Milliseconds between two checks at least, because anybody may call `/readyz`, and each check writes to the store. */
const CHECK_EVERY = 1000;

/** `GET /healthz`: the process runs. `GET /readyz`: it accepts requests; 503 while it stops or its store is down. */
export function registerHealth(
  app: ApiServer,
  { version, stopping, takesWrites, now = () => performance.now() }: Health,
): void {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let storeIsUp: Promise<boolean>;
  app.get("/healthz", () => jsonResponse({ status: "ok", version }));
  app.get("/readyz", async () => {
    if (now() - checkedAt >= CHECK_EVERY) [checkedAt, storeIsUp] = [now(), takesWrites()];
    const reason = stopping() ? "stopping" : (await storeIsUp) ? undefined : "the store takes no writes";
    return reason === undefined
      ? jsonResponse({ status: "ready" })
      : jsonResponse({ status: "not ready", reason }, 503);
  });
}

function jsonResponse(value: object, status = 200): HttpResponse {
  const body = JSON.stringify(value);
  return { status, headers: pairsOf(jsonHeaders(Buffer.byteLength(body))), body };
}

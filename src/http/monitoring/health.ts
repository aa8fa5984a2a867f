import type { FastifyInstance } from "fastify";

export interface Health {
  stopping: () => boolean;
  /** Whether the store accepts a write; never rejects. */
  takesWrites: () => Promise<boolean>;
  /** Milliseconds. */
  now?: () => number;
}

/** Anybody may call `/readyz`, and each check writes to the store, so we check at most once in this many milliseconds. */
const CHECK_EVERY = 1000;

/** `GET /healthz`: the process runs. `GET /readyz`: it accepts requests; 503 while it stops or its store is down. */
export function registerHealth(
  app: FastifyInstance,
  { stopping, takesWrites, now = () => performance.now() }: Health,
): void {
  const headers = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
  let checkedAt = Number.NEGATIVE_INFINITY;
  let storeIsUp: Promise<boolean>;
  app.get("/healthz", (request, reply) => {
    reply.headers({ ...headers, "X-Request-Id": request.id }).send({ status: "ok" });
  });
  app.get("/readyz", async (request, reply) => {
    if (now() - checkedAt >= CHECK_EVERY) [checkedAt, storeIsUp] = [now(), takesWrites()];
    const reason = stopping() ? "stopping" : (await storeIsUp) ? undefined : "the store takes no writes";
    reply.code(reason === undefined ? 200 : 503).headers({ ...headers, "X-Request-Id": request.id });
    return reason === undefined ? { status: "ready" } : { status: "not ready", reason };
  });
}

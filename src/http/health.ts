import type { FastifyInstance } from "fastify";

export interface Health {
  stopping: () => boolean;
  /** Whether the store takes a write; never rejects. */
  takesWrites: () => Promise<boolean>;
  /** Milliseconds. */
  now?: () => number;
}

/** Anybody may call `/readyz`, and each answer costs the store a write: it is asked no more often than this. */
const askedEvery = 1000;

/** `GET /healthz`: the process lives. `GET /readyz`: it may be sent requests; 503 while it stops or its store is away. */
export function registerHealth(
  app: FastifyInstance,
  { stopping, takesWrites, now = () => performance.now() }: Health,
): void {
  const headers = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
  let askedAt = Number.NEGATIVE_INFINITY;
  let isWell: Promise<boolean>;
  app.get("/healthz", (request, reply) => {
    reply.headers({ ...headers, "X-Request-Id": request.id }).send({ status: "ok" });
  });
  app.get("/readyz", async (request, reply) => {
    if (now() - askedAt >= askedEvery) [askedAt, isWell] = [now(), takesWrites()];
    const ready = !stopping() && (await isWell);
    reply.code(ready ? 200 : 503).headers({ ...headers, "X-Request-Id": request.id });
    return { status: ready ? "ready" : "not ready" };
  });
}

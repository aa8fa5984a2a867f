import type { FastifyInstance } from "fastify";

/** `GET /healthz`: the process lives. `GET /readyz`: it may be sent requests; 503 while it stops or its store is away. */
export function registerHealth(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  const headers = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
  app.get("/healthz", (request, reply) => {
    reply.headers({ ...headers, "X-Request-Id": request.id }).send({ status: "ok" });
  });
  app.get("/readyz", async (request, reply) => {
    const ready = await isReady();
    reply.code(ready ? 200 : 503).headers({ ...headers, "X-Request-Id": request.id });
    return { status: ready ? "ready" : "not ready" };
  });
}

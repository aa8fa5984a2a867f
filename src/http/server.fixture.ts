import { ask } from "../../test/support/service.ts";
import type { BoundOperation } from "../declare/operation.ts";
import { usualKiB } from "../declare/request-bounds.ts";
import { FairQueue } from "../runtime/fair-queue.ts";
import { RecordedLog } from "../runtime/recorded-log.fixture.ts";
import type { HttpDependencies } from "./dependencies.ts";
import { ResponseCounts } from "./monitoring/response-counts.ts";
import { callerAddress } from "./request/caller-address.ts";
import { type ApiServer, buildServer } from "./server.ts";

/** The dependencies of a test's server: callers are not limited, and nothing is logged. */
export function plainHttp(): HttpDependencies {
  return {
    addressOf: callerAddress([]),
    isFromProxy: () => false,
    authenticator: { credentialOf: () => null as never },
    anonymous: true,
    rateLimiters: null,
    bounds: { body: usualKiB.body * 1024, url: usualKiB.url * 1024, headers: usualKiB.headers * 1024, arrival: 10_000 },
    connections: { most: 1000, answer: 10_000 },
    docs: true,
    publicUrl: "",
    pathPrefixes: ["/api/v2"],
    fairQueue: new FairQueue(),
    answers: new ResponseCounts(),
    responseLog: null,
    accessLog: "off",
    serverTiming: false,
    log: new RecordedLog(),
    now: Date.now,
    lifecycle: { stage: "serving" },
  };
}

/** A server on a free port. The handlers that `register` adds answer, besides operations if there are any. */
export async function serving(
  register: (app: ApiServer) => void,
  operations: readonly BoundOperation[] = [],
  other: Partial<HttpDependencies> = {},
) {
  const app = buildServer(operations, { ...plainHttp(), ...other });
  register(app);
  const port = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    origin: `http://127.0.0.1:${port}`,
    ask: (path: string, headers: Record<string, string> = {}, method = "GET") =>
      ask(port, path, { method, headers, credential: false }),
    close: () => app.close(),
  };
}

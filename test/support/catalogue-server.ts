import assert from "node:assert/strict";
import type { Catalogue } from "../../src/catalogue/catalogue.ts";
import { catalogueOperations } from "../../src/catalogue/operations/index.ts";
import type { HttpDependencies } from "../../src/http/dependencies.ts";
import { ResponseCounts } from "../../src/http/monitoring/response-counts.ts";
import { callerAddress } from "../../src/http/request/caller-address.ts";
import { buildServer } from "../../src/http/server.ts";
import { bind, type Caller } from "../../src/operation/operation.ts";
import { FairQueue } from "../../src/runtime/fair-queue.ts";

/** The API of a catalogue alone. A credential is the id of an account. */
export function catalogueServer(catalogue: Catalogue) {
  return buildServer(bind(catalogueOperations, catalogue), http);
}

const http: HttpDependencies = {
  authenticator: {
    isAbsent: () => false,
    credentialOf: (header) =>
      ({ accountId: header.slice(7), mode: "live", scopes: ["catalogue:read"] }) as unknown as Caller,
  },
  anonymous: true,
  addressOf: callerAddress([]),
  isFromProxy: () => false,
  rateLimiters: null,
  connections: { most: 1000, answer: 30_000 },
  docs: true,
  publicUrl: "",
  pathPrefixes: ["/api/v2"],
  answers: new ResponseCounts(),
  bounds: { body: 16_384, url: 8_192, headers: 16_384, arrival: 10_000 },
  fairQueue: new FairQueue(),
  requestEntries: null,
  accessLog: "failures",
  serverTiming: false,
  log: { info: fail, warn: fail, error: fail },
  now: Date.now,
  stopping: () => false,
};

function fail(fields: object, message: string): void {
  assert.fail(`${message} ${JSON.stringify(fields)}`);
}

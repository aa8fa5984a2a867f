import { accessOperations, callerOperations } from "../access/operations/index.ts";
import { catalogueOperations } from "../catalogue/operations/index.ts";
import { answerTime } from "../config/fixed-values.ts";
import type { Config } from "../config/read-config.ts";
import { bind } from "../declare/operation.ts";
import type { HttpDependencies, Lifecycle } from "../http/dependencies.ts";
import { registerHealth } from "../http/monitoring/health.ts";
import type { ResponseCounts } from "../http/monitoring/response-counts.ts";
import { registerPages } from "../http/pages/index.ts";
import { AddressRateLimiter, limitsOf, ownLimiter } from "../http/rate-limit.ts";
import { callerAddress, fromProxy } from "../http/request/caller-address.ts";
import { type ApiServer, buildServer } from "../http/server.ts";
import { FairQueue } from "../runtime/fair-queue.ts";
import type { Log } from "../runtime/log.ts";
import { localUrl } from "../runtime/network/address.ts";
import { RateLimiter } from "../runtime/rate-limiter.ts";
import { version } from "../runtime/version.ts";
import { identityOperations } from "../verification/operations/index.ts";
import { everyOperation } from "./every-operation.ts";
import type { Rooms } from "./rooms.ts";

export interface ApiParts {
  config: Config;
  log: Log;
  rooms: Rooms;
  answers: ResponseCounts;
  lifecycle: Lifecycle;
}

/** The server of the operations, with its pages and health checks. It does not listen yet. */
export function openApi({ config, log, rooms, answers, lifecycle }: ApiParts): ApiServer {
  const { access, catalogue, identity, store, tracer, opened } = rooms;
  const { publicUrl, pathPrefixes } = config;
  const site = {
    operations: everyOperation,
    version,
    // Before the service listens, the port for the setting 0 is unknown.
    origin: publicUrl || localUrl(config.host, config.port || 8080),
    publicUrl,
    pathPrefixes,
  };
  const ownLimits = everyOperation
    .flatMap(({ limit }) => (typeof limit === "string" ? [] : limit))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const rateLimiters = config.limits
    ? {
        catalogue: new RateLimiter("catalogue", config.limitCatalogue),
        anonymous: new AddressRateLimiter("anonymous", config.limitAnonymous),
        verification: new RateLimiter("verification", config.limitVerification),
        own: new Map(ownLimits.map((each) => [each.name, ownLimiter(each)])),
      }
    : null;
  const http: HttpDependencies = {
    addressOf: callerAddress(config.trustProxy),
    isFromProxy: fromProxy(config.trustProxy),
    authenticator: access.credentials,
    anonymous: config.anonymous,
    rateLimiters,
    bounds: {
      body: config.limitBody,
      url: config.limitUrl,
      headers: config.limitHeaders,
      arrival: config.requestTimeout,
    },
    connections: { most: config.maxConnections, answer: answerTime(config) },
    docs: config.docs,
    wrongPathPage: config.docs
      ? () => import("../../pages/site.ts").then((made) => made.wrongPathPage(site))
      : undefined,
    publicUrl,
    pathPrefixes,
    fairQueue: new FairQueue(),
    answers,
    tracer,
    responseLog: opened.find(({ responseLog }) => responseLog)?.responseLog ?? null,
    standIns: config.upstream.standIns,
    accessLog: config.accessLog,
    serverTiming: config.serverTiming,
    log,
    now: Date.now,
    lifecycle,
  };
  const bound = [
    ...bind(catalogueOperations, catalogue),
    ...bind(identityOperations, identity),
    ...bind(accessOperations, access.room),
    ...bind(callerOperations, {
      db: store.db,
      spendable: identity.spendable,
      limitsOf: (caller) => (rateLimiters ? limitsOf(rateLimiters, ownLimits, caller) : {}),
    }),
    ...opened.flatMap(({ operations }) => operations ?? []),
  ];
  const app = buildServer(bound, http);
  if (config.docs) registerPages(app, site, http);
  registerHealth(app, {
    version,
    stopping: () => lifecycle.stage !== "serving",
    takesWrites: () => store.takesWrites(),
  });
  return app;
}

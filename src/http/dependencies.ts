import type { IncomingMessage } from "node:http";
import type { Caller } from "../declare/operation.ts";
import type { FairQueue } from "../runtime/fair-queue.ts";
import type { Log } from "../runtime/log.ts";
import type { Tracer } from "../runtime/trace.ts";
import type { Authenticator } from "./authenticate.ts";
import type { ResponseCounts } from "./monitoring/response-counts.ts";
import type { RateLimiters } from "./rate-limit.ts";
import type { RequestBounds } from "./request/json-body.ts";
import type { ConnectionBounds } from "./shell/connections.ts";

/** A response in the form of the request log. Of the request it holds only the id and the names of wrong fields. */
export interface NotedResponse {
  requestId: string;
  operation: string;
  status: number;
  /** Failure code. */
  code: string | null;
  /** Names of our members and headers, separated by commas. */
  wrong: string | null;
  /** Milliseconds. */
  duration: number;
  /** Reference of the verification. */
  reference: string | null;
}

/** Keeps responses for their callers to read. */
export interface ResponseLog {
  /** Whether the log has room for another response of this caller. `isRoutine`: a look-up that succeeded. */
  takes(caller: Caller, isRoutine: boolean): boolean;
  /** Keeps a response that `takes` accepted. */
  note(caller: Caller, isRoutine: boolean, response: NotedResponse): void;
}

/** The state of a service. `leaving`: it still serves, but is no longer ready. `stopping`: it refuses requests. */
export interface Lifecycle {
  stage: "serving" | "leaving" | "stopping";
}

/** Everything that the HTTP server needs from the rest of the service. */
export interface HttpDependencies {
  /** The address of the caller; empty if the connection has ended. */
  addressOf(request: IncomingMessage): string;
  /** Whether the request comes from a trusted proxy. */
  isFromProxy(request: IncomingMessage): boolean;
  authenticator: Authenticator;
  /** Whether operations with access `anonymous` answer callers without a credential. */
  anonymous: boolean;
  /** Null: callers are not limited, and responses have no RateLimit header. */
  rateLimiters: RateLimiters | null;
  bounds: RequestBounds;
  connections: ConnectionBounds;
  /** Whether the pages for people are served. */
  docs: boolean;
  /** Makes the page that a browser gets for a path that nothing has. */
  wrongPathPage?: (() => Promise<{ headers: Record<string, string>; body: string }>) | undefined;
  /** The URL at which callers reach the service, without a slash at its end; empty if not configured. */
  publicUrl: string;
  /** What the paths of operations begin with. */
  pathPrefixes: readonly string[];
  /** Runs operations that have no ready response, one per event-loop tick. */
  fairQueue: FairQueue;
  answers: ResponseCounts;
  /** Undefined: requests have no spans. */
  tracer?: Tracer | undefined;
  /** Null: nobody can read responses again. */
  responseLog: ResponseLog | null;
  /** Whether stand-ins answer live verifications, with invented people. Default: false. */
  standIns?: boolean;
  accessLog: "failures" | "all" | "off";
  serverTiming: boolean;
  log: Log;
  now: () => number;
  readonly lifecycle: Readonly<Lifecycle>;
}

import type { IncomingHttpHeaders } from "node:http";
import { type Exchanged, HttpClient, type OutgoingRequest } from "../../src/runtime/network/http-client.ts";
import type { Owner, VirtualTime } from "./virtual-time.ts";

/** The reaction of a simulated host to a request. */
export interface Played {
  /** Milliseconds until the response, or until the connection breaks. */
  after: number;
  /** Undefined: the connection breaks. */
  response?: { status: number; headers?: IncomingHttpHeaders; body: object | string } | undefined;
  /** The host refuses the connection, so nothing is sent. */
  refuses?: boolean;
}

export type Host = (request: OutgoingRequest, from: Owner) => Played;

/** Replaces the HTTP client's network with simulated hosts: vendors and receivers of events. */
export function playNetwork(time: VirtualTime, hosts: (name: string) => Host | undefined): void {
  const { send } = HttpClient.prototype;
  HttpClient.prototype.send = function (request: OutgoingRequest): Promise<Exchanged> {
    const { owner } = time;
    if (!owner) return send.call(this, request);
    const host = hosts(request.url.hostname);
    if (!host) return Promise.resolve({ kind: "notSent", code: "ENOTFOUND" });
    return exchange(time, owner, request, host);
  };
}

function exchange(time: VirtualTime, owner: Owner, request: OutgoingRequest, host: Host): Promise<Exchanged> {
  const { timeout, signal, sendUntil, begin, take } = request;
  return new Promise((resolve) => {
    let isSent = false;
    let isOver = false;
    const end = (exchanged: Exchanged) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      resolve(exchanged);
    };
    const fail = (code: string) => end({ kind: isSent ? "lost" : "notSent", code });
    const timer = setTimeout(() => fail("timed_out"), timeout);
    signal?.addEventListener("abort", () => fail("aborted"));
    sendUntil?.addEventListener("abort", () => {
      if (!isSent) fail("aborted");
    });
    if (signal?.aborted || sendUntil?.aborted) return fail("aborted");
    time.plan(1, () => {
      if (isOver) return;
      const { after, response, refuses } = time.outside(() => host(request, owner));
      isSent = refuses !== true;
      time.plan(after, () => {
        if (isOver) return;
        if (!response) return fail(refuses ? "ECONNREFUSED" : "ECONNRESET");
        const text = typeof response.body === "string" ? response.body : JSON.stringify(response.body);
        const headers = { "content-type": "application/json", ...response.headers };
        const refusal = begin?.(response.status, headers);
        if (refusal !== undefined) return end({ kind: "unreadable", status: response.status, headers, code: refusal });
        const kept = take?.(Buffer.from(text)) ?? [Buffer.from(text)];
        const body = typeof kept === "string" ? Buffer.alloc(0) : Buffer.concat(kept);
        end({ kind: "answered", status: response.status, headers, body });
      });
    });
  });
}

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Milliseconds of each event-loop tick that pipelined requests get. */
const share = 1;
/** How many served requests may stay in the queue's memory. */
const mostServed = 1024;

/** The response to the newest request of a connection. A weak map would make each look-up slower. */
const newest = Symbol("newest response");
type WithNewest = Socket & { [newest]?: ServerResponse };

interface Waiting {
  requests: number;
  isPausing: boolean;
}

/**
 * Requests that came before the response to an earlier one on their connection. Node reads a connection up to 32 times
 * in a row, 64 KiB each, with some 600 requests a read, which would delay other callers. So pipelined requests wait in
 * one queue, which gets a share of each event-loop tick, and their connections are not read meanwhile.
 */
export class PipelinedRequests {
  readonly #serve: RequestListener;
  readonly #waiting = new WeakMap<Socket, Waiting>();
  readonly #queue: (() => void)[] = [];
  #next = 0;

  constructor(serve: RequestListener) {
    this.#serve = serve;
  }

  /** Serves a request: immediately, or after the earlier one on its connection. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const socket: WithNewest = request.socket;
    const isWaiting = waitsForAnother(response);
    // A request after the connection's last response would be served, and charged, although its response cannot be
    // sent.
    if (isWaiting && !socket[newest]!.shouldKeepAlive) return;
    socket[newest] = response;
    if (isWaiting) this.#add(request, response);
    else this.#serve(request, response);
  }

  #add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const waiting = this.#waiting.get(socket) ?? { requests: 0, isPausing: false };
    this.#waiting.set(socket, waiting);
    waiting.requests += 1;
    if (!waiting.isPausing) {
      waiting.isPausing = true;
      // Waits for the end of this read, because Node reads on at the end of each request.
      queueMicrotask(() => {
        waiting.isPausing = false;
        if (waiting.requests > 0) socket.pause();
      });
    }
    if (this.#queue.length === 0) setImmediate(this.#serveSome);
    this.#queue.push(() => {
      waiting.requests -= 1;
      // The last request may still need its body.
      if (waiting.requests === 0) socket.resume();
      if (!socket.destroyed) this.#serve(request, response);
    });
  }

  /** Ends a connection once all of its requests are answered. Returns false if none is to be answered. */
  endAfterResponses(socket: WithNewest): boolean {
    const last = socket[newest];
    if (!last || last.writableFinished) return false;
    // These bytes belong to a request that has not been read or answered.
    if (!waitsForAnother(last) && !last.headersSent && !last.req.complete) return false;
    last.shouldKeepAlive = false;
    last.once("finish", () => socket.destroySoon());
    return true;
  }

  readonly #serveSome = () => {
    const end = performance.now() + share;
    do {
      this.#queue[this.#next]!();
      this.#next += 1;
    } while (this.#next < this.#queue.length && performance.now() < end);
    if (this.#next === this.#queue.length || this.#next >= mostServed) {
      this.#queue.splice(0, this.#next);
      this.#next = 0;
    }
    if (this.#queue.length > 0) setImmediate(this.#serveSome);
  };
}

/** Whether an earlier response must be sent first on this connection. */
function waitsForAnother({ socket }: ServerResponse): boolean {
  return socket === null;
}

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Milliseconds of each event-loop tick for pipelined requests. */
const share = 1;
/** Served places of the queue that may stay in memory. */
const mostServed = 1024;

interface Waiting {
  requests: number;
  isPausing: boolean;
  /** To the newest of them. */
  last: ServerResponse;
}

/**
 * Requests that came before the response to an earlier one on their connection. Node reads a connection up to 32 times
 * in a row, 64 KiB each, and hands over every request at once, some 600 a read: other callers would wait for all of
 * them. So they wait in one queue, which gets a share of each event-loop tick, and nothing more is read from their
 * connections meanwhile.
 */
export class PipelinedRequests {
  readonly #waiting = new WeakMap<Socket, Waiting>();
  readonly #queue: (() => void)[] = [];
  #next = 0;

  /** Whether the response has to wait for an earlier one on its connection. */
  static isPipelined({ socket }: ServerResponse): boolean {
    return socket === null;
  }

  add(socket: Socket, response: ServerResponse, serve: () => void): void {
    // A request behind the last response would be served, and charged, for nobody.
    if (!this.#lastOn(socket)!.shouldKeepAlive) return;
    const waiting = this.#waiting.get(socket) ?? { requests: 0, isPausing: false, last: response };
    this.#waiting.set(socket, waiting);
    waiting.requests += 1;
    waiting.last = response;
    if (!waiting.isPausing) {
      waiting.isPausing = true;
      // After this read, since Node reads on at the end of each request.
      queueMicrotask(() => {
        waiting.isPausing = false;
        if (waiting.requests > 0) socket.pause();
      });
    }
    if (this.#queue.length === 0) setImmediate(this.#serveSome);
    this.#queue.push(() => {
      waiting.requests -= 1;
      // The last one may still need its body.
      if (waiting.requests === 0) socket.resume();
      if (!socket.destroyed) serve();
    });
  }

  /** Ends a connection once everything that was asked on it is answered. */
  endAfterResponses(socket: Socket): void {
    const last = this.#lastOn(socket)!;
    last.shouldKeepAlive = false;
    last.once("finish", () => socket.destroySoon());
  }

  /** The newest response that is under way on a connection. */
  #lastOn(socket: Socket): ServerResponse | undefined {
    const last = this.#waiting.get(socket)?.last;
    return last?.writableFinished === false ? last : begunOn(socket);
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

/** The response that is due first on a connection. Node tells it nowhere else. */
export function begunOn(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage;
}

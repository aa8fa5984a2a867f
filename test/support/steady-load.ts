import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type AskOptions, ask, type ServiceResponse } from "./service.ts";

export interface SteadyLoad {
  /** Counts of responses by HTTP status, and of broken connections by error code. */
  readonly seen: ReadonlyMap<string, number>;
  /** Duration of the longest request so far, in milliseconds. */
  longest(): number;
  /** Stops, and resolves when the last responses have arrived. */
  stop(): Promise<void>;
}

/**
 * Callers that send one request after another on kept-alive connections. `next` gives the request, and `heard` receives
 * the response. Nothing is retried.
 */
export function steadyLoad(
  port: () => number,
  callers: number,
  next: () => { path: string; options?: AskOptions },
  {
    heard = () => {},
    pauseFor = 5,
  }: { heard?: (asked: AskOptions, answer: ServiceResponse | undefined) => void; pauseFor?: number } = {},
): SteadyLoad {
  const seen = new Map<string, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: callers, scheduling: "fifo" });
  let isRunning = true;
  let longest = 0;
  const call = async () => {
    while (isRunning) {
      const { path, options = {} } = next();
      const begun = performance.now();
      const outcome = await ask(port(), path, { ...options, agent }).then(
        (response) => {
          heard(options, response);
          return String(response.status);
        },
        (error: NodeJS.ErrnoException) => {
          heard(options, undefined);
          return String(error.code);
        },
      );
      longest = Math.max(longest, performance.now() - begun);
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      await pause(pauseFor);
    }
  };
  const calling = Array.from({ length: callers }, call);
  return {
    seen,
    longest: () => longest,
    async stop() {
      isRunning = false;
      await Promise.all(calling);
      agent.destroy();
    },
  };
}

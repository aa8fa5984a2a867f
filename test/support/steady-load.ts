import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type AskOptions, ask, type ServiceResponse } from "./service.ts";

export interface SteadyLoad {
  /** Answers by HTTP status; connections that broke by their code. */
  readonly seen: ReadonlyMap<string, number>;
  /** Milliseconds of the longest request so far. */
  longest(): number;
  /** Resolves when the last answers are in. */
  stop(): Promise<void>;
}

/**
 * Callers that ask one request after another over connections which they keep. `next` says what to ask, and `heard`
 * gets the answers. A request is asked once: what is lost counts as lost.
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

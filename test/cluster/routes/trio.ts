import { fork } from "node:child_process";
import { once } from "node:events";

export const trioNames = ["dojah", "prembly", "seamfix"] as const;
export type TrioName = (typeof trioNames)[number];

/**
 * Of 100 calls, the number that each vendor answers with "not found", refuses with 429, and breaks off.
 * `notFound` always hits the same numbers of a vendor; `busy` and `cut` are random for each call.
 */
export interface Manners {
  notFound: number;
  busy: number;
  cut: number;
}

/** A look-up that reached a vendor. */
export interface TrioCall {
  vendor: TrioName;
  number: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Three vendors that speak their own wires, in a process of their own, and count. */
export interface Trio {
  urls: Record<TrioName, string>;
  behave(manners: Manners): void;
  /** The calls since this function was last called. */
  calls(): Promise<TrioCall[]>;
  stop(): Promise<void>;
}

export async function startTrio(): Promise<Trio> {
  const child = fork(new URL("trio-process.ts", import.meta.url), { execArgv: [] });
  const next = async <Message>() => ((await once(child, "message")) as [Message])[0];
  const urls = await next<Trio["urls"]>();
  return {
    urls,
    behave: (manners) => void child.send(manners),
    calls() {
      child.send("calls");
      return next<TrioCall[]>();
    },
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

import { fork } from "node:child_process";
import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import type { CheckKind } from "../../src/declare/check-kind.ts";
import { draw } from "./vendor-draw.ts";

/**
 * What the vendor may do to a call. `answersTwice`: a second response, perhaps another, follows on the same connection.
 * `saysNoWork`: a failure whose code says that nothing was done. `serverError`: one that leaves it open. `held`:
 * answered upon `release`.
 */
export const manners = [
  "prompt",
  "slow",
  "late",
  "cut",
  "cutHalfWay",
  "answersTwice",
  "garbage",
  "otherPerson",
  "saysNoWork",
  "serverError",
  "held",
] as const;
export type Manner = (typeof manners)[number];

export interface VendorSettings {
  /** The same seed gives the n-th call about a number the same manner. */
  seed: string;
  /** How often each manner comes, in parts of their sum. */
  manners: Partial<Record<Manner, number>>;
  /** How many of a hundred numbers get a negative answer: no such number, or another phone. */
  negatives: number;
}

/** A verification that reached the vendor whole. */
export interface VendorCall {
  kind: CheckKind;
  number: string;
  /** The `Idempotency-Key` it came with. */
  reference: string;
  /** The trace in its `traceparent`. */
  trace: string | undefined;
  manner: Manner;
}

/** An identity vendor that speaks Duba's own interface, counts, and misbehaves. It lives in a process of its own. */
export interface VendorProcess {
  /** Settings of a service that asks it. */
  environment: Record<string, string>;
  /** Every verification so far, in the order they came. */
  calls(): Promise<VendorCall[]>;
  /** Answers the calls about this number that are held. */
  release(number: string): void;
  stop(): Promise<void>;
}

export const vendorEmail = "duba@example.com";
export const vendorKey = "a-key-that-the-vendor-of-the-tests-knows";

/** Whether the vendor knows no such number, or no phone with it. */
export function isNegative({ seed, negatives }: Pick<VendorSettings, "seed" | "negatives">, number: string): boolean {
  return draw(seed, `${number} is negative`, 100) < negatives;
}

/** The trace that a request names. */
export const traceIn = ({ traceparent }: IncomingHttpHeaders): string | undefined => String(traceparent).split("-")[1];

export async function startVendor(settings: VendorSettings): Promise<VendorProcess> {
  const child = fork(new URL("vendor-process.ts", import.meta.url), [JSON.stringify(settings)], { execArgv: [] });
  const ended = once(child, "exit");
  const next = async <Message>(): Promise<Message> => {
    const over = ended.then(([code]) => Promise.reject(new Error(`The vendor's process ended with exit code ${code}`)));
    return ((await Promise.race([once(child, "message"), over])) as [Message])[0];
  };
  const url = await next<string>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    environment: {
      DUBA_UPSTREAMS: "peer",
      DUBA_PEER_URL: url,
      DUBA_PEER_EMAIL: vendorEmail,
      DUBA_PEER_KEY: vendorKey,
    },
    calls() {
      // One attempt at a time: each hears the response to its own.
      const response = last.then(() => {
        child.send("calls");
        return next<VendorCall[]>();
      });
      last = response.catch(() => undefined);
      return response;
    },
    release: (number) => void child.send(number),
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

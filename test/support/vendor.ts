import { fork } from "node:child_process";
import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import type { CheckKind } from "../../src/declare/check-kind.ts";
import { draw } from "./vendor-draw.ts";

/**
 * What the vendor does with a call. `answersTwice`: a second, perhaps different response follows on the same
 * connection. `saysNoWork`: a failure whose code means that nothing was done. `serverError`: a failure after which the
 * outcome is unknown. `held`: the response waits for `release`.
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
  /** With the same seed, the n-th call about a number is always treated in the same manner. */
  seed: string;
  /** Weights of the manners. */
  manners: Partial<Record<Manner, number>>;
  /** Percentage of numbers with a negative outcome: unknown number, or another phone. */
  negatives: number;
}

/** A verification request that the vendor received completely. */
export interface VendorCall {
  kind: CheckKind;
  number: string;
  /** The `Idempotency-Key` of the request. */
  reference: string;
  /** The trace id in `traceparent`. */
  trace: string | undefined;
  manner: Manner;
}

/** An identity vendor with Duba's own API that counts calls and misbehaves. It runs in a separate process. */
export interface VendorProcess {
  /** Settings of a service that uses the vendor. */
  environment: Record<string, string>;
  /** All verification requests so far, in order. */
  calls(): Promise<VendorCall[]>;
  /** Sends the held responses about a number. */
  release(number: string): void;
  stop(): Promise<void>;
}

export const vendorEmail = "duba@example.com";
export const vendorKey = "a-key-that-the-vendor-of-the-tests-knows";

/** Whether the vendor does not know the number, or knows another phone. */
export function isNegative({ seed, negatives }: Pick<VendorSettings, "seed" | "negatives">, number: string): boolean {
  return draw(seed, `${number} is negative`, 100) < negatives;
}

/** Returns the trace id of a request. */
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
      // One query at a time, so that each gets its own response.
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

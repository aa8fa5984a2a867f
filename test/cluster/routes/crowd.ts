import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { ask } from "../../support/service.ts";

/** One verification, with the data that its caller has. */
export interface Asked {
  number: string;
  reference: string | undefined;
  status: number;
}

export interface CrowdOptions {
  /** The ports of the services, one of which may be restarting. */
  ports: () => readonly number[];
  /** Live keys. */
  keys: readonly string[];
  /** Whether the n-th verification has an idempotency key, and is therefore retried until its end. */
  hasKey: (n: number) => boolean;
}

const callers = 500;
/** Error codes of a request whose service is killed. */
const brokenOff: readonly unknown[] = ["ECONNRESET", "ECONNREFUSED", "EPIPE"];

let people = 0;

/**
 * Sends `count` verifications of 500 callers, each of a different person, to the services in turn. Ends early if
 * `until` returns true.
 */
export async function crowd(
  count: number,
  { ports, keys, hasKey }: CrowdOptions,
  until: () => boolean,
): Promise<Asked[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const all: Asked[] = [];
  let begun = 0;
  const caller = async () => {
    while (begun < count && !until()) {
      begun += 1;
      const n = ++people;
      const number = `22${String(n).padStart(7, "0")}77`;
      all.push(await verified(n, number));
    }
  };
  const verified = async (n: number, number: string): Promise<Asked> => {
    for (let tried = 0; ; tried += 1) {
      const open = ports();
      const key: Record<string, string> = hasKey(n) ? { "Idempotency-Key": `key-${n}` } : {};
      try {
        const { status, json } = await ask(open[(n + tried) % open.length]!, "/api/v2/kyc/verify-bvn", {
          ...{ method: "POST", agent, credential: keys[n % keys.length]!, headers: key },
          body: { bvn: number, phone: `080${number.slice(-8)}`, amount: "100" },
        });
        const reference = json.data?.request_reference ?? json.error?.request_reference ?? undefined;
        const isOver = status < 500 ? status !== 409 : json.error.retryable === false;
        if (isOver || !hasKey(n)) return { number, reference, status };
      } catch (error) {
        if (!brokenOff.includes((error as NodeJS.ErrnoException).code)) throw error;
        if (!hasKey(n)) return { number, reference: undefined, status: 0 };
      }
      await pause(200);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  agent.destroy();
  return all;
}

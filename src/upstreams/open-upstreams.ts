import { Guard, type GuardOptions, listenedTo } from "./circuit-breaker.ts";
import { Exchange, type ExchangeOptions } from "./http-client.ts";
import type { VendorValues } from "./ports/vendor.ts";
import { vendors } from "./registry.ts";

export interface LiveUpstreams {
  /** In the order of the names. */
  upstreams: Guard[];
  /** Ends what is under way and closes all connections. */
  close(): Promise<void>;
}

/** Opens the vendors of these names, each behind a guard of its own, with the values of its settings. */
export function openLive(
  names: readonly string[],
  values: Readonly<Record<string, VendorValues>>,
  options: Omit<GuardOptions, "timeout"> &
    Pick<ExchangeOptions, "keepAlive"> & {
      /** Milliseconds for one question, by the name of the vendor. */
      timeouts: Readonly<Record<string, number>>;
    },
): LiveUpstreams {
  const { timeouts, concurrency: connections, keepAlive, log } = options;
  const timeout = Math.max(0, ...names.map((name) => timeouts[name]!)) + listenedTo;
  const exchange = new Exchange({ timeout, connections, keepAlive, log });
  const upstreams = names.map((name) => {
    const vendor = vendors.find((vendor) => vendor.name === name);
    if (!vendor) throw new Error(`No vendor is called ${name}`);
    return new Guard(vendor.open(values[name]!, { exchange, log }), { ...options, timeout: timeouts[name]! });
  });
  return { upstreams, close: () => exchange.close() };
}

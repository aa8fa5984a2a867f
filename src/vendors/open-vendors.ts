import { CircuitBreaker, type CircuitBreakerOptions, lateResponseWindow } from "./circuit-breaker.ts";
import type { VendorValues } from "./ports/vendor.ts";
import { vendors } from "./registry.ts";
import { VendorClient, type VendorClientOptions } from "./vendor-client.ts";

export interface LiveUpstreams {
  /** The vendors in the order of `names`. */
  upstreams: CircuitBreaker[];
  /** Ends all requests and closes all connections. */
  close(): void;
}

/** Opens the named vendors with the values of their settings, each behind its own circuit breaker. */
export async function openLive(
  names: readonly string[],
  values: Readonly<Record<string, VendorValues>>,
  options: Omit<CircuitBreakerOptions, "timeout"> &
    Pick<VendorClientOptions, "standIns"> & {
      /** Milliseconds for one attempt, by vendor name. */
      timeouts: Readonly<Record<string, number>>;
    },
): Promise<LiveUpstreams> {
  const { timeouts, concurrency: connections, standIns, log } = options;
  const timeout = Math.max(0, ...names.map((name) => timeouts[name]!)) + lateResponseWindow;
  // No keep-alive: on a reused connection, a vendor's duplicate response could be taken for the next one.
  const http = new VendorClient({ timeout, connections, keepAlive: false, log, ...(standIns && { standIns }) });
  const opening = names.map(async (name) => {
    const vendor = vendors.find((vendor) => vendor.name === name);
    if (!vendor) throw new Error(`No vendor is called ${name}`);
    return new CircuitBreaker(await vendor.open(values[name]!, { http, log }), {
      ...options,
      timeout: timeouts[name]!,
    });
  });
  return { upstreams: await Promise.all(opening), close: () => http.close() };
}

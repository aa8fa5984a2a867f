import { CircuitBreaker, type CircuitBreakerOptions, lateAnswerWindow } from "./circuit-breaker.ts";
import { HttpClient, type HttpClientOptions } from "./http-client.ts";
import type { VendorValues } from "./ports/vendor.ts";
import { vendors } from "./registry.ts";

export interface LiveUpstreams {
  /** In the order of the names. */
  upstreams: CircuitBreaker[];
  /** Ends all requests and closes all connections. */
  close(): Promise<void>;
}

/** Opens the named vendors with the values of their settings, each behind its own circuit breaker. */
export function openLive(
  names: readonly string[],
  values: Readonly<Record<string, VendorValues>>,
  options: Omit<CircuitBreakerOptions, "timeout"> &
    Pick<HttpClientOptions, "keepAlive"> & {
      /** Milliseconds for one question, by vendor name. */
      timeouts: Readonly<Record<string, number>>;
    },
): LiveUpstreams {
  const { timeouts, concurrency: connections, keepAlive, log } = options;
  const timeout = Math.max(0, ...names.map((name) => timeouts[name]!)) + lateAnswerWindow;
  const http = new HttpClient({ timeout, connections, keepAlive, log });
  const upstreams = names.map((name) => {
    const vendor = vendors.find((vendor) => vendor.name === name);
    if (!vendor) throw new Error(`No vendor is called ${name}`);
    return new CircuitBreaker(vendor.open(values[name]!, { http, log }), { ...options, timeout: timeouts[name]! });
  });
  return { upstreams, close: () => http.close() };
}

import { isIPv4, isIPv6 } from "node:net";

/**
 * What one subscriber cannot cheaply change: a whole IPv4 address, or the /64 network of an IPv6 address, where a single
 * host owns 2^64 of them.
 */
export function subscriberOf(address: string): string {
  if (isIPv4(address)) return address;
  const mapped = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (isIPv4(mapped) || !isIPv6(address)) return mapped;
  const [head = [], tail = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill("0");
  const network = [...head, ...zeros, ...tail].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

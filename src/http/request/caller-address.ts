import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { addressList, isListed } from "../../runtime/network/address.ts";

/**
 * Finds the address of a request's caller: the other end of the connection or, if that is a trusted proxy, the last
 * address of `X-Forwarded-For` that is not a trusted proxy. If a proxy names no address, the proxy's own address
 * counts.
 */
export function callerAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const proxies = addressList(trustedProxies);
  if (proxies === null) return ({ socket }) => socket.remoteAddress ?? "";
  return ({ socket, headers }) => {
    let address = socket.remoteAddress ?? "";
    const hops = String(headers["x-forwarded-for"] ?? "").split(",");
    while (isListed(proxies, address)) {
      const named = addressIn(hops.pop());
      if (named === undefined) break;
      address = named;
    }
    return address;
  };
}

/** Whether a request comes from a trusted proxy, whose headers are not the caller's own. */
export function fromProxy(trustedProxies: readonly string[]): (request: IncomingMessage) => boolean {
  const proxies = addressList(trustedProxies);
  return ({ socket }) => proxies !== null && isListed(proxies, socket.remoteAddress ?? "");
}

/** The address in one entry of `X-Forwarded-For`. Some proxies add a port, which differs with each connection. */
function addressIn(entry: string | undefined): string | undefined {
  const text = entry?.trim() ?? "";
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  return isIP(address) === 0 ? undefined : address;
}

import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { type BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { isListed } from "../runtime/network/address.ts";
import { HttpClient, hostOf } from "../runtime/network/http-client.ts";
import { version } from "../runtime/version.ts";

/** A body to send to the endpoint of somebody else. */
export interface Delivery {
  url: string;
  body: string;
  headers: Record<string, string>;
  /** False: plain HTTP is refused, except to `networks`. */
  allowsPlain: boolean;
}

/** What became of it: an HTTP status, or a code of ours or of Node. Never the receiver's text. */
export interface Sent {
  delivered: boolean;
  outcome: string;
}

export interface SendOptions {
  /** Private networks that endpoints may be in. */
  networks: BlockList | null;
  /** Milliseconds for one delivery: name, connection and answer. */
  timeout?: number;
  /** Ends the delivery. */
  signal?: AbortSignal;
  /** Gives all addresses of a host's name. Unless said, as this machine finds them. */
  addressesOfName?: (host: string) => Promise<LookupAddress[]>;
}

export const sendTimeout = 10_000;
/** What is read of a response, in bytes. Its status decides. */
const mostRead = 64 * 1024;

/** A connection for each delivery. */
const http = new HttpClient();

/**
 * Sends a body with POST. The host is resolved once, and the connection goes to an address that was checked, so that nobody can
 * make Duba call its own network: not with a name that changes, and not with a redirect, because none is followed. Never rejects.
 */
export async function sendDelivery(
  { url: text, body, headers, allowsPlain }: Delivery,
  { networks, timeout = sendTimeout, signal, addressesOfName = systemAddresses }: SendOptions,
): Promise<Sent> {
  const url = new URL(text);
  let size = 0;
  const sent = await http.send({
    ...{ method: "POST", url, body, timeout, signal },
    headers: { "content-type": "application/json", "user-agent": `Duba/${version}`, ...headers },
    addressesOf: async (host) => checked(await addressesOfName(host), url, networks, allowsPlain),
    take: (chunk) => {
      size += chunk.length;
      return size >= mostRead ? "enough" : [];
    },
  });
  if (sent.kind !== "answered") return { delivered: false, outcome: sent.code };
  return { delivered: sent.status >= 200 && sent.status < 300, outcome: String(sent.status) };
}

/**
 * Looks up names, at most `most` at a time and each of them once. Node has few threads for all names (`bin/duba.js`), and a name server that
 * is silent keeps one for 20 s, whatever we do. Names of vendors need some too.
 */
export function sparingLookup(
  find: (host: string) => Promise<LookupAddress[]>,
  most: number,
): (host: string) => Promise<LookupAddress[]> {
  const underWay = new Map<string, Promise<LookupAddress[]>>();
  const waiting: (() => void)[] = [];
  let free = most;
  const findInTurn = async (host: string) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await find(host);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
  return (host) => {
    const found = underWay.get(host) ?? findInTurn(host).finally(() => underWay.delete(host));
    underWay.set(host, found);
    return found;
  };
}

const systemAddresses = sparingLookup((host) => lookup(host, { all: true }), 4);

/** The addresses of the URL's host. Throws why nothing is sent, as a `code`, if Duba must not call one of them. */
function checked(found: LookupAddress[], url: URL, networks: BlockList | null, allowsPlain: boolean): LookupAddress[] {
  const refused = (code: string) => Object.assign(new Error(code), { code });
  const foreign = found.filter(({ address }) => networks === null || !isListed(networks, address));
  // One is enough: else it would depend on chance which one is called.
  if (foreign.some(({ address }) => !isPublic(address))) throw refused("address_refused");
  if (foreign.length > 0 && url.protocol !== "https:" && !allowsPlain) throw refused("https_required");
  return found;
}

/** Whether the host of a URL is an address that Duba must not call. A name is checked with each delivery. */
export function isRefusedAddress(url: URL, networks: BlockList | null): boolean {
  const host = hostOf(url);
  return isIP(host) !== 0 && !isPublic(host) && !(networks !== null && isListed(networks, host));
}

/** Whether an address belongs to the public internet: private, local, reserved and embedded ones do not. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  // Of IPv6 only this part is given out. The library calls all unicast that it has no other name for, such as ::7f00:1.
  return parsed.range() === "unicast" && (parsed.kind() === "ipv4" || parsed.match(ipaddr.parseCIDR("2000::/3")));
}

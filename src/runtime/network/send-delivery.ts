import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { type BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { version } from "../version.ts";
import { isListed } from "./address.ts";
import { HttpClient, hostOf } from "./http-client.ts";

/** A body to send to a foreign endpoint. */
export interface Delivery {
  url: string;
  /** The account that owns the endpoint, or the operators. */
  owner: string;
  body: string;
  headers: Record<string, string>;
  /** False: plain HTTP is refused, except to `networks`. */
  allowsPlain: boolean;
}

/** The outcome of a delivery: an HTTP status, or a code of ours or of Node. Never text of the receiver. */
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
  /** Called with the target of a redirect, which we do not follow. */
  redirected?: (to: URL) => void;
  /** Returns all addresses of a host name. Default: the look-up of this machine. */
  addressesOfName?: (host: string, owner: string) => Promise<LookupAddress[]>;
}

export const sendTimeout = 10_000;
/** How many bytes of a response we read. Only its status matters. */
const mostRead = 64 * 1024;

/** A connection for each delivery. */
const http = new HttpClient();

/**
 * Sends a body with POST. The host is resolved once, and the connection goes to a checked address, so that no one can
 * make Duba call its own network. Neither a name whose address changes nor a redirect can do so: redirects are not
 * followed. Never rejects.
 */
export async function sendDelivery(
  { url: text, owner, body, headers, allowsPlain }: Delivery,
  { networks, timeout = sendTimeout, signal, redirected, addressesOfName = systemAddresses }: SendOptions,
): Promise<Sent> {
  const url = new URL(text);
  let size = 0;
  const sent = await http.send({
    method: "POST",
    url,
    body,
    timeout,
    signal,
    headers: { "content-type": "application/json", "user-agent": `Duba/${version}`, ...headers },
    addressesOf: async (host) => checked(await addressesOfName(host, owner), url, networks, allowsPlain),
    take: (chunk) => {
      size += chunk.length;
      return size >= mostRead ? "enough" : [];
    },
  });
  if (sent.kind !== "answered") return { delivered: false, outcome: sent.code };
  const to = redirectIn(sent.status, sent.headers.location, url);
  if (to) redirected?.(to);
  return { delivered: sent.status >= 200 && sent.status < 300, outcome: String(sent.status) };
}

/** Returns the target of a response that redirects to another web address. */
function redirectIn(status: number, location: string | undefined, from: URL): URL | undefined {
  if (status < 300 || status >= 400 || location === undefined || location.length > 2_000) return undefined;
  const to = URL.parse(location, from);
  return to && ["http:", "https:"].includes(to.protocol) ? to : undefined;
}

/**
 * Looks up names, at most `most` at a time, and at most `mostOfOne` for one owner. Equal look-ups of one owner at one
 * time share one result. Node has few threads for all names (`bin/duba.js`), and a silent name server blocks one for 20
 * s. Names of vendors need some threads as well.
 */
export function sparingLookup(
  find: (host: string) => Promise<LookupAddress[]>,
  { most, mostOfOne }: { most: number; mostOfOne: number },
): (host: string, owner: string) => Promise<LookupAddress[]> {
  const underWay = new Map<string, Promise<LookupAddress[]>>();
  const waiting: { owner: string; begin: () => void }[] = [];
  /** The owner of each running look-up. */
  const places: string[] = [];
  const fillPlaces = () => {
    for (let index = 0; index < waiting.length && places.length < most; ) {
      const { owner, begin } = waiting[index]!;
      if (places.filter((holder) => holder === owner).length >= mostOfOne) index += 1;
      else {
        waiting.splice(index, 1);
        places.push(owner);
        begin();
      }
    }
  };
  const findInTurn = async (host: string, owner: string) => {
    await new Promise<void>((begin) => {
      waiting.push({ owner, begin });
      fillPlaces();
    });
    try {
      return await find(host);
    } finally {
      places.splice(places.indexOf(owner), 1);
      fillPlaces();
    }
  };
  return (host, owner) => {
    const asked = `${owner} ${host}`;
    const found = underWay.get(asked) ?? findInTurn(host, owner).finally(() => underWay.delete(asked));
    underWay.set(asked, found);
    return found;
  };
}

const systemAddresses = sparingLookup((host) => lookup(host, { all: true }), { most: 4, mostOfOne: 2 });

/**
 * Returns the addresses of the URL's host. If Duba must not call one of them, throws an error with the reason as its
 * `code`.
 */
function checked(found: LookupAddress[], url: URL, networks: BlockList | null, allowsPlain: boolean): LookupAddress[] {
  const refused = (code: string) => Object.assign(new Error(code), { code });
  const foreign = found.filter(({ address }) => networks === null || !isListed(networks, address));
  // One refused address is enough: otherwise chance would decide whether that address is called.
  if (foreign.some(({ address }) => !isPublic(address))) throw refused("address_refused");
  if (foreign.length > 0 && url.protocol !== "https:" && !allowsPlain) throw refused("https_required");
  return found;
}

/** Whether the host of a URL is an address that Duba must not call. A name is checked at each delivery. */
export function isRefusedAddress(url: URL, networks: BlockList | null): boolean {
  const host = hostOf(url);
  return isIP(host) !== 0 && !isPublic(host) && !(networks !== null && isListed(networks, host));
}

/** The address at which a virtual machine in Azure reaches services of its host. */
const ownOfAzure = "168.63.129.16";

/** Whether an address belongs to the public internet. Private, local, reserved and embedded addresses do not. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (address === ownOfAzure) return false;
  // IPv6 addresses are assigned from this range only. The library calls every otherwise unnamed address unicast, such
  // as ::7f00:1.
  return parsed.range() === "unicast" && (parsed.kind() === "ipv4" || parsed.match(ipaddr.parseCIDR("2000::/3")));
}

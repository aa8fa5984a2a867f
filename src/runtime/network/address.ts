import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

/**
 * Returns the part of an address that a subscriber cannot cheaply change: the whole IPv4 address, or the /64 network of
 * an IPv6 address, because a single host owns all 2^64 addresses of it.
 */
export function subscriberOf(address: string): string {
  const mapped = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return isIPv4(mapped) || !isIPv6(address) ? mapped : networkOf(address, 4);
}

/** The /48 network of an IPv6 address, which one customer may well own; undefined for any other address. */
export function siteOf(address: string): string | undefined {
  return isIPv6(address) && !/^::ffff:\d+\./i.test(address) ? networkOf(address, 3) : undefined;
}

/** A /48 site holds 65,536 subscribers. This many times the limit of one subscriber applies to the whole site. */
export const subscribersOfSite = 10;

/** Whether a host can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return /^(?:127\.|::1$|localhost$)/.test(host);
}

/** Returns the URL at which this machine reaches a service that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Whether a text is an IP address or a network: `203.0.113.7`, `10.0.0.0/8`, `2001:db8::/32`. */
export function isNetwork(text: string): boolean {
  return networkIn(text) !== undefined;
}

/** Networks without a public address: private, shared, loopback, link-local, and those of documents and benchmarks. */
const closedNetworks = [
  ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"],
  "168.63.129.16/32",
  ...["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "198.18.0.0/15"],
  ...["fc00::/7", "fe80::/10", "::1/128", "2001:db8::/32"],
];

/**
 * Whether an address is never used on the public internet. For a network: whether that is true of each of its
 * addresses.
 */
export function isClosed(entry: string): boolean {
  const width = widthOf(entry);
  const [address = ""] = entry.split("/");
  return closedNetworks.some((network) => widthOf(network) <= width && isListed(addressList([network])!, address));
}

/** Returns how many leading bits the addresses of a network share. A single address has all of its bits. */
export function widthOf(entry: string): number {
  const { prefix, family } = networkIn(entry)!;
  return prefix ?? (family === "ipv4" ? 32 : 128);
}

/** Compiles addresses and networks for `isListed`; null for an empty list. Throws if `isNetwork` refuses an entry. */
export function addressList(entries: readonly string[]): BlockList | null {
  if (entries.length === 0) return null;
  const list = new BlockList();
  for (const entry of entries) {
    const network = networkIn(entry);
    if (!network) throw new RangeError("An entry is neither an IP address nor a network.");
    const { address, prefix, family } = network;
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, prefix, family);
  }
  return list;
}

/** Whether the list contains the address. An IPv4 address also matches in its IPv6 form `::ffff:10.0.0.1`. */
export function isListed(list: BlockList, address: string): boolean {
  const [plain = ""] = address.split("%");
  return list.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
}

function networkOf(address: string, groups: number): string {
  const [head = [], tail = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill("0");
  const network = [...head, ...zeros, ...tail].slice(0, groups).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/${groups * 16}`;
}

function networkIn(text: string) {
  const [, address = "", prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0 || Number(prefix ?? 0) > (version === 4 ? 32 : 128)) return undefined;
  return {
    address,
    prefix: prefix === undefined ? undefined : Number(prefix),
    family: version === 4 ? ("ipv4" as const) : ("ipv6" as const),
  };
}

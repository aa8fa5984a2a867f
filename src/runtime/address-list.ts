import { BlockList, isIP, isIPv6 } from "node:net";

/** Whether a text is an IP address or a network: `203.0.113.7`, `10.0.0.0/8`, `2001:db8::/32`. */
export function isNetwork(text: string): boolean {
  return networkIn(text) !== undefined;
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

/** Whether the list contains the address. An IPv4 address counts in its IPv6 form `::ffff:10.0.0.1` too. */
export function isListed(list: BlockList, address: string): boolean {
  const [plain = ""] = address.split("%");
  return list.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
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

import { BlockList, isIP, isIPv6 } from "node:net";
import { AccessFault } from "../access-fault.ts";

/**
 * Compiles allowed addresses (`203.0.113.7`, `10.0.0.0/8`, `2001:db8::/32`) for `isListed`; null for an empty list,
 * which allows every address. Throws an `AccessFault` that names the first bad entry.
 */
export function addressList(entries: readonly string[]): BlockList | null {
  if (entries.length === 0) return null;
  const list = new BlockList();
  for (const entry of entries) {
    const [, address = "", prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const version = isIP(address);
    if (version === 0 || Number(prefix ?? 0) > (version === 4 ? 32 : 128)) {
      throw new AccessFault(`"${entry}" is neither an IP address nor a network such as 10.0.0.0/8 or 2001:db8::/32.`);
    }
    const family = version === 4 ? "ipv4" : "ipv6";
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** True if the address is on the list. An IPv4 address counts as itself also in its IPv6 form `::ffff:10.0.0.1`. */
export function isListed(list: BlockList, address: string): boolean {
  const [plain = ""] = address.split("%");
  return list.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
}

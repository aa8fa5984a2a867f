import { isNetwork } from "../../runtime/address-list.ts";
import { AccessFault } from "../access-fault.ts";

/** Throws an `AccessFault` that names the first entry that is neither an IP address nor a network. */
export function checkAddresses(entries: readonly string[]): void {
  const bad = entries.find((entry) => !isNetwork(entry));
  if (bad !== undefined)
    throw new AccessFault(`"${bad}" is neither an IP address nor a network such as 10.0.0.0/8 or 2001:db8::/32.`);
}

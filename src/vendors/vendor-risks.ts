import { isIP } from "node:net";
import type { Setting } from "../declare/setting.ts";
import { isClosed, isLoopback } from "../runtime/network/address.ts";
import type { VendorValues } from "./ports/vendor.ts";

/** Returns a sentence for each setting that is dangerous when set by mistake, by the setting's name. */
export function vendorRisks(
  { name: vendor, settings }: { name: string; settings: Readonly<Record<string, Setting<string>>> },
  values: VendorValues,
  isRehearsal: boolean,
): Record<string, string> {
  const risks: Record<string, string> = {};
  for (const [member, { name, secret }] of Object.entries(settings)) {
    const value = values[member]!;
    if (member === "url" && isClearAndPublic(value))
      risks[name] =
        `${name} begins with http://, so what is sent to ${vendor} and what it answers cross the internet in clear text. Set it to the https:// address.`;
    if (secret && !isRehearsal && isTestKey(value))
      risks[name] =
        `${name} looks like a test key of ${vendor}, whose people and prices are invented. Set it to a live key.`;
  }
  return risks;
}

/** Whether a URL is unencrypted and outside the operator's own networks. */
function isClearAndPublic(address: string): boolean {
  const { protocol = "", hostname = "" } = URL.parse(address) ?? {};
  if (protocol !== "http:") return false;
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host)) return !isClosed(host);
  return !isLoopback(host) && host.includes(".") && !/\.(?:internal|local|localhost|lan|svc|home\.arpa)$/.test(host);
}

/** Whether a key is marked as a test key, as `sk_test_…` and `test_sk_…` are. */
function isTestKey(key: string): boolean {
  return /(?:^|_)(?:test|sandbox)_/i.test(key);
}

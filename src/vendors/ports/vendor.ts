import type { CheckInput } from "../../checks/check.ts";
import type { Setting } from "../../declare/setting.ts";
import type { Log } from "../../runtime/log.ts";
import type { VendorClient } from "../vendor-client.ts";
import type { IdentityUpstream } from "./identity-upstream.ts";

/** What every vendor needs to open. */
export interface VendorParts {
  http: VendorClient;
  log: Log;
}

/** Settings of a vendor by member name. */
export type VendorValues<Names extends string = string> = Readonly<Record<Names, string>>;

/** What identity vendors and catalogue sources have in common. */
export interface Adapter<Names extends string, Opened> {
  /** The vendor's name in settings, the ledger, the catalogue's history and logs. */
  name: string;
  /** As people write it. Default: the name with a capital. */
  title?: string;
  /** One line, which says how far the adapter was tried. */
  about: string;
  /** The operator must set each one without a default that is not `optional`. */
  settings: Readonly<Record<Names, Setting<string>>>;
  /** Loads what it needs then: a start opens few of all vendors. */
  open(values: VendorValues<Names>, parts: VendorParts): Promise<Opened>;
}

export interface VendorTerms {
  /** Milliseconds for one attempt if DUBA_UPSTREAM_TIMEOUT is not set. Absent: the default of that setting. */
  timeout?: number;
  /** The vendor's own published test number, which belongs to no real person. Whoever asks loads what it needs. */
  testInput?: () => Promise<CheckInput>;
}

/** A live identity vendor, with which the operator has an account. */
export type Vendor = Adapter<string, IdentityUpstream> & VendorTerms;

/** Declares a vendor. The members of `settings` give `open` its type. */
export const vendor = <Names extends string>(specification: Adapter<Names, IdentityUpstream> & VendorTerms) =>
  specification as Vendor;

/** Names of the settings that the operator must still set for a vendor. */
export function missingOf(vendor: Pick<Adapter<string, unknown>, "settings">, values: VendorValues): string[] {
  return Object.entries(vendor.settings)
    .filter(([member, { optional }]) => !optional && !values[member])
    .map(([, { name }]) => name);
}

/** Whether these values name an address of the vendor's trials, where everybody is invented. */
export function isSandbox({ url = "" }: VendorValues): boolean {
  return /(?:^|[.-])sandbox(?:[.-]|$)/.test(URL.parse(url)?.hostname ?? "");
}

/** A vendor's address, without a slash at its end; empty if not set. */
export const vendorUrl = {
  form: "an http:// or https:// URL without user, query or fragment",
  read(text: string): string | undefined {
    if (text === "") return text;
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
      return undefined;
    return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  },
};

/** A text that we send in a header, such as a key; empty if not set. */
export const headerText = {
  default: "",
  form: "visible ASCII characters, without a space at either end",
  read: (text: string): string | undefined => (/^([!-~]([ -~]*[!-~])?)?$/.test(text) ? text : undefined),
};

/** The same for a credential. */
export const headerSecret = { ...headerText, secret: true };

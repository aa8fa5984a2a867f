import type { CheckInput } from "../../checks/check.ts";
import type { Setting } from "../../declare/setting.ts";
import type { Log } from "../../runtime/log.ts";
import type { VendorClient } from "../vendor-client.ts";
import type { IdentityUpstream } from "./identity-upstream.ts";

/** The resources to open a vendor. */
export interface VendorParts {
  http: VendorClient;
  log: Log;
}

/** A vendor's settings by member name. */
export type VendorValues<Names extends string = string> = Readonly<Record<Names, string>>;

/** What identity vendors and catalogue sources have in common. */
export interface Adapter<Names extends string, Opened> {
  /** The vendor's name in settings, the ledger, the catalogue's history and logs. */
  name: string;
  /** The name for people. Default: `name` with a capital. */
  title?: string;
  /** One line, which says how far the adapter was tested. */
  about: string;
  /** The operator must set each setting without a default, except optional ones. */
  settings: Readonly<Record<Names, Setting<string>>>;
  /** Imports the vendor's code only when it is called, because a start opens only few of the vendors. */
  open(values: VendorValues<Names>, parts: VendorParts): Promise<Opened>;
}

export interface VendorTerms {
  /** Milliseconds for one attempt, unless DUBA_UPSTREAM_TIMEOUT is set. Absent: that setting's default. */
  timeout?: number;
  /** The vendor's published test number, which belongs to no real person. Loaded on demand. */
  testInput?: () => Promise<CheckInput>;
}

/** A vendor of identity records, at which the operator has an account. */
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

/** Whether the URL is the vendor's sandbox, where all people are invented. */
export function isSandbox({ url = "" }: VendorValues): boolean {
  return /(?:^|[.-])sandbox(?:[.-]|$)/.test(URL.parse(url)?.hostname ?? "");
}

/** A vendor's URL, stored without a slash at its end; empty if not set. */
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

/** A credential that we send in a header; empty if not set. */
export const headerSecret = { ...headerText, secret: true };

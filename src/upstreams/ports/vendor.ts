import type { Setting } from "../../operation/setting.ts";
import type { Log } from "../../runtime/log.ts";
import type { HttpClient } from "../http-client.ts";
import type { AskedPerson, IdentityUpstream } from "./identity-upstream.ts";

/** What a vendor is opened with: the same two for all vendors. */
export interface VendorParts {
  http: HttpClient;
  log: Log;
}

/** Settings of a vendor by member name, as they were read. */
export type VendorValues<Names extends string = string> = Readonly<Record<Names, string>>;

interface Specification<Names extends string> {
  /** The word that names the vendor in settings, the ledger and logs. */
  name: string;
  /** One line, with the label that says how far it was tried. */
  about: string;
  /** Every one is needed: an empty text means that it is not given, so an optional one has a default. */
  settings: Readonly<Record<Names, Setting<string>>>;
  /** Milliseconds that it may take for a question unless DUBA_UPSTREAM_TIMEOUT says otherwise; that setting's default if absent. */
  timeout?: number;
  /** The vendor's own published test number, which it answers without a real person's data. */
  testQuestion?: AskedPerson;
  open(values: VendorValues<Names>, parts: VendorParts): IdentityUpstream;
}

/** A live identity source that the operator can bring an account for. */
export type Vendor = Specification<string>;

/** Declares a vendor; `open` is typed by the members of `settings`. */
export const vendor = <Names extends string>(specification: Specification<Names>) => specification as Vendor;

/** Names of the environment variables that a vendor still needs; empty: it is configured. */
export function missingOf(vendor: Pick<Vendor, "settings">, values: VendorValues): string[] {
  return Object.entries(vendor.settings)
    .filter(([member]) => !values[member])
    .map(([, { name }]) => name);
}

/** The form of a vendor's address; empty: not given. Read without a slash at its end. */
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

/** The form of what is sent in a header, such as a key; empty: not given. */
export const headerText = {
  form: "visible ASCII characters, without a space at either end",
  read: (text: string): string | undefined => (/^([!-~]([ -~]*[!-~])?)?$/.test(text) ? text : undefined),
};

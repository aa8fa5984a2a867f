import { blusalt } from "./blusalt/index.ts";
import { dojah } from "./dojah/index.ts";
import { korapay } from "./korapay/index.ts";
import { peer } from "./peer/index.ts";
import type { Vendor } from "./ports/vendor.ts";
import { prembly } from "./prembly/index.ts";
import { qoreid } from "./qoreid/index.ts";
import { seamfix } from "./seamfix/index.ts";
import { youverify } from "./youverify/index.ts";

const builtIn: readonly Vendor[] = [blusalt, dojah, korapay, peer, prembly, qoreid, seamfix, youverify];

/** Settings and commands are made from the list of vendors, so the operator's files are read first. */
const folder = process.env.DUBA_VENDOR_FILES ?? "";
const own = folder === "" ? undefined : (await import("./files/vendor-files.ts")).vendorFilesIn(folder);

/** The operator's folder, and the problems of its files. */
export const vendorFiles = { folder, names: own?.vendors.map(({ name }) => name) ?? [], problems: own?.problems ?? [] };

/** All live vendors. The sandbox is not one of them: only test keys reach it. */
export const vendors: readonly Vendor[] = own
  ? [...builtIn.filter(({ name }) => !vendorFiles.names.includes(name)), ...own.vendors].sort(byName)
  : builtIn;

function byName(one: Vendor, other: Vendor): number {
  return one.name < other.name ? -1 : 1;
}

/** The vendor's name for people: "Dojah". */
export function vendorTitle(name: string): string {
  return vendors.find((each) => each.name === name)?.title ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

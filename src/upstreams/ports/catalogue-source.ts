import type { Setting } from "../../operation/setting.ts";
import type { VendorParts, VendorValues } from "./vendor.ts";

interface Provider {
  type: string;
  id?: number;
  name: string;
  narration: string;
  image: string;
}

interface DataBundle {
  type: string;
  code: string;
  description: string;
  amount: string;
  price: string;
  value: string;
  duration: string;
}

interface CorporateBundle {
  code: string;
  description: string;
}

interface CableProduct {
  id?: number;
  type: string;
  code: string;
  name: string;
  description: string;
  price: string;
  amount: string;
}

interface CableAddOn {
  type: string;
  product_code: string;
  add_on_product_code: string;
  name: string;
  price: string;
}

/**
 * The lists of a catalogue, entries with the members of the interface document in their order. Money is naira
 * text; empty where the source gives no price that could be one. An entry may be there twice: the first one counts.
 */
export interface CatalogueLists {
  "data-providers": Provider[];
  "data-bundles": DataBundle[];
  "corporate-bundles": CorporateBundle[];
  "cable-providers": Provider[];
  "cable-products": CableProduct[];
  "cable-add-ons": CableAddOn[];
}

/**
 * Why a source gave nothing.
 * - `unreachable`: no answer in time, or one that says that it does not work now.
 * - `refused_credentials`: it does not take ours.
 * - `unreadable`: an answer that is no JSON, too large, of another shape, or of other content than was asked for.
 * - `incomplete`: something that it names, or must have, is not there.
 */
export type PullFault = "unreachable" | "refused_credentials" | "unreadable" | "incomplete";

/** What a source says of its own lists, if it follows another one. */
export interface Origin {
  /** When they were last as there, in milliseconds since 1970; null if it does not say. */
  asOf: number | null;
  /** Whether it calls them stale. */
  isStale: boolean;
}

/** All that a source covers, or nothing. Sentences are ours: a vendor's text is never in them, its codes may be. */
export type Pulled =
  | {
      kind: "whole";
      lists: Partial<CatalogueLists>;
      /** What the source has and the lists cannot hold, in sentences. */
      leftOut: readonly string[];
      origin?: Origin;
    }
  | {
      kind: PullFault;
      sentence: string;
      /** Milliseconds that the source asks to be left alone. */
      retryAfter?: number;
    };

/** Asks a source for everything. Never rejects, takes a bounded memory, and ends soon after the signal does. */
export type Pull = (signal: AbortSignal) => Promise<Pulled>;

interface Specification<Names extends string> {
  /** The word that names the source in settings, the history and logs. */
  name: string;
  /** One line, with the label that says how far it was tried. */
  about: string;
  /** Every one is needed: an empty text means that it is not given, so an optional one has a default. */
  settings: Readonly<Record<Names, Setting<string>>>;
  /** The lists that it gives, all of them in every pull. All others are left as they are. */
  covers: readonly (keyof CatalogueLists)[];
  open(values: VendorValues<Names>, parts: VendorParts): Pull;
}

/** A source of what can be bought, that the operator can bring an account for. */
export type CatalogueSource = Specification<string>;

/** Declares a source; `open` is typed by the members of `settings`. */
export const catalogueSource = <Names extends string>(specification: Specification<Names>) =>
  specification as CatalogueSource;

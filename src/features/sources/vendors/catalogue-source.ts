import type { CatalogueLists, ListName } from "../../../lists/index.ts";
import type { Adapter } from "../../../vendors/ports/vendor.ts";

/**
 * Why a pull failed.
 * - `unreachable`: no response in time, or one that says that the source does not work now.
 * - `refused_credentials`: the source refused our credentials.
 * - `unreadable`: the response is not JSON, is too large, or has an unexpected shape or content.
 * - `incomplete`: an entry or a list that the source names does not exist there.
 */
export type PullError = "unreachable" | "refused_credentials" | "unreadable" | "incomplete";

/** A source's statement about the age of its own lists, if the source follows another one. */
export interface Origin {
  /** When the source last updated its lists, in milliseconds since 1970; null if it does not say. */
  asOf: number | null;
  /** Whether the source calls its lists stale. */
  isStale: boolean;
}

/**
 * Everything that a source covers, or nothing. The sentences are Duba's own. They may contain a vendor's codes, never
 * its text.
 */
export type Pulled =
  | {
      kind: "whole";
      lists: Partial<CatalogueLists>;
      /** The lists that the source covers, but that its server does not have. The catalogue keeps its own. */
      lacks?: readonly ListName[];
      /**
       * Sentences about what the pull leaves out: entries that our lists cannot contain, fees that no price includes,
       * lists.
       */
      leftOut: readonly string[];
      origin?: Origin;
    }
  | {
      kind: PullError;
      sentence: string;
      /** Milliseconds for which the source wants no requests. */
      retryAfter?: number;
    };

/** Requests everything from a source. Never rejects, uses bounded memory, and ends soon after the signal aborts. */
export type Pull = (signal: AbortSignal) => Promise<Pulled>;

interface Covers {
  /** The lists in every pull. A pull does not change other lists. */
  covers: readonly ListName[];
  /** Milliseconds that must lie between two pulls, whatever the operator set: for a source that wants few requests. */
  pace?: number;
}

/** A vendor of catalogue entries, with which the operator has an account. */
export type CatalogueSource = Adapter<string, Pull> & Covers;

/** Declares a source. The members of `settings` give `open` its type. */
export const catalogueSource = <Names extends string>(source: Adapter<Names, Pull> & Covers) =>
  source as CatalogueSource;

import { LRUCache } from "lru-cache";
import { type ListName, listNames } from "../model/lists.ts";
import { emptySnapshot, type Snapshot, type Stamp, stampOf, stampOfAll } from "../model/snapshot.ts";
import type { Body, LaterBody } from "./body.ts";
import { prepareBundles } from "./bundle-list.ts";
import { type Freshness, noFreshness } from "./freshness.ts";
import { Response } from "./response.ts";

/** Responses that repeat a code in a spelling of the caller's: anybody can make those up. */
const KEPT_SPELLINGS = 500;
/** Bytes of bodies kept for accounts with prices of their own, all of them together. */
const KEPT_BYTES = 64 * 2 ** 20;
/** What a body takes: its parts, the joined body, compressed forms. */
const COST_PER_BYTE = 2.5;
const COST_PER_ENTRY = 2_000;

/** Lists that answer callers without a credential. */
const open: readonly ListName[] = ["data-bundles", "cable-providers", "cable-products", "cable-add-ons"];

/** How to make a response that is not kept yet. */
export interface Recipe {
  readonly list: ListName;
  /** The group that the response lists; the whole list unless named. */
  readonly key?: string;
  /** Everything that the body shows. The response is kept as long as these are the same objects. */
  readonly parts: readonly unknown[];
  /** When the parts changed last, if they are more than the group. */
  readonly stamp?: Stamp;
  readonly write: () => Body | LaterBody;
}

interface Kept {
  readonly parts: readonly unknown[];
  readonly stamp: Stamp;
  readonly response: Response;
}

type Shelves = Readonly<Record<ListName, Map<string, Kept>>>;

/**
 * The snapshot that is served, and the responses made of it: each on first use. A response outlives revisions that change
 * nothing of its parts.
 */
export class ResponseCache {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly #freshnessOf: (list: ListName) => Freshness;
  readonly #spelled = new LRUCache<string, Kept>({ max: KEPT_SPELLINGS });
  readonly #own: LRUCache<string, Kept>;
  #snapshot: Snapshot = emptySnapshot;
  #shelves: Shelves = emptyShelves();
  /** Those of the snapshot before. */
  #earlier: Shelves = this.#shelves;

  constructor(
    now: () => number,
    freshnessOf: (list: ListName) => Freshness = () => noFreshness,
    keptBytes: number = KEPT_BYTES,
  ) {
    this.now = now;
    this.#freshnessOf = freshnessOf;
    this.#own = new LRUCache({ maxSize: keptBytes });
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Responses kept at the moment, but for those of accounts with prices of their own. */
  get kept(): number {
    return listNames.reduce((sum, list) => sum + this.#shelves[list].size, this.#spelled.size);
  }

  /** Bytes kept for accounts with prices of their own, as they are counted. */
  get ownBytes(): number {
    return this.#own.calculatedSize;
  }

  /** Prepares what takes long, then serves the snapshot. */
  async prepare(snapshot: Snapshot): Promise<void> {
    await prepareBundles(snapshot);
    this.serve(snapshot);
  }

  serve(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#earlier = this.#shelves;
    this.#shelves = emptyShelves();
  }

  /** A response of the present snapshot in the catalogue's prices, if it was made before. */
  find(list: ListName, name: string): Response | undefined {
    return this.#shelves[list].get(name)?.response;
  }

  /** A response in the catalogue's prices and spelling. `name` is for `find`. */
  common(name: string, recipe: Recipe): Response {
    const shelf = this.#shelves[recipe.list];
    const known = shelf.get(name);
    if (known) return known.response;
    const earlier = this.#earlier[recipe.list].get(name);
    const kept = earlier && this.#isCurrent(earlier, recipe) ? earlier : this.#make(recipe);
    shelf.set(name, kept);
    return kept.response;
  }

  /** A response that repeats the caller's spelling. */
  spelled(name: string, recipe: Recipe): Response {
    const known = this.#spelled.get(name);
    if (known && this.#isCurrent(known, recipe)) return known.response;
    const kept = this.#make(recipe);
    this.#spelled.set(name, kept);
    return kept.response;
  }

  /** A response in an account's own prices. They are among the parts. */
  own(accountId: string, name: string, recipe: Recipe): Response {
    const key = `${accountId} ${recipe.list} ${name}`;
    const known = this.#own.get(key);
    if (known && isMadeOf(known, recipe)) return known.response;
    const body = recipe.write();
    // The list changed for the account when its prices did.
    const stamp = stampOfAll([this.#stampOf(recipe), this.#snapshot.stamps.prices.get(accountId)!]);
    const kept = this.#make({ ...recipe, stamp, write: () => body });
    this.#own.set(key, kept, { size: Math.ceil(body.size * COST_PER_BYTE) + COST_PER_ENTRY });
    return kept.response;
  }

  #make(recipe: Recipe): Kept {
    const { list, parts, write } = recipe;
    const stamp = this.#stampOf(recipe);
    const { revision, publishedAt } = stamp;
    const description = { revision, publishedAt, open: open.includes(list), freshness: this.#freshnessOf(list) };
    return { parts, stamp, response: new Response(write(), description) };
  }

  /** An empty list is as old as what it belongs to, which may have changed. */
  #isCurrent(kept: Kept, recipe: Recipe): boolean {
    const { revision, publishedAt } = this.#stampOf(recipe);
    return isMadeOf(kept, recipe) && kept.stamp.revision === revision && kept.stamp.publishedAt === publishedAt;
  }

  #stampOf({ list, key = "", stamp }: Recipe): Stamp {
    return stamp ?? stampOf(this.#snapshot, list, key);
  }
}

function emptyShelves(): Shelves {
  return Object.fromEntries(listNames.map((list) => [list, new Map()])) as unknown as Shelves;
}

function isMadeOf(kept: Kept, { parts }: Recipe): boolean {
  return kept.parts.every((part, at) => part === parts[at]);
}

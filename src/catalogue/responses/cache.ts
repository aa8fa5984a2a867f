import { declaredList, type ListName } from "../../lists/index.ts";
import { recent } from "../../runtime/recent.ts";
import type { EntryContent } from "../model/lists.ts";
import { groupJoined, isGroup, type PriceList, priceListOf } from "../model/price-lists.ts";
import { emptySnapshot, groupIn, type Snapshot, type Stamp, stampOf, stampOfAll } from "../model/snapshot.ts";
import { availableIn } from "../model/supply.ts";
import { Body, type LaterBody } from "./body.ts";
import { prepareBundles } from "./bundle-list.ts";
import { type Freshness, noFreshness } from "./freshness.ts";
import { Response } from "./response.ts";

/** The most responses in callers' own spellings, which anybody can invent. */
const MOST_SPELLINGS = 500;
/** The most bytes of all responses in prices of accounts. */
const MOST_BYTES = 64 * 2 ** 20;
/** Memory per byte of a body: its parts, the joined body, and compressed forms. */
const COST_PER_BYTE = 2.5;
const COST_PER_ENTRY = 2_000;

/** How to make a response. */
export interface ResponseSpec {
  readonly list: ListName;
  /** Identifies the response among those of its operation. */
  readonly name: string;
  /** The group that the response lists; the whole list unless given. */
  readonly key?: string;
  /** All data that the body shows. The cache keeps the response as long as these objects stay identical. */
  readonly parts: readonly unknown[];
  /** The last change of the parts, if the body shows more than the group. */
  readonly stamp?: Stamp;
  /** Whether the body repeats codes in the caller's spelling. */
  readonly variesBySpelling?: boolean;
  readonly write: (prices?: PriceList) => Body | LaterBody;
}

interface CacheEntry {
  readonly parts: readonly unknown[];
  readonly stamp: Stamp;
  readonly response: Response;
}

/** The entries of each operation, by the names of its responses. */
type Entries = Map<string, Map<string, CacheEntry>>;

/**
 * The served snapshot and its responses, each made on first use. A response survives revisions that do not change its
 * parts.
 */
export class ResponseCache {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly #freshnessOf: (list: ListName) => Freshness;
  readonly #bySpelling = recent<CacheEntry>(MOST_SPELLINGS);
  readonly #priced = recent<CacheEntry>(MOST_BYTES);
  #snapshot: Snapshot = emptySnapshot;
  #current: Entries = new Map();
  /** The entries of the previous snapshot. */
  #previous: Entries = this.#current;

  constructor(now: () => number, freshnessOf: (list: ListName) => Freshness = () => noFreshness) {
    this.now = now;
    this.#freshnessOf = freshnessOf;
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Writes the bundle lists, then serves the snapshot. */
  async prepare(snapshot: Snapshot): Promise<void> {
    await prepareBundles(snapshot);
    this.serve(snapshot);
  }

  serve(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#previous = this.#current;
    this.#current = new Map();
  }

  /**
   * The response of an operation for a caller, in the account's own prices if there are any. Calls `specOf` for an
   * account that has or had prices, and if the operation has no response under `name`. The spec may have another name,
   * for example for a caller's spelling of a code.
   */
  pick<Asked>(
    operation: string,
    name: string,
    caller: { readonly accountId: string } | null,
    asked: Asked,
    specOf: (responses: ResponseCache, asked: Asked) => ResponseSpec,
  ): Response {
    // An account without prices has a stamp if it had prices before.
    if (caller !== null && this.#snapshot.stamps.prices.has(caller.accountId))
      return this.#inPrices(operation, caller.accountId, specOf(this, asked));
    return this.#current.get(operation)?.get(name)?.response ?? this.#shared(operation, specOf(this, asked));
  }

  /** The response of an operation that shows a whole list, the same for all callers. */
  pickList(operation: string, list: ListName, write: (contents: readonly EntryContent[]) => string): Response {
    const known = this.#current.get(operation)?.get("");
    if (known) return known.response;
    const group = groupIn(this.#snapshot, list);
    const body = () => new Body([Buffer.from(write(availableIn(group).map(({ content }) => content)))]);
    return this.#shared(operation, { list, name: "", parts: [group], write: body });
  }

  /** A response in the catalogue's prices. */
  #shared(operation: string, spec: ResponseSpec): Response {
    const entries = spec.variesBySpelling ? this.#bySpelling : this.#currentOf(operation);
    const name = spec.variesBySpelling ? `${operation} ${spec.name}` : spec.name;
    const known = entries.get(name) ?? this.#previous.get(operation)?.get(name);
    const stamp = this.#stampOf(spec);
    // An empty list is as old as its parent, which may have changed.
    const isCurrent = known && isMadeOf(known, spec.parts) && isSameStamp(known.stamp, stamp);
    const entry = isCurrent ? known : this.#make(spec.list, spec.parts, stamp, spec.write());
    entries.set(name, entry);
    return entry.response;
  }

  #currentOf(operation: string): Map<string, CacheEntry> {
    const entries = this.#current.get(operation) ?? new Map<string, CacheEntry>();
    this.#current.set(operation, entries);
    return entries;
  }

  #inPrices(operation: string, accountId: string, spec: ResponseSpec): Response {
    const { list } = spec;
    const prices = priceListOf(this.#snapshot, accountId);
    const name = `${accountId} ${operation} ${spec.name}`;
    const parts = [...spec.parts, prices];
    const known = this.#priced.get(name);
    if (known && isMadeOf(known, parts)) return known.response;
    const deciding = spec.key === undefined ? prices : prices.touching(list, spec.key.split(" ", 1)[0]!);
    const isOwn = deciding !== undefined && !isGroup(deciding.holder);
    const body = isOwn ? spec.write(prices) : this.#bodyFor(operation, spec, deciding);
    // The list changed for the account when its prices or its group's prices did.
    const stamps = [accountId, groupJoined(this.#snapshot, accountId)].flatMap(
      (holder) => this.#snapshot.stamps.prices.get(holder ?? "") ?? [],
    );
    const entry = this.#make(list, parts, stampOfAll([this.#stampOf(spec), ...stamps]), body);
    this.#priced.set(name, entry, { size: COST_PER_ENTRY + (isOwn ? memoryOf(body) : 0) });
    return entry.response;
  }

  /** The body that all members of a group share. Without a group whose rules decide, all callers share the body. */
  #bodyFor(operation: string, spec: ResponseSpec, group: PriceList | undefined): Body | LaterBody {
    if (group === undefined) return this.#shared(operation, spec).body!;
    const name = `${group.holder} ${operation} ${spec.name}`;
    const parts = [...spec.parts, group];
    const known = this.#priced.get(name);
    if (known && isMadeOf(known, parts)) return known.response.body!;
    const body = spec.write(group);
    const entry = this.#make(spec.list, parts, this.#stampOf(spec), body);
    this.#priced.set(name, entry, { size: COST_PER_ENTRY + memoryOf(body) });
    return body;
  }

  #make(list: ListName, parts: readonly unknown[], stamp: Stamp, body: Body | LaterBody): CacheEntry {
    const { revision, publishedAt } = stamp;
    const description = {
      revision,
      publishedAt,
      open: declaredList(list).isOpen === true,
      freshness: this.#freshnessOf(list),
    };
    return { parts, stamp, response: new Response(body, description) };
  }

  #stampOf({ list, key, stamp }: ResponseSpec): Stamp {
    return stamp ?? stampOf(this.#snapshot, list, key);
  }
}

function memoryOf({ size }: Body | LaterBody): number {
  return Math.ceil(size * COST_PER_BYTE);
}

function isMadeOf(entry: CacheEntry, parts: readonly unknown[]): boolean {
  return entry.parts.every((part, at) => part === parts[at]);
}

function isSameStamp(one: Stamp, other: Stamp): boolean {
  return one.revision === other.revision && one.publishedAt === other.publishedAt;
}

import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import type { Engine } from "../../test/support/engines.ts";
import { freshStore } from "../../test/support/fresh-store.ts";
import type { ReadyForm, ReadyResponse } from "../declare/answers/ready-response.ts";
import type { Caller, Operation } from "../declare/operation.ts";
import { openStore, type Store } from "../storage/store.ts";
import type { Db } from "../storage/tables.ts";
import type { Catalogue, OpenCatalogue } from "./catalogue.ts";
import { type Change, difference, revisedBy } from "./document/difference.ts";
import { withLists } from "./document/replace-lists.ts";
import { type Guard, usualGuard } from "./guard/guard.ts";
import { type Document, emptySnapshot, itemIn, type Snapshot, withEntries } from "./model/snapshot.ts";
import { fetchCablePlans } from "./operations/fetchCablePlans.ts";
import { fetchCableProviders } from "./operations/fetchCableProviders.ts";
import { fetchDataProviders } from "./operations/fetchDataProviders.ts";
import { fetchTvAddOns } from "./operations/fetchTvAddOns.ts";
import { listCorporateBundles } from "./operations/listCorporateBundles.ts";
import { lookupDataBundles } from "./operations/lookupDataBundles.ts";
import { ResponseCache } from "./responses/cache.ts";
import type { About } from "./revisions/draft.ts";
import type { Publisher } from "./revisions/expected.ts";
import { newestSnapshot } from "./revisions/load.ts";
import { type PublishOutcome, publish } from "./revisions/publish.ts";
import type { Plan } from "./revisions/review.ts";
import { readStarter } from "./starter.ts";

/** What the catalogue's tests share. */

/** The starter catalogue as revision 1 of 31 January 2026. */
export async function starterSnapshot(): Promise<Snapshot> {
  const first = { ...emptySnapshot, revision: 1, publishedAt: Date.UTC(2026, 0, 31), changes: 1 };
  return revised(first, await withLists(emptySnapshot, await readStarter()));
}

/** Makes this document the content of a new revision. The new snapshot keeps the number and time of the given one. */
export async function revised(snapshot: Snapshot, document: Document): Promise<Snapshot> {
  const changes = await difference(snapshot, document);
  return revisedBy(snapshot, document, changes, snapshot);
}

/** Makes these changes to the content of a snapshot, like `revised`. */
export async function applyChanges(snapshot: Snapshot, changes: readonly Change[]): Promise<Snapshot> {
  const edits = changes.map(({ subject, key, new: content }) => ({ subject, key, content }));
  return revised(snapshot, await withEntries(snapshot, edits));
}

/** The responses to callers from one snapshot. Instances that share a cache stand for revisions of one process. */
export class CatalogueResponses {
  readonly #snapshot: Snapshot;
  readonly #cache: ResponseCache;

  constructor(snapshot: Snapshot, cache: ResponseCache) {
    this.#snapshot = snapshot;
    this.#cache = cache;
  }

  dataBundles = (provider?: string, accountId?: string) =>
    this.pick(lookupDataBundles, provider === undefined ? {} : { provider }, accountId);
  corporateBundles = () => this.pick(listCorporateBundles);
  dataProviders = () => this.pick(fetchDataProviders);
  cableProviders = () => this.pick(fetchCableProviders);
  cablePlans = (type: string, accountId?: string) => this.pick(fetchCablePlans, { type }, accountId);
  addOns = (type: string, productCode: string, accountId?: string) =>
    this.pick(fetchTvAddOns, { type, productCode }, accountId);

  get responses(): ResponseCache {
    if (this.#cache.snapshot !== this.#snapshot) this.#cache.serve(this.#snapshot);
    return this.#cache;
  }

  pick(operation: Operation<Catalogue>, input: Record<string, string> = {}, accountId?: string): ReadyResponse {
    return pickFrom(this, operation, input, accountId);
  }
}

export function answersOf(snapshot: Snapshot, now: () => number): CatalogueResponses {
  return new CatalogueResponses(snapshot, new ResponseCache(now));
}

/** Rows of a shipped starter file, with the members of the file. */
export function starterRows(file: string): Record<string, string | number>[] {
  return JSON.parse(readFileSync(new URL(`../../data/starter/${file}`, import.meta.url), "utf8"));
}

/** Returns what an operation picks for an account, or for an anonymous caller. */
export function pickFrom(
  catalogue: Pick<Catalogue, "responses">,
  operation: Operation<Catalogue>,
  input: Record<string, string> = {},
  accountId?: string,
): ReadyResponse {
  if (!operation.pick) throw new Error(`${operation.id} picks nothing`);
  const caller = accountId === undefined ? null : ({ accountId } as Caller);
  const call = { input, headers: {}, caller, requestId: "test", address: "127.0.0.1" };
  return operation.pick(call, catalogue as Catalogue, operation.id);
}

/** Returns the uncompressed form, which exists as soon as the body does. */
export function plainForm(answer: ReadyResponse, shared = false): ReadyForm {
  const form = answer.form("identity", shared);
  if (form instanceof Promise) throw new Error("the identity form has to be waited for");
  return form;
}

/** The response's JSON text. */
export function textOf(answer: ReadyResponse): string {
  return plainForm(answer).body.toString();
}

export function headerOf(form: ReadyForm, name: string): string | undefined {
  const place = form.headers.findIndex((header, index) => index % 2 === 0 && header === name);
  return place === -1 ? undefined : form.headers[place + 1];
}

/** A guard that holds no price because it moves far, and no removal because of its share of a list. */
export const looseGuard: Guard = { removal: 1, factor: 1e18, mean: 1e18 };

/** A store of its own, with the parts that publishing needs. */
export interface TestStore {
  readonly db: Db;
  readonly settings: { dataDirectory: string; databaseUrl?: string };
  /** Makes a publisher that keeps its own newest snapshot, like another process. Its connection is the shared one. */
  publisher(changes?: Partial<Publisher>): Publisher;
  /** Opens the store again, as another process does. */
  beside(): Promise<Store>;
  close(): Promise<void>;
}

/** A store for publishing, which is closed and removed after the test. Without a test, call `close`. */
export async function publishingStore(t: TestContext | undefined, engine: Engine): Promise<TestStore> {
  const fresh = await freshStore(undefined, engine, { serving: false });
  const { store, settings } = fresh;
  const others: Promise<Store>[] = [];
  const close = async () => {
    for (const other of others) await (await other).close();
    await fresh.close();
  };
  t?.after(close);
  return {
    db: store.db,
    settings,
    publisher: (changes = {}) => publisherOf(store.db, changes),
    beside() {
      const other = openStore({ ...settings, serving: false });
      others.push(other);
      return other;
    },
    close,
  };
}

export function publisherOf(db: Db, changes: Partial<Publisher> = {}): Publisher {
  let known: Snapshot | undefined;
  const latest = async () => {
    known = await newestSnapshot(db, known);
    return known;
  };
  const audit = async () => {};
  return { db, audit, actor: "operator", now: Date.now, guard: usualGuard, latest, ...changes };
}

/** Publishes, and returns once the catalogue serves the outcome. */
export async function publishTo(
  catalogue: OpenCatalogue,
  plan: Plan,
  about: About,
  changes: Partial<Publisher> = {},
): Promise<PublishOutcome> {
  const { db, responses } = catalogue;
  const latest = () => newestSnapshot(db, responses.snapshot);
  const outcome = await publish(publisherOf(db, { now: responses.now, latest, ...changes }), plan, about);
  // Twice: the first call may join a read that began before the publication.
  await catalogue.refresh();
  await catalogue.refresh();
  return outcome;
}

/** A plan that sets another price for a data bundle, in kobo. */
export function priced(key: string, price: number): Plan {
  return (base) => {
    const old = itemIn(base, "data-bundles", key);
    if (old === undefined) throw new Error(`there is no bundle ${key}`);
    return withEntries(base, [{ subject: "data-bundles", key, content: { ...old.content, price } }]);
  };
}

/** A plan that removes a data bundle. */
export function removed(key: string): Plan {
  return (base) => withEntries(base, [{ subject: "data-bundles", key, content: null }]);
}

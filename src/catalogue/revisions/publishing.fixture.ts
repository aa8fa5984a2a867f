import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Engine } from "../../../test/support/engines.ts";
import { removeBatches } from "../../storage/retention/retention-rule.ts";
import { catalogueRules } from "../../storage/tables/catalogue-tables.ts";
import { priced, publishingStore, type TestStore } from "../catalogue.fixture.ts";
import type { WantedList } from "../document/replace-lists.ts";
import { itemIn, type Snapshot } from "../model/snapshot.ts";
import { loadStarter } from "../starter.ts";
import type { Publisher } from "./expected.ts";
import { newestSnapshot } from "./load.ts";
import type { PublishOutcome } from "./publish.ts";
import type { Plan } from "./review.ts";

/** What the tests of publishing share. */

export const about = { author: "ops", source: "test", note: "a note" };
export const start = Date.UTC(2026, 0, 31, 9, 30);
export const hour = 3_600_000;

/**
 * Opens a store for a test under a clock, and a publisher on it. The store has the starter catalogue unless `empty`.
 */
export async function opened(t: TestContext, engine: Engine, changes: Partial<Publisher> = {}, empty = false) {
  const store = await publishingStore(t, engine);
  const clock = { time: start };
  const publisher = store.publisher({ now: () => clock.time, ...changes });
  if (!empty) await loadStarter(publisher);
  return { store, clock, publisher };
}

/** Removes revisions published before this time, and drafts rejected before this time. */
export const removeHistory = ({ db, audit }: Pick<Publisher, "db" | "audit">, before: number, stopping?: AbortSignal) =>
  removeBatches(db, catalogueRules({ audit, history: 0 })[0]!, before, {}, stopping);

export const priceOf = (snapshot: Snapshot, key: string) => itemIn(snapshot, "data-bundles", key)?.content.price;

/** Returns the catalogue of a process that starts now. */
export const seenAnew = ({ db }: TestStore): Promise<Snapshot> => newestSnapshot(db);

/** A plan that raises a price by a kobo. */
export function dearer(key: string): Plan {
  return (base) => priced(key, Number(priceOf(base, key)) + 1)(base);
}

export function draftOf(outcome: PublishOutcome): number {
  assert.ok("draft" in outcome, outcome.state);
  return outcome.draft;
}

/** One provider with many bundles, all at this price. */
export function many(count: number, price: number): WantedList[] {
  const provider = { type: "MANY", id: 9, name: "", narration: "", image: "" };
  const bundle = { type: "MANY", description: "", amount: price, value: "", duration: "" };
  const entries = Array.from({ length: count }, (_, n) => ({
    place: "",
    content: { ...bundle, code: `c${n}`, price },
  }));
  return [
    { list: "data-providers", entries: [{ place: "", content: provider }] },
    { list: "data-bundles", entries },
  ];
}

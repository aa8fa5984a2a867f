import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { beginSync } from "../../features/sources/sync/record.ts";
import { syncFrom } from "../../features/sources/sync/sync.ts";
import { looseGuard } from "../catalogue.fixture.ts";
import { type WantedList, withLists } from "../document/replace-lists.ts";
import { countIn, withEntries } from "../model/snapshot.ts";
import { approve } from "./decide.ts";
import { findDraft } from "./draft.ts";
import { publish } from "./publish.ts";
import { about, draftOf, hour, opened, seenAnew } from "./publishing.fixture.ts";
import type { Plan } from "./review.ts";
import { publishDue } from "./schedule.ts";

const tooMany = "This would make 20,001 entries, and the catalogue holds at most 20,000: leave out what nobody buys.";

const PRODUCTS = 9_999;

/** One provider, its products, and one add-on of each: 19,999 entries in the largest possible number of groups. */
function almostAll(): WantedList[] {
  const entry = (content: WantedList["entries"][number]["content"]) => ({ place: "", content });
  const money = { price: 1_000, amount: 1_000 };
  const codes = Array.from({ length: PRODUCTS }, (_, n) => `p${n}`);
  const product = { type: "tv", name: "", description: "", ...money };
  const addOn = { type: "tv", add_on_product_code: "a", name: "", price: 1_000 };
  return [
    { list: "cable-providers", entries: [entry({ type: "tv", id: 1, name: "", narration: "", image: "" })] },
    { list: "cable-products", entries: codes.map((code) => entry({ code, ...product })) },
    { list: "cable-add-ons", entries: codes.map((product_code) => entry({ product_code, ...addOn })) },
  ];
}

/** Adds a corporate bundle, or removes it. */
const bundle =
  (code: string, isAdded = true): Plan =>
  (base) => {
    const content = isAdded ? { code, description: "=1" } : null;
    return withEntries(base, [{ subject: "corporate-bundles", key: code.toUpperCase(), content }]);
  };

for (const engine of usualEngines)
  suite(`the catalogue's size on ${engine.name}`, () => {
    test("a catalogue has at most 20,000 entries: imports, pulls, approvals and schedules refuse more", async (t) => {
      const { store, clock, publisher } = await opened(t, engine, { guard: looseGuard }, true);
      await publish(publisher, (base) => withLists(base, almostAll()), about);
      const guarded = { ...publisher, guard: { ...publisher.guard, holdFormulas: true } };
      const held = draftOf(await publish(guarded, bundle("held"), about));
      const later = draftOf(await publish(publisher, bundle("later"), { ...about, holdsFrom: clock.time + hour }));
      assert.equal((await publish(publisher, bundle("last"), about)).state, "published");
      const full = await seenAnew(store);
      const counts = (["cable-providers", "cable-products", "cable-add-ons", "corporate-bundles"] as const).map(
        (list) => countIn(full, list),
      );
      assert.deepEqual(counts, [1, PRODUCTS, PRODUCTS, 1]);

      const refusal = { name: "CatalogueError", message: tooMany };
      await assert.rejects(publish(publisher, bundle("more"), about), refusal);
      const corporate = ["last", "more"].map((code) => ({ code, description: "" }));
      const pulled = { kind: "whole" as const, lists: { "corporate-bundles": corporate }, leftOut: [] };
      const source = { name: "shop", covers: ["corporate-bundles"], pull: async () => pulled };
      const begun = await beginSync(store.db, "shop", undefined, publisher.now());
      const options = { author: "system", again: false, signal: AbortSignal.timeout(60_000) };
      const { record, sentences } = await syncFrom(publisher, source as never, begun!, options);
      assert.deepEqual([record.result, sentences], ["refused", [tooMany]]);

      await assert.rejects(approve(publisher, held, "boss"), refusal);
      assert.equal((await findDraft(store.db, held)).state, "held");
      clock.time += hour;
      await publishDue(publisher);
      const due = await findDraft(store.db, later);
      assert.deepEqual([due.state, JSON.parse(due.reasons)], ["held", [tooMany]]);
      assert.equal((await publisher.latest()).revision, full.revision);

      await publish(publisher, bundle("last", false), about);
      assert.equal((await approve(publisher, later, "boss", 2)).state, "published");
    });
  });

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { removed } from "../catalogue.fixture.ts";
import { difference } from "../changes/difference.ts";
import { countIn, groupIn } from "../model/snapshot.ts";
import { beginSync } from "../sync/record.ts";
import { syncFrom } from "../sync/sync.ts";
import { approve } from "./decide.ts";
import { showDraft } from "./history.ts";
import { type Plan, publish } from "./publish.ts";
import { about, draftOf, hour, many, opened, seenAnew } from "./publishing.fixture.ts";
import { publishDue } from "./schedule.ts";

const tooMany = "This would make 20,001 entries, and the catalogue holds at most 20,000: leave out what nobody buys.";

/** Adds a bundle at the end. */
function adding(code: string, price: number): Plan {
  return (base) => {
    const { position, content } = groupIn(base, "data-bundles", "MANY").at(-1)!;
    const state = { position: position + 1, content: { ...content, code, price } };
    return [{ subject: "data-bundles", key: `MANY ${code}`, old: null, new: state }];
  };
}

for (const engine of engines)
  suite(`the catalogue's size on ${engine.name}`, () => {
    test("20,000 entries are served; more are refused at an import and an approval, and held at their time", async () => {
      const { store, clock, publisher } = await opened(engine, { guard: { removal: 1, priceFactor: 1e9 } }, true);
      try {
        await publish(publisher, (base) => difference(base, many(19_998, 10)), about);
        const free = draftOf(await publish(publisher, adding("FREE", 0), about));
        const later = draftOf(
          await publish(publisher, adding("LATER", 10), { ...about, holdsFrom: clock.time + hour }),
        );
        assert.equal((await publish(publisher, adding("LAST", 10), about)).state, "published");
        const full = await seenAnew(store);
        assert.equal(countIn(full, "data-providers") + countIn(full, "data-bundles"), 20_000);

        const refusal = { name: "CatalogueFault", message: tooMany };
        await assert.rejects(publish(publisher, adding("MORE", 10), about), refusal);
        await assert.rejects(approve(publisher, free, "boss"), refusal);
        assert.equal((await showDraft(store.db, free)).state, "held");
        clock.time += hour;
        await publishDue(publisher);
        const due = await showDraft(store.db, later);
        assert.deepEqual([due.state, due.reasons], ["held", [tooMany]]);
        assert.equal((await seenAnew(store)).revision, full.revision);

        await publish(publisher, removed("MANY LAST"), about);
        assert.equal((await approve(publisher, later, "boss")).state, "published");
      } finally {
        await store.close();
      }
    });

    test("a source that has more is refused with the same sentence", async () => {
      const { store, publisher } = await opened(engine, {}, true);
      try {
        const [providers, bundles] = many(20_000, 10).map(({ entries }) =>
          entries.map(({ content }) => ({ ...content, amount: "0.10", price: "0.10" })),
        );
        const source = {
          name: "shop",
          covers: ["data-providers", "data-bundles"] as const,
          pull: async () => ({
            kind: "whole" as const,
            lists: { "data-providers": providers!, "data-bundles": bundles! },
            leftOut: [],
          }),
        };
        const begun = await beginSync(store.db, "shop", undefined, publisher.now());
        const options = { author: "system", again: false, signal: AbortSignal.timeout(60_000) };
        const { record } = await syncFrom(publisher, source as never, begun!, options);
        assert.deepEqual([record.result, record.sentences], ["refused", [tooMany]]);
        assert.equal((await seenAnew(store)).revision, 0);
      } finally {
        await store.close();
      }
    });
  });

import assert from "node:assert/strict";
import { mock, suite, test } from "node:test";
import { RecordedLog } from "../runtime/recorded-log.fixture.ts";
import { engines, suiteStore, until } from "../verification/identity.fixture.ts";
import { withoutLedger } from "../verification/ledger.fixture.ts";
import { Charges } from "./charges.ts";
import { DeferredOutcomes } from "./deferred-outcomes.ts";
import { Ledger } from "./ledger.ts";
import { found, placing } from "./ledger-moves.fixture.ts";
import { type PublicState, publicState } from "./public-state.ts";

for (const engine of engines)
  suite(`outcomes that wait for the store on ${engine.name}`, () => {
    const store = suiteStore(engine, mock.timers);
    const { placed, nowOf } = placing(store);

    for (const [states, isTold] of [
      [["unknown", "verified"], true],
      [["unknown", "not_found"], true],
      [["unknown", "failed", "not_found"], true],
      [["failed", "not_found"], false],
      [["not_found"], false],
    ] as [PublicState[], boolean][])
      test(`of the outcomes ${states.join(", then ")}, the last is written once, with callers ${isTold ? "" : "not "}told unknown`, async () => {
        const row = await placed();
        const log = new RecordedLog();
        const deferred = new DeferredOutcomes(
          new Ledger(store.db),
          new Charges(store.db, () => 3),
          async () => false,
          log,
        );
        const [first, ...later] = states;
        await withoutLedger(store.db, async () => {
          deferred.add(row, found(first!));
          await until(() => log.lines.length === 1);
          for (const state of later) deferred.add(row, found(state));
        });
        assert.equal(deferred.has(row.reference), true);
        mock.timers.tick(250);
        await deferred.drained();
        assert.equal(deferred.has(row.reference), false);
        assert.equal(publicState(await nowOf(row)), states.at(-1));
        const journal = store.db.selectFrom("verification_journal").selectAll();
        const entries = await journal.where("reference", "=", row.reference).execute();
        assert.deepEqual(
          entries.map(({ what, told_unknown, ...entry }) => [what, publicState(entry), told_unknown]),
          [["outcome", states.at(-1), isTold ? 1 : 0]],
        );
      });
  });

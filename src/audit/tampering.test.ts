import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { before, suite, test } from "node:test";
import { sql, type UpdateObject } from "kysely";
import type { AuditEntryRow, Db, Tables } from "../storage/tables.ts";
import { engines, problemsAfter, SealedTrail, trailStore } from "./audit.fixture.ts";

type Trx = Db;

const setEntry = (trx: Trx, { id }: AuditEntryRow, values: UpdateObject<Tables, "audit_entry">) =>
  trx.updateTable("audit_entry").set(values).where("id", "=", id).execute();
const setSeal = (trx: Trx, batch: number, values: UpdateObject<Tables, "audit_seal">) =>
  trx.updateTable("audit_seal").set(values).where("batch", "=", batch).execute();

for (const engine of engines) {
  suite(`a verification on ${engine.name}`, () => {
    const store = trailStore(engine);
    const trail = new SealedTrail(store);
    before(() => trail.make());

    for (const [where, batch, place] of [
      ["another batch", 3, 3],
      ["a batch that does not exist", 7, null],
      ["a batch below the first", -1, null],
      ["a batch number above the exact integers of JavaScript", sql<number>`1152921504606846977`, null],
      ["no batch", null, undefined],
    ] as const) {
      test(`verifying the trail finds an entry moved to ${where}`, async () => {
        const target = trail.at(2, 2);
        const places = await trail.places((trx) => setEntry(trx, target, { batch, position: 99 }));
        const found =
          place === undefined
            ? [[2, target.id]]
            : [
                [2, target.id],
                [place, target.id],
              ];
        assert.deepEqual(new Set(places.map(String)), new Set(found.map(String)));
      });
    }

    test("verifying the trail detects a deleted entry at any position", async () => {
      for (const target of trail.entries) {
        const places = await trail.places((trx) => trx.deleteFrom("audit_entry").where("id", "=", target.id).execute());
        assert.deepEqual(places, [[target.batch, target.id]]);
      }
    });

    test("verifying the trail detects an inserted entry at any position", async () => {
      for (const batch of [1, 2, 3])
        for (const position of [-1, 0, 6, 2 ** 31 - 1]) {
          const id = randomBytes(15).toString("base64url");
          const places = await trail.places((trx) =>
            trx
              .insertInto("audit_entry")
              .values({ ...trail.at(batch, 1), id, position })
              .execute(),
          );
          assert.deepEqual(places, [[batch, id]]);
        }
    });

    test("verifying the trail finds two entries that were swapped", async () => {
      for (const [a, b] of [
        [trail.at(2, 1), trail.at(2, 3)],
        [trail.at(1, 2), trail.at(3, 2)],
      ] as const) {
        const places = await trail.places(async (trx) => {
          await setEntry(trx, a, { batch: 9 });
          await setEntry(trx, b, { batch: a.batch, position: a.position });
          await setEntry(trx, a, { batch: b.batch, position: b.position });
        });
        const named = new Set(places.map(([, entry]) => entry));
        assert.deepEqual(named, new Set([a.id, b.id]));
        assert.ok(
          places.some(([batch, entry]) => batch === a.batch && entry === a.id),
          "a is not where it was",
        );
        assert.ok(
          places.some(([batch, entry]) => batch === b.batch && entry === b.id),
          "b is not where it was",
        );
      }
    });

    test("verifying the trail finds two entries whose facts were swapped", async () => {
      const [a, b] = [trail.at(2, 1), trail.at(2, 3)];
      const places = await trail.places(async (trx) => {
        await setEntry(trx, a, { facts: b.facts });
        await setEntry(trx, b, { facts: a.facts });
      });
      assert.deepEqual(places, [
        [2, a.id],
        [2, b.id],
      ]);
    });

    test("verifying the trail finds a seal with another number", async () => {
      for (const number of [7, -1, sql<number>`1152921504606846977`]) {
        const problems = await problemsAfter(store.db, (trx) => setSeal(trx, 2, { batch: number }));
        assert.ok(problems.some(({ batch, what }) => batch === 2 && /^is missing/.test(what)));
        const strays = problems
          .filter(({ what }) => what === "names batch 2, which has no seal")
          .map(({ entry }) => entry);
        assert.deepEqual(strays, [trail.at(2, 1).id, trail.at(2, 2).id, trail.at(2, 3).id]);
      }
    });

    test("verifying the trail finds two batches that were swapped: their seals, their entries, or both", async () => {
      const swapSeals = async (trx: Trx) => {
        await setSeal(trx, 1, { batch: 99 });
        await setSeal(trx, 2, { batch: 1 });
        await setSeal(trx, 99, { batch: 2 });
      };
      const swapEntries = async (trx: Trx) => {
        for (const [from, to] of [
          [1, 99],
          [2, 1],
          [99, 2],
        ] as const)
          await trx.updateTable("audit_entry").set({ batch: to }).where("batch", "=", from).execute();
      };
      for (const swap of [
        swapSeals,
        swapEntries,
        async (trx: Trx) => {
          await swapSeals(trx);
          await swapEntries(trx);
        },
      ]) {
        const places = await trail.places(swap);
        assert.deepEqual(new Set(places.map(([batch]) => batch)), new Set([1, 2]));
      }
    });

    for (const [what, keep] of [
      ["the last batch", 2],
      ["the last two batches", 1],
      ["all batches", 0],
    ] as const) {
      test(`verifying the trail finds that ${what} was cut off`, async () => {
        const places = await trail.places(async (trx) => {
          await trx.deleteFrom("audit_entry").where("batch", ">", keep).execute();
          await trx.deleteFrom("audit_seal").where("batch", ">", keep).execute();
        });
        assert.deepEqual(places, [[keep + 1, null]]);
      });

      test(`verifying the trail detects that ${what} was cut off, even with a forged head`, async () => {
        const places = await trail.places(async (trx) => {
          await trx.deleteFrom("audit_entry").where("batch", ">", keep).execute();
          await trx.deleteFrom("audit_seal").where("batch", ">", keep).execute();
          const { previous } = trail.seals[keep]!;
          await trx.updateTable("audit_head").set({ batch: keep, hash: previous }).execute();
        });
        assert.deepEqual(places, [[null, null]]);
      });
    }

    const headChanges: Record<
      keyof Tables["audit_head"],
      Partial<Record<keyof Tables["audit_head"], number | string>>
    > = {
      id: { id: 2 },
      store: { store: "another" },
      batch: { batch: 2 },
      hash: { hash: "A".repeat(43) },
      removed: { removed: 1 },
      mac: { mac: "" },
    };
    for (const [column, change] of Object.entries(headChanges)) {
      test(`verifying the trail finds a change to ${column} of the head`, async () => {
        const places = await trail.places((trx) =>
          trx
            .updateTable("audit_head")
            .set(change as UpdateObject<Tables, "audit_head">)
            .execute(),
        );
        assert.deepEqual(places, [[null, null]]);
      });
    }

    test("verifying the trail detects a batch emptied as if retention had deleted its entries", async () => {
      const places = await trail.places(async (trx) => {
        await trx.deleteFrom("audit_entry").where("batch", "=", 1).execute();
        await setSeal(trx, 1, { list: "" });
      });
      assert.deepEqual(places, [[1, null]]);
    });

    test("verifying the trail detects a head that was reset to the start", async () => {
      const start = { batch: 0, hash: "", removed: 0, mac: "" };
      const places = await trail.places((trx) => trx.updateTable("audit_head").set(start).execute());
      assert.deepEqual(places, [[null, null]]);
    });
  });
}

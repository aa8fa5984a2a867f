import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import fc from "fast-check";
import { type RawBuilder, sql } from "kysely";
import { isUniqueViolation } from "../../test/support/unique-violation.ts";
import { engines, problemsAfter, SealedTrail, trailStore } from "./audit.fixture.ts";

/** A column of a row, and its new value. */
interface Change {
  row: number;
  column: string;
  value: RawBuilder<unknown>;
  shown: string;
}

const texts = fc.string().map((text) => ({ value: sql`${text}`, shown: text }));
const numbers = fc
  .oneof(fc.integer({ min: -2, max: 7 }).map(BigInt), fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }))
  .map((number) => ({ value: sql.raw(`${number}`), shown: `${number}` }));
const places = fc.integer({ min: -2, max: 7 }).map((number) => ({ value: sql.raw(`${number}`), shown: `${number}` }));

const change = (columns: Record<string, typeof texts>): fc.Arbitrary<Change> =>
  fc.oneof(
    ...Object.entries(columns).map(([column, values]) =>
      fc.record({ row: fc.nat(), written: values }).map(({ row, written }) => ({ row, column, ...written })),
    ),
  );

const entryChange = change({
  id: texts,
  occurred_at: numbers,
  kind: texts,
  actor: texts,
  facts: texts,
  batch: numbers,
  position: places,
});
const sealChange = change({
  batch: numbers,
  previous: texts,
  sealed_at: numbers,
  size: places,
  content: texts,
  list: texts,
  mac: texts,
});

for (const engine of engines) {
  suite(`any change on ${engine.name}`, () => {
    const trail = new SealedTrail(trailStore(engine));
    before(() => trail.make());

    /** The batches and entries that the audit reports after the change; undefined if the engine refuses the change. */
    async function named(
      row: { table: "audit_entry"; id: string } | { table: "audit_seal"; batch: number },
      { column, value }: Change,
    ): Promise<Set<string | number | null> | undefined> {
      const where = row.table === "audit_entry" ? sql`id = ${row.id}` : sql`batch = ${row.batch}`;
      const write = sql`update ${sql.table(row.table)} set ${sql.ref(column)} = ${value} where ${where}`;
      try {
        const problems = await problemsAfter(trail.store.db, (trx) => write.execute(trx));
        return new Set(problems.flatMap(({ batch, entry }) => [batch, entry]));
      } catch (error) {
        if (isUniqueViolation(error)) return undefined;
        throw error;
      }
    }

    test("any change to an entry is found, and names the entry or its batch", () =>
      fc.assert(
        fc.asyncProperty(entryChange, async (change) => {
          const target = trail.entries[change.row % trail.entries.length]!;
          const found = await named({ table: "audit_entry", id: target.id }, change);
          fc.pre(found !== undefined);
          const same = String(target[change.column as keyof typeof target]) === change.shown;
          assert.equal(found.has(change.column === "id" ? target.batch : target.id), !same);
        }),
        { numRuns: 80 },
      ));

    test("any change to a seal is found, and names its batch", () =>
      fc.assert(
        fc.asyncProperty(sealChange, async (change) => {
          const target = trail.seals[change.row % trail.seals.length]!;
          const found = await named({ table: "audit_seal", batch: target.batch }, change);
          fc.pre(found !== undefined);
          const same = String(target[change.column as keyof typeof target]) === change.shown;
          assert.equal(found.has(target.batch), !same);
        }),
        { numRuns: 80 },
      ));
  });
}

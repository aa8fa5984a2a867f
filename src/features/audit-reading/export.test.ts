import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { suite, test } from "node:test";
import { append } from "../../audit/append.ts";
import { engines, removeOld, sealSome, sign, type TrailStore, trailStore } from "../../audit/audit.fixture.ts";
import { sealEntries } from "../../audit/seal-batch.ts";
import { accessTrail } from "../../declare/access-trail.ts";
import { exportTrail } from "./export.ts";

type Line = Record<"entry" | "seal" | "head", Record<string, string> | undefined>;

async function linesOf({ db }: TrailStore): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportTrail(db)) lines.push(JSON.stringify(line));
  return lines;
}

/**
 * Whether an export is whole, checked as `duba audit export --help` describes: with SHA-256 and a saved head's hash
 * alone.
 */
function isWhole(lines: readonly string[], keptHash: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest("base64url");
  let list: string[] = [];
  let previous = "";
  for (const line of lines) {
    const { entry, seal } = JSON.parse(line) as Line;
    if (entry) {
      const { id, occurred_at, kind, actor, facts } = entry;
      list.push(`${id} ${hash(JSON.stringify([id, occurred_at, kind, actor, facts]))}`);
    }
    if (seal) {
      const { batch, previous: named, sealed_at, size, content } = seal;
      if (named !== previous) return false;
      if (!seal.removed && hash(list.join("\n")) !== content) return false;
      previous = hash(JSON.stringify([batch, named, sealed_at, size, content]));
      list = [];
    }
  }
  return previous === keptHash;
}

for (const engine of engines) {
  suite(`an exported trail on ${engine.name}`, () => {
    const store = trailStore(engine);

    test("an exported trail can be verified without the store and without a key", async () => {
      assert.deepEqual(await linesOf(store), ['{"head":{"batch":"0","hash":""}}']);
      const reason = 'Line\nbreak, "quotes" and Ẹ̀kọ́ 🌍';
      await append(store.db, accessTrail.accountSuspended("operator:amina", { account: "acc_1", reason }));
      await sealSome(store.db, 3, 1, 2);
      await append(store.db, accessTrail.accountResumed("operator:amina", { account: "acc_1" }));
      const lines = await linesOf(store);
      const { head } = JSON.parse(lines.at(-1)!) as Line;
      assert.equal(head!.batch, "3");
      assert.equal(lines.filter((line) => line.startsWith('{"entry":')).length, 7, "without what is not sealed");
      assert.ok(isWhole(lines, head!.hash!));

      for (const [index, line] of lines.slice(0, -1).entries()) {
        const digit = line.replace(/\d/, (one) => `${(Number(one) + 1) % 10}`);
        assert.ok(!isWhole(lines.with(index, digit), head!.hash!), `changed: ${line}`);
        assert.ok(!isWhole(lines.toSpliced(index, 1), head!.hash!), `taken away: ${line}`);
        assert.ok(!isWhole(lines.toSpliced(index, 0, line), head!.hash!), `put in twice: ${line}`);
      }
    });

    test("an exported trail keeps the seals of batches that retention has removed", async () => {
      await removeOld(store.db, Number.MAX_SAFE_INTEGER);
      await sealEntries(store.db, sign);
      const lines = await linesOf(store);
      const seals = lines.map((line) => (JSON.parse(line) as Line).seal).filter((seal) => seal !== undefined);
      assert.deepEqual(
        seals.map(({ size, removed }) => [size, removed]),
        [
          ["4", true],
          ["1", true],
          ["2", true],
          ["2", false],
        ],
      );
      assert.ok(isWhole(lines, (JSON.parse(lines.at(-1)!) as Line).head!.hash!));
    });
  });
}

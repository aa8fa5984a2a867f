import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { priced, publisherOf, publishingStore, publishTo, removed } from "../../catalogue/catalogue.fixture.ts";
import { type OpenCatalogue, openCatalogue } from "../../catalogue/catalogue.ts";
import { itemIn } from "../../catalogue/model/snapshot.ts";
import { settingRule } from "../../catalogue/prices/price-rules.ts";
import type { CatalogueChangeAnswer } from "../../catalogue/responses/shapes.ts";
import { publish } from "../../catalogue/revisions/publish.ts";
import { answerWriter } from "../../declare/answers/answer-writer.ts";
import type { Answered, Caller } from "../../declare/operation.ts";
import { inputReader } from "../../declare/schema/validate-input.ts";
import { backup } from "../backup/backup.ts";
import { restore } from "../backup/restore.ts";
import { listCatalogueChanges } from "./listCatalogueChanges.ts";

const about = { author: "ops", source: "test", note: "" };
const start = Date.UTC(2026, 0, 31, 9, 30);

/** Returns the answer as an API client receives it. */
async function ask(catalogue: OpenCatalogue, input: { after?: string; limit?: string } = {}, accountId?: string) {
  const caller = accountId === undefined ? null : ({ accountId } as Caller);
  const call = { input, headers: {}, caller, requestId: "test", address: "127.0.0.1" };
  const { answer } = (await listCatalogueChanges.run!(call, catalogue)) as Answered<object>;
  return JSON.parse(answerWriter(listCatalogueChanges.answer)(answer)) as CatalogueChangeAnswer;
}

/** Everything after a cursor, page by page. */
async function askAll(catalogue: OpenCatalogue, after: string, limit: string, accountId?: string) {
  const data: CatalogueChangeAnswer["data"] = [];
  for (let from = after; ; ) {
    const page = await ask(catalogue, { after: from, limit }, accountId);
    data.push(...page.data);
    if (!page.more) return { data, next: page.next };
    from = page.next;
  }
}

/** The cursor at the end of a revision. */
async function cursorAfter(catalogue: OpenCatalogue, revision: number): Promise<string> {
  const { next } = await ask(catalogue);
  return `${revision}-${next.split("-")[1]}`;
}

test("cursors of other forms are refused by the input schema", () => {
  const read = inputReader(listCatalogueChanges.input);
  for (const input of [
    { after: "x" },
    { after: "" },
    { after: "1.2.3-0123456789" },
    { after: "7" },
    { after: "7.1-012345678" },
  ])
    assert.equal(read(input).problems.length, 1, JSON.stringify(input));
  for (const input of [{ after: "0" }, { after: "7.100-0123456789" }])
    assert.deepEqual(read(input), { input, problems: [] });
});

for (const engine of usualEngines)
  suite(`the changes of the catalogue on ${engine.name}`, { concurrency: true }, () => {
    test("the change feed lists changes after a cursor, with old and new entries and their time", async (t) => {
      const store = await publishingStore(t, engine);
      const clock = { time: start };
      const catalogue = await openCatalogue({ db: store.db, now: () => clock.time });
      const begin = await ask(catalogue);
      assert.deepEqual([begin.data, begin.more], [[], false]);
      assert.match(begin.next, /^1-[0-9a-f]{10}$/);
      clock.time += 60_000;
      await publishTo(catalogue, priced("MTNDATA 104", 11_000), about);
      await publishTo(catalogue, removed("MTNDATA 104"), about);
      const bundle = {
        type: "MTNDATA",
        code: "104",
        description: "50MB 24Hrs",
        amount: "100",
        price: "100",
        value: "50MB",
        duration: "24Hrs",
      };
      const shared = { list: "data-bundles" as const, holds_from: "2026-01-31T09:31:00.000Z" };
      const answer = await ask(catalogue, { after: begin.next });
      assert.deepEqual(answer.data, [
        { revision: 2, ...shared, change: "modified", old: bundle, new: { ...bundle, price: "110" } },
        { revision: 3, ...shared, change: "removed", old: { ...bundle, price: "110" }, new: null },
      ]);
      assert.deepEqual([answer.next, answer.more, answer.scheduled], [await cursorAfter(catalogue, 3), false, []]);
      assert.deepEqual((await ask(catalogue, { after: answer.next })).data, []);
    });

    test("the change feed lists each change once, with any page size and across restarts", async (t) => {
      const store = await publishingStore(t, engine);
      const catalogue = await openCatalogue({ db: store.db });
      const whole = await askAll(catalogue, "0", "1000", "acc_1");
      assert.equal(whole.data.length, 179);
      assert.deepEqual(whole.next, await cursorAfter(catalogue, 1));
      const first = await ask(catalogue, { after: "0", limit: "50" }, "acc_1");
      assert.deepEqual([first.data.length, first.more], [50, true]);
      assert.match(first.next, /^1\.50-/);
      await publishTo(catalogue, priced("MTNDATA 104", 11_000), about);
      const restarted = await openCatalogue({ db: store.db });
      const rest = await askAll(restarted, first.next, "7", "acc_1");
      assert.deepEqual([...first.data, ...rest.data.slice(0, -1)], whole.data);
      assert.deepEqual([rest.data.at(-1)!.revision, rest.next], [2, await cursorAfter(catalogue, 2)]);
    });

    test("the feed is never ahead of the served catalogue, and refuses cursors of future revisions", async (t) => {
      const store = await publishingStore(t, engine);
      const catalogue = await openCatalogue({ db: store.db });
      await publish(store.publisher(), priced("MTNDATA 104", 11_000), about);
      const after = await cursorAfter(catalogue, 1);
      assert.deepEqual((await ask(catalogue, { after })).data, []);
      // Another instance that already serves revision 2 gave this cursor.
      const ahead = await cursorAfter(catalogue, 2);
      const listed = await ask(catalogue, { after: ahead });
      assert.deepEqual([listed.data, listed.next], [[], ahead]);
      await assert.rejects(ask(catalogue, { after: await cursorAfter(catalogue, 3) }), {
        code: "validation_failed",
        message: /^after names a revision/,
      });
      await catalogue.refresh();
      assert.equal((await ask(catalogue, { after })).data.length, 1);
    });

    test("a cursor from before a restore is refused with the advice to begin anew", async (t) => {
      const [store, other] = [await publishingStore(t, engine), await publishingStore(t, engine)];
      const folder = mkdtempSync(join(tmpdir(), "duba-history-"));
      t.after(() => rmSync(folder, { recursive: true }));
      const catalogue = await openCatalogue({ db: store.db });
      await publishTo(catalogue, priced("MTNDATA 104", 11_000), about);
      await backup(store.publisher(), join(folder, "backup"), { madeBy: "test", sign: () => "unsigned" });
      const { next } = await ask(catalogue, { after: "0", limit: "10" });
      const end = await cursorAfter(catalogue, 2);
      // A cursor from before the restore names a history that no longer exists.
      const fresh = await openCatalogue({ db: other.db });
      const early = await cursorAfter(fresh, 1);
      await restore(other.publisher(), join(folder, "backup"), { sign: null });
      const restored = await openCatalogue({ db: other.db });
      for (const after of [next, end, early])
        await assert.rejects(ask(restored, { after }), {
          code: "validation_failed",
          message: /^after is of another history of this catalogue.*: begin anew without it, and fetch the lists\.$/,
        });
      assert.equal((await askAll(restored, "0", "1000", "acc_1")).data.length, 180);
      await publishTo(restored, priced("MTNDATA 104", 12_000), about);
      const after = await cursorAfter(restored, 2);
      assert.deepEqual(
        (await ask(restored, { after })).data.map(({ revision }) => revision),
        [3],
      );
    });

    test("the change feed shows an account its own prices, and never the prices of another account", async (t) => {
      const store = await publishingStore(t, engine);
      const catalogue = await openCatalogue({ db: store.db });
      const set = (account: string, of: string, rule: "percent" | "price", value: number) =>
        publishTo(catalogue, settingRule({ account, of, rule, value }), about);
      await set("acc_1", "MTNDATA", "percent", -1_000);
      await set("acc_1", "MTNDATA 113", "price", 15_000);
      await publishTo(catalogue, priced("MTNDATA 104", 11_000), about);
      await publishTo(catalogue, priced("MTNDATA 113", 21_000), about);
      const seenBy = async (account?: string) =>
        (await askAll(catalogue, await cursorAfter(catalogue, 1), "1", account)).data.map(
          ({ revision, list, old, new: now }) =>
            [revision, list, ...[old, now].map((it) => it && ("price" in it ? it.price : "of" in it && it.of))].join(
              " ",
            ),
        );
      assert.deepEqual(await seenBy("acc_1"), ["2 prices  MTNDATA", "3 prices  MTNDATA 113", "4 data-bundles 90 99"]);
      assert.deepEqual(await seenBy("acc_2"), ["4 data-bundles 100 110", "5 data-bundles 200 210"]);
      assert.deepEqual(await seenBy(), await seenBy("acc_2"));
    });

    test("the change feed shows lists that need a credential only to callers with a credential", async (t) => {
      const store = await publishingStore(t, engine);
      const catalogue = await openCatalogue({ db: store.db });
      const listsOf = async (account?: string) => {
        const { data } = await askAll(catalogue, "0", "30", account);
        return [...new Set(data.map(({ list }) => list))];
      };
      const open = ["data-bundles", "cable-providers", "cable-products", "cable-add-ons"];
      assert.deepEqual(await listsOf(), open);
      assert.deepEqual((await listsOf("acc_1")).sort(), ["data-providers", "corporate-bundles", ...open].sort());
    });

    test("callers with a credential see a scheduled change early, and other callers when it is in force", async (t) => {
      const store = await publishingStore(t, engine);
      const clock = { time: start };
      const catalogue = await openCatalogue({ db: store.db, now: () => clock.time });
      await publishTo(catalogue, priced("MTNDATA 104", 11_000), { ...about, holdsFrom: start + 60_000 });
      const begin = await cursorAfter(catalogue, 1);
      const before = await ask(catalogue, { after: begin }, "acc_1");
      assert.deepEqual(before.data, []);
      assert.deepEqual((await ask(catalogue, { after: begin })).scheduled, []);
      const [announced] = before.scheduled;
      assert.deepEqual([announced!.change, announced!.holds_from], ["modified", "2026-01-31T09:31:00.000Z"]);
      clock.time += 60_000;
      await catalogue.refresh();
      const after = await ask(catalogue, { after: before.next });
      assert.deepEqual(after.scheduled, []);
      assert.deepEqual(after.data, [{ revision: 2, ...announced! }]);
    });

    test("a reader of the feed gets each change once and in order while four processes publish", async (t) => {
      const store = await publishingStore(t, engine);
      const catalogue = await openCatalogue({ db: store.db });
      const others = await Promise.all([1, 2, 3, 4].map(() => store.beside()));
      const keys = ["104", "113", "MTN-1GB-1DAY", "MTN-2GB-30DAYS"].map((code) => `MTNDATA ${code}`);
      let publishing = others.length;
      const publishAll = others.map(async ({ db }, at) => {
        for (let n = 1; n <= 6; n++) {
          const key = keys[at]!;
          await publish(
            publisherOf(db),
            (base) => priced(key, Number(itemIn(base, "data-bundles", key)!.content.price) + 1)(base),
            about,
          );
        }
        publishing -= 1;
      });
      const revisions: number[] = [];
      const read = async () => {
        for (let after = await cursorAfter(catalogue, 1); ; ) {
          const last = publishing === 0;
          await catalogue.refresh();
          const page = await ask(catalogue, { after, limit: "2" });
          revisions.push(...page.data.map(({ revision }) => revision));
          if (last && !page.more) return;
          after = page.next;
        }
      };
      await Promise.all([...publishAll, read()]);
      assert.deepEqual(
        revisions,
        Array.from({ length: 24 }, (_, n) => n + 2),
      );
    });
  });

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { KyselyPlugin } from "kysely";
import { usualEngines } from "../../../test/support/engines.ts";
import { shortNaira } from "../../declare/money.ts";
import { difference } from "../document/difference.ts";
import { withLists } from "../document/replace-lists.ts";
import { beyond, moveText } from "../guard/moves.ts";
import { itemIn, type Snapshot, withEntries } from "../model/snapshot.ts";
import { settingRule } from "../prices/price-rules.ts";
import { approve, reject } from "./decide.ts";
import { expectedFor, type Publisher } from "./expected.ts";
import { lastContents } from "./last-contents.ts";
import { publish } from "./publish.ts";
import { about, draftOf, hour, many, opened } from "./publishing.fixture.ts";
import type { Plan } from "./review.ts";

/** An add-on of 6,000 naira, and another add-on. Neither has a face value besides its price. */
const [key, other] = ["DSTV PRWE36 HDPVRE36", "DSTV PRWE36 MOVIES"];
const name = "dstv PRWE36 HDPVRE36";

const addOn = (base: Snapshot, key: string) => itemIn(base, "cable-add-ons", key);

/** Sets the price of an add-on, in kobo. Adds the add-on again if it was removed. */
function priced(key: string, price: number): Plan {
  return (base) => {
    const code = key.split(" ").at(-1)!;
    const made = { type: "dstv", product_code: "PRWE36", add_on_product_code: code, name: code, price };
    return withEntries(base, [{ subject: "cable-add-ons", key, content: made }]);
  };
}

const removed =
  (key: string): Plan =>
  (base) =>
    withEntries(base, [{ subject: "cable-add-ons", key, content: null }]);

/** The states of publications one after the other, with the reasons of held ones. */
async function statesOf(publisher: Publisher, plans: readonly Plan[], at: { holdsFrom?: number } = {}) {
  const states: string[] = [];
  for (const plan of plans) {
    const outcome = await publish(publisher, plan, { ...about, ...at });
    states.push(outcome.state === "held" ? outcome.reasons.join(" ") : outcome.state);
  }
  return states;
}

const moved = (from: string, to: string) => moveText(Number(from) * 100, Number(to) * 100, shortNaira);
const moves = (when: string, from: string, to: string) => `${name}: price ${moved(from, to)}${when}, ${beyond(2)}.`;
const ownMoves = (to: string) => `${name}: price for acc_1 ${moved("6000", to)} within a day, ${beyond(2)}.`;

for (const engine of usualEngines)
  suite(`small moves on ${engine.name}`, { concurrency: true }, () => {
    for (const [what, factor, reached, text] of [
      ["up", 1.3, 1_014_000, "13182"],
      ["down", 1 / 1.3, 355_030, "2731"],
    ] as const)
      test(`ten pulls that each move a price ${what} are added up, and pulls beyond the bound are held`, async (t) => {
        const { clock, publisher } = await opened(t, engine);
        const states: string[] = [];
        for (let pull = 1; pull <= 10; pull++) {
          clock.time += 60_000;
          states.push(...(await statesOf(publisher, [priced(key, Math.round(600_000 * factor ** pull))])));
        }
        assert.deepEqual(states.slice(0, 3), ["published", "published", moves(" within a day", "6000", text)]);
        assert.ok(states.slice(2).every((state) => state.includes(`${name}: price ₦`)));
        assert.equal(addOn(await publisher.latest(), key)?.content.price, reached);
      });

    test("small price moves are added up over one day only", async (t) => {
      const { clock, publisher } = await opened(t, engine);
      const held = moves(" within a day", "6000", "18000");
      assert.deepEqual(await statesOf(publisher, [priced(key, 1_100_000), priced(key, 1_800_000)]), [
        "published",
        held,
      ]);
      clock.time += 24 * hour - 1;
      assert.deepEqual(await statesOf(publisher, [priced(key, 1_800_000)]), [held]);
      clock.time += 1;
      assert.deepEqual(await statesOf(publisher, [priced(key, 1_800_000)]), ["published"]);
    });

    test("small price moves count from the last approved price of the same entry", async (t) => {
      const { publisher } = await opened(t, engine);
      const first = await statesOf(publisher, [priced(other, 600_000), priced(key, 1_100_000)]);
      assert.deepEqual(first, ["published", "published"]);
      for (const price of [1_300_000, 3_000_000]) {
        const held = draftOf(await publish(publisher, priced(key, price), about));
        assert.equal((await approve(publisher, held, "boss")).state, "published");
      }
      const states = await statesOf(publisher, [
        priced(other, 900_000),
        priced(key, 5_800_000),
        priced(key, 6_200_000),
        priced(key, 2_000_000),
        priced(key, 1_700_000),
        priced(key, 1_400_000),
      ]);
      assert.deepEqual(states, [
        moves(" within a day", "3500", "9000").replace(name, "dstv PRWE36 MOVIES"),
        "published",
        moves(" within a day", "30000", "62000"),
        moves("", "58000", "20000"),
        moves("", "58000", "17000"),
        moves("", "58000", "14000"),
      ]);
    });

    test("a search for earlier prices reads each revision once, however often an entry comes back", async (t) => {
      const { publisher, clock } = await opened(t, engine);
      const drafts: unknown[] = [];
      const plugin: KyselyPlugin = {
        transformQuery: ({ node }) => {
          if (JSON.stringify(node).includes('"catalogue_draft"')) drafts.push(node);
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      const db = publisher.db.withPlugin(plugin);
      const comesBack = async (name: string) => {
        const expected = await expectedFor(publisher, null);
        const after = await priced(name, 600_000)(expected.base);
        drafts.length = 0;
        const found = await lastContents(db, expected, await difference(expected.base, after), expected.base);
        return [[...found.values()].map(({ price }) => price), drafts.length];
      };
      for (const one of [other, key]) {
        await statesOf(publisher, [removed(one)]);
        clock.time += 48 * hour;
      }
      assert.deepEqual(await comesBack("DSTV PRWE36 NEW"), [[], 2]);
      assert.deepEqual(await comesBack("DSTV PRWE36 NEWER"), [[], 0]);
      assert.deepEqual(await comesBack(key), [[600_000], 1]);
      await statesOf(publisher, [priced(key, 700_000), removed(key)]);
      assert.deepEqual(await comesBack("DSTV PRWE36 NEWEST"), [[], 1]);
      assert.deepEqual(await comesBack(key), [[700_000], 1]);
    });

    test("small price moves also add up for an entry that is new or was away", async (t) => {
      const { publisher } = await opened(t, engine);
      const states = await statesOf(publisher, [
        removed(key),
        priced(key, 1_190_000),
        priced(key, 1_210_000),
        removed(key),
        priced(key, 1_210_000),
      ]);
      const held = moves(" within a day", "6000", "12100");
      assert.deepEqual(states, ["published", "published", held, "published", held]);
      const came = await statesOf(publisher, [
        priced("DSTV PRWE36 NEW", 400_000),
        priced("DSTV PRWE36 NEW", 700_000),
        priced("DSTV PRWE36 NEW", 900_000),
      ]);
      const sum = moves(" within a day", "4000", "9000").replace(name, "dstv PRWE36 NEW");
      assert.deepEqual(came, ["published", "published", sum]);
    });

    test("a code that returns is compared with its last price, however long it was away", async (t) => {
      const { clock, publisher } = await opened(t, engine);
      const back = (from: string, to: string) => `${name}, which comes back: price ${moved(from, to)}, ${beyond(2)}.`;
      const away = async () => {
        assert.deepEqual(await statesOf(publisher, [removed(key)]), ["published"]);
        clock.time += 40 * 24 * hour;
        // Meanwhile the other add-on is removed and added again.
        assert.deepEqual(await statesOf(publisher, [removed(other), priced(other, 350_000)]), [
          "published",
          "published",
        ]);
        clock.time += 2 * 24 * hour;
      };
      await away();
      assert.deepEqual(await statesOf(publisher, [priced(key, 1_210_000), priced(key, 299_000)]), [
        back("6000", "12100"),
        back("6000", "2990"),
      ]);
      const soon = { holdsFrom: clock.time + hour };
      assert.deepEqual(await statesOf(publisher, [priced(key, 1_210_000)], soon), [back("6000", "12100")]);
      assert.deepEqual(await statesOf(publisher, [priced(key, 1_190_000)]), ["published"]);
      await away();
      // The last price of the add-on counts, not its first.
      assert.deepEqual(await statesOf(publisher, [priced(key, 590_000)]), [back("11900", "5900")]);
      const held = draftOf(await publish(publisher, priced(key, 590_000), about));
      assert.equal((await approve(publisher, held, "boss")).state, "published");
      const next = { holdsFrom: clock.time + hour };
      assert.deepEqual(await statesOf(publisher, [removed(key)], next), ["scheduled"]);
      const later = { holdsFrom: clock.time + 30 * hour };
      assert.deepEqual(await statesOf(publisher, [priced(key, 1_190_000)], later), [back("5900", "11900")]);
      assert.deepEqual(await statesOf(publisher, [priced("DSTV PRWE36 NEW", 900_000)]), ["published"]);
    });

    test("small moves add up for each entry of a large list", async (t) => {
      const { publisher } = await opened(t, engine, {}, true);
      const list =
        (price: number): Plan =>
        (base) =>
          withLists(base, many(1_002, price));
      const content = {
        type: "MANY",
        code: "c1001",
        description: "",
        amount: 21_000,
        price: 21_000,
        value: "",
        duration: "",
      };
      const far: Plan = (base) => withEntries(base, [{ subject: "data-bundles", key: "MANY C1001", content }]);
      assert.deepEqual(await statesOf(publisher, [list(10_000), list(11_900), far]), [
        "published",
        "published",
        "MANY c1001: amount ₦100 → ₦210 (+110 %) within a day, beyond the guard's factor of 2. MANY c1001: " +
          "price ₦100 → ₦210 (+110 %) within a day, beyond the guard's factor of 2.",
      ]);
    });

    test("small moves of an account's own prices and of the catalogue's prices are added up", async (t) => {
      const { publisher } = await opened(t, engine);
      const rule = (value: number): Plan => settingRule({ account: "acc_1", of: key, rule: "percent", value });
      const rules = await statesOf(publisher, [rule(-3_000), rule(-4_900), rule(-6_500)]);
      assert.deepEqual(rules, ["published", "published", ownMoves("2100")]);
      const both = await statesOf(publisher, [priced(key, 480_000), rule(-5_000)]);
      assert.deepEqual(both, ["published", ownMoves("2400")]);
    });

    test("a scheduled small price move adds up with published and scheduled moves of the day before it", async (t) => {
      const { clock, publisher } = await opened(t, engine);
      const at = (hours: number) => ({ holdsFrom: clock.time + hours * hour });
      assert.deepEqual(await statesOf(publisher, [priced(key, 900_000)]), ["published"]);
      assert.deepEqual(await statesOf(publisher, [priced(key, 1_100_000)], at(1)), ["scheduled"]);
      const soon = await statesOf(publisher, [priced(key, 1_300_000)], at(2));
      assert.deepEqual(soon, [moves(" within a day", "6000", "13000")]);
      // A day after the publication, and then a day after the scheduled change.
      assert.deepEqual(await statesOf(publisher, [priced(key, 1_700_000)], at(24)), ["scheduled"]);
      const day = await statesOf(publisher, [priced(key, 1_900_000)], at(24.5));
      assert.deepEqual(day, [moves(" within a day", "9000", "19000")]);
      assert.deepEqual(await statesOf(publisher, [priced(key, 2_100_000)], at(25)), ["scheduled"]);
    });

    test("a price move that a person approved or rejected does not add up with later moves", async (t) => {
      const { clock, publisher } = await opened(t, engine);
      const later = { holdsFrom: clock.time + hour };
      const far = draftOf(await publish(publisher, priced(key, 1_500_000), { ...about, ...later }));
      assert.equal((await approve(publisher, far, "boss")).state, "scheduled");
      const next = { holdsFrom: clock.time + 2 * hour };
      assert.deepEqual(await statesOf(publisher, [priced(key, 2_900_000)], next), ["scheduled"]);
      const gone = draftOf(await publish(publisher, priced(other, 690_000), { ...about, ...later }));
      await reject(publisher, gone, "boss");
      assert.deepEqual(await statesOf(publisher, [priced(other, 180_000)], next), ["scheduled"]);
    });
  });

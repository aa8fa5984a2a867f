import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { judgedWeek, median } from "./priced-week.fixture.ts";

suite("the order by cost in a week in which two prices change", () => {
  // `npm run bench -- routes` judges ten longer weeks.
  const weeks = [1, 2, 3].map((seed) => judgedWeek(20_000, seed));

  test("in a median week the order by cost costs at most 3 % more than the best fixed order", () => {
    assert.ok(median(weeks.map(({ over }) => over)) <= 3, weeks.map(({ over }) => over.toFixed(2)).join(" "));
  });

  test("the order by cost changes at most once for each price change, unless a vendor breaks a bound", () => {
    for (const { byCost, priced, changes } of weeks) assert.ok(byCost <= priced, JSON.stringify(changes));
    assert.ok(weeks.some(({ byCost }) => byCost > 0));
    assert.ok(
      weeks.some(({ changes, byCost }) => changes.length > byCost),
      "a bound was broken",
    );
  });
});

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { list, naira } from "../declare/command/answer-schema.ts";
import { recordOf, type TableRow, tableOf } from "../declare/command/answer-table.ts";
import { command } from "../declare/command.ts";
import Type from "../declare/schema/type.ts";
import { TimeZone } from "../runtime/time-zone.ts";
import { painter, recordText, tableText } from "./table.ts";

const plain = painter(false);
const lagos = new TimeZone("Africa/Lagos");

const Price = Type.Object({ code: Type.String(), name: Type.String(), price: naira });

const prices = command({
  id: "prices",
  title: "Prices",
  summary: "",
  role: "viewer",
  kind: "read",
  input: Type.Object({}),
  examples: [],
  answer: Type.Array(Price),
  run: async () => [],
});

const tableOfPrices = (rows: TableRow[]) => tableOf(prices, rows, list, lagos);

suite("what is printed for people", () => {
  test("a printed list has aligned columns, amounts at their right edge, and codes of digits as names", () => {
    const rows = [
      { code: "002", name: "Small", price: 5_000 },
      { code: "014", name: "Lagos à la carte", price: 150_050 },
    ];
    assert.equal(
      tableText(tableOfPrices(rows), plain),
      [
        "code  name                  price",
        "002   Small                ₦50.00",
        "014   Lagos à la carte  ₦1,500.50",
        "",
      ].join("\n"),
    );
  });

  test("an empty printed list reads (none) in place of a table", () => {
    assert.equal(tableText(tableOfPrices([]), plain), "(none)\n");
  });

  test("a printed list has all rows", () => {
    const rows = Array.from({ length: 150_000 }, () => ({ code: "014" }));
    assert.equal(tableText(tableOfPrices(rows), plain).split("\n").length, rows.length + 2);
  });

  test("a printed record has aligned lines, and indents what is nested", () => {
    const text = recordText(recordOf({}, { nin: "", watchlisted: null, info: { first_name: "Ada" } }, lagos), plain);
    assert.equal(text, "nin\nwatchlisted   -\ninfo\n  first_name  Ada\n");
  });

  test("no printed answer contains control characters", () => {
    assert.match(tableText(tableOfPrices([{ name: "\u001b[2Jgone\nnext" }]), plain), /\n\s*gone next\n$/);
  });

  test("headings are bold only on a screen with colours", () => {
    assert.ok(tableText(tableOfPrices([{ code: "a" }]), painter(true)).startsWith("\u001b[1mcode"));
    assert.ok(!tableText(tableOfPrices([{ code: "a" }]), painter(undefined)).includes("\u001b"));
  });
});

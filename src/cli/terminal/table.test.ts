import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { painter, record, table } from "./table.ts";

const plain = painter(false);

suite("what is printed for people", () => {
  test("aligns the columns of a list, numbers at their right edge", () => {
    const rows = [
      { code: "002", name: "Small", price: "50" },
      { code: "014", name: "Lagos à la carte", price: "1500.5" },
    ];
    assert.equal(
      table(rows, plain),
      [
        "code  name               price", //
        " 002  Small                 50",
        " 014  Lagos à la carte  1500.5",
        "",
      ].join("\n"),
    );
  });

  test("says that a list is empty", () => {
    assert.equal(table([], plain), "(none)\n");
  });

  test("aligns the lines of a record and indents what is nested", () => {
    const text = record({ nin: "", watchlisted: null, personal_info: { first_name: "Ada" } }, plain);
    assert.equal(text, "nin\nwatchlisted   -\npersonal_info\n  first_name  Ada\n");
  });

  test("lets no answer steer the terminal", () => {
    assert.equal(table([{ name: "\u001b[2Jgone\nnext" }], plain), "name\ngone next\n");
  });

  test("is bold on a screen with colours only", () => {
    assert.ok(table([{ name: "a" }], painter(true)).startsWith("\u001b[1mname"));
    assert.ok(!table([{ name: "a" }], painter(undefined)).includes("\u001b"));
  });
});

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { TimeZone } from "../../runtime/time-zone.ts";
import { command } from "../command.ts";
import Type from "../schema/type.ts";
import { answerCsv } from "./answer-csv.ts";
import {
  account,
  digits,
  mendsMember,
  naira,
  orNull,
  reference,
  richTextMember,
  state,
  time,
  yes,
} from "./answer-schema.ts";
import { recordOf, type TableRow, tableOfRows } from "./answer-table.ts";
import { mend } from "./mend.ts";
import { projected } from "./projected.ts";
import { richText } from "./rich-text.ts";

const lagos = new TimeZone("Africa/Lagos");
const noon = Date.UTC(2026, 10, 1, 12);

const Charge = Type.Object({
  id: reference,
  account,
  at: orNull({ ...time, none: "never" }),
  fee: { ...naira, sums: true as const },
  last4: digits,
  state: state(["ok"], { words: { ok: "well" } }),
  charged: yes,
  count: Type.Integer(),
});

const charge = {
  id: "a",
  account: "a@b.c",
  at: noon,
  fee: 123_450,
  last4: "3143",
  state: "ok",
  charged: 1,
  count: 3143,
};

const cellsOf = (...rows: object[]) => {
  const { columns } = tableOfRows(Charge, rows as Record<string, unknown>[], lagos);
  return rows.map((row) => columns.map(({ textOf }) => textOf(row as Record<string, unknown>)));
};

suite("a row of the store", () => {
  test("programs get a row with ISO 8601 times, plain naira, true and false, and without undeclared members", () => {
    assert.deepEqual(projected(Type.Array(Charge), [{ ...charge, secret_hash: "x" }]), [
      { ...charge, at: "2026-11-01T12:00:00.000Z", fee: "1234.5", charged: true },
    ]);
    assert.deepEqual(projected(Charge, { ...charge, secret_hash: "x" }, "stored"), charge);
  });

  test("people get a row with ₦ amounts, local times and words, and with digits unformatted", () => {
    assert.deepEqual(cellsOf(charge), [
      ["a", "a@b.c", "2026-11-01 13:00+01", "₦1,234.50", "3143", "well", "yes", "3,143"],
    ]);
    const [cells] = cellsOf({ ...charge, at: null, fee: -5, charged: 0 });
    assert.deepEqual([cells![2], cells![3], cells![6]], ["never", "-₦0.05", "no"]);
  });

  test("a spreadsheet gets sentences, command lines and lists as text, and other objects as JSON", async () => {
    const Row = Type.Object({
      title: richTextMember,
      mends: mendsMember,
      scopes: Type.Array(Type.String()),
      moves: Type.Array(Type.Object({ fee: naira })),
      by_state: Type.Record(Type.String(), Type.Integer()),
    });
    const rows = Type.Array(Row);
    const row = {
      title: richText`${{ vendor: "dojah" }} rests since ${{ time: noon }}`,
      mends: ["status", "routes show"].map((line) => ({ ...mend("See", "status"), line: `duba ${line}` })),
      scopes: ["catalogue:read", "identity:verify"],
      moves: [{ fee: 500 }],
      by_state: { verified: 2 },
    };
    const shown = command({
      id: "a.b",
      title: "A",
      summary: "A.",
      role: "viewer",
      kind: "read",
      answer: rows,
      run: async () => [],
    });
    assert.equal(
      await answerCsv(shown as never, [row]),
      "title,mends,scopes,moves,by_state\n" +
        "dojah rests since 2026-11-01T12:00:00.000Z,duba status; duba routes show,catalogue:read identity:verify," +
        '"[{""fee"":""5""}]","{""verified"":2}"\n',
    );
  });

  test("a column of times shows seconds only if two of its times share a minute", () => {
    const timesOf = (...times: number[]) => cellsOf(...times.map((at) => ({ ...charge, at }))).map((cells) => cells[2]);
    assert.deepEqual(timesOf(noon, noon + 60_000), ["2026-11-01 13:00+01", "2026-11-01 13:01+01"]);
    assert.deepEqual(timesOf(noon, noon + 59_000), ["2026-11-01 13:00:00+01", "2026-11-01 13:00:59+01"]);
    const texts = recordOf(Type.Object({ from: time, to: time }), { from: noon, to: noon + 1_000 }, lagos);
    assert.deepEqual(
      texts.map(({ text }) => text),
      ["2026-11-01 13:00:00+01", "2026-11-01 13:00:01+01"],
    );
  });

  test("a table shows a sum only for columns that the schema marks as summable", () => {
    const sumsOf = (...rows: object[]) =>
      tableOfRows(Charge, rows as TableRow[], lagos).columns.flatMap(({ name, sumOf }) =>
        sumOf ? [[name, sumOf(rows as TableRow[])]] : [],
      );
    assert.deepEqual(sumsOf(charge, { ...charge, fee: 50 }), [["fee", "₦1,235.00"]]);
    // Statements keep naira as text.
    assert.deepEqual(sumsOf({ ...charge, fee: "1234.5" }, { ...charge, fee: "-0.5" }), [["fee", "₦1,234.00"]]);
  });
});

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { InputError } from "../../declare/command/read-texts.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { parseInvoice } from "./invoice.ts";

const lagos = new TimeZone("Africa/Lagos");
const read = (text: string, names = {}) => parseInvoice(text, lagos, { names }).lines;
const columnsOf = (text: string, named = {}) => parseInvoice(text, lagos, { guesses: true, ...named }).columns;

function problemOf(text: string, names = {}): string {
  try {
    read(text, names);
  } catch (error) {
    assert.ok(error instanceof InputError && error.exitCode === 2);
    return error.message;
  }
  throw new Error("The invoice was read");
}

suite("an invoice of a vendor", () => {
  test("an invoice is read with the usual headings, separators and amounts of vendors", () => {
    const expected = [{ line: 2, reference: "D-1", time: null, last4: "0017", price: 105_050 }];
    assert.deepEqual(read("Reference,BVN,Amount\nD-1,22000000017,1050.50\n"), expected);
    assert.deepEqual(read('\uFEFFTransaction ID;Last 4;Cost\r\nD-1;0017;"₦1,050.50"\r\n'), expected);
    assert.deepEqual(
      read("call\tdigits\tnaira\nD-1\t0017\tNGN 1050.5\n", { reference: "Call", digits: "digits", price: "NAIRA" }),
      expected,
    );
    assert.deepEqual(read("reference,note\n\nD-1,\n,x\n"), [
      { line: 3, reference: "D-1", time: null, last4: null, price: null },
    ]);
  });

  test("in an invoice, a line that names no attempt, such as a total, is read as a sum of the lines above", () => {
    const attempts = "D-1,2026-11-03 14:05,0017,50\nTOTAL-4,2026-11-03 14:06,0018,40\n";
    for (const sum of [
      "TOTAL,,,90",
      "Grand Total:,,,90",
      ",Total,,90",
      ",,total,90",
      ",,,90",
      "Sub-total (NGN),,,90",
    ]) {
      const invoice = parseInvoice(`reference,time,last4,price\n${attempts}${sum}\n`, lagos);
      assert.deepEqual(
        invoice.lines.map(({ reference }) => reference),
        ["D-1", "TOTAL-4"],
        sum,
      );
      assert.deepEqual(invoice.sums, [{ line: 4, price: 9_000, above: 9_000 }], sum);
    }
    const named = parseInvoice("reference,price\nTOTAL-4,40\nTOTAL,50\n", lagos);
    assert.deepEqual([named.lines.length, named.sums], [1, [{ line: 3, price: 5_000, above: 4_000 }]]);
  });

  test("a negative amount is a credit, in any of the vendors' spellings", () => {
    for (const amount of ["-45.55", "\u221245.55", "(45.55)", "₦-45.55", "-NGN 45.55", "- 45.55"])
      assert.deepEqual(read(`reference,amount\nD-1,${amount}\n`)[0]!.price, -4_555, amount);
    for (const amount of ["(45.55", "45.55)", "--45.55", "45-55"])
      assert.match(problemOf(`reference,amount\nD-1,${amount}\n`), /^Line 2: the price must be/, amount);
  });

  test("an invoice's time means its whole second, minute or day, in its own offset or our time zone", () => {
    const spanOf = (time: string) => {
      const { from, to } = read(`reference,time\n1,"${time}"\n`)[0]!.time!;
      return [new Date(from).toISOString(), to - from];
    };
    for (const time of [
      "2026-11-03 14:05:09",
      "2026-11-03T14:05:09+01:00",
      "03/11/2026 14:05:09",
      "2026-11-03T13:05:09.120Z",
    ])
      assert.deepEqual(spanOf(time), ["2026-11-03T13:05:09.000Z", 1_000], time);
    assert.deepEqual(spanOf("03/11/2026, 14:05"), ["2026-11-03T13:05:00.000Z", 60_000]);
    assert.deepEqual(spanOf("2026-11-03"), ["2026-11-02T23:00:00.000Z", 86_400_000]);
  });

  test("an error about an unreadable line has the line's number and not its value", () => {
    const problem = problemOf(
      "reference,time,bvn,price\n1,yesterday,22000000017,50\n2,2026-02-30 10:00,12,4-5\n3,25/12/2026 25:00,,\n",
    );
    assert.deepEqual(
      problem.split("\n").map((line) => line.slice(0, line.indexOf(" must"))),
      ["Line 2: the time", "Line 3: the time", "Line 3: the digits", "Line 3: the price", "Line 4: the time"],
    );
    assert.doesNotMatch(problem, /yesterday|22000000017|02-30|-5/);
    assert.match(problemOf(`reference,price\n${"x,y\n".repeat(30)}`), /\n20 more lines\.$/);
    assert.match(problemOf("reference,price\n1,2,3\n"), /^Line 2 of the invoice is not CSV/);
    assert.match(problemOf('reference\n"1\n'), /is not CSV/);
    assert.equal(problemOf(""), "The invoice is empty.");
    assert.match(problemOf("time,price\n"), /Say which columns of the file these are/);
    assert.equal(problemOf("reference\n", { price: "Naira" }), 'The invoice has no column "Naira".');
  });

  test("title lines above the heading are skipped, and other lines keep their numbers in the file", () => {
    const titles = 'Dojah Technologies Ltd\n"Lagos, Nigeria"\nInvoice,INV-2026-10\n\n';
    const expected = [{ line: 6, reference: "D-1", time: null, last4: "0017", price: 5_000 }];
    assert.deepEqual(read(`${titles}Reference,BVN,Amount\nD-1,22000000017,50\n`), expected);
    assert.deepEqual(read(`${titles}Reference;BVN;Amount\nD-1;22000000017;50\n`), expected);
    const padded = "Dojah Technologies Ltd,,\n,,\nInvoice,INV-2026-10,\n,,\n,,\n";
    const [line] = read(`${padded}Reference,BVN,Amount\nD-1,22000000017,50\n`);
    assert.deepEqual([line!.line, line!.reference], [7, "D-1"]);
  });

  test("columns with unusual headings are guessed from their cells", () => {
    const odd =
      "Monthly bill\nS/N,Service,Txn No.,When,Customer,Unit,Total (₦)\n" +
      "1,BVN,TX-81,03/11/2026 14:05,22000000017,x,50\n" +
      '2,NIN,TX-82,03/11/2026 14:09,11000000017,x,"1,050.50"\n' +
      ",,,,,Grand total,1100.50\n";
    const columns = { reference: "Txn No.", time: "When", digits: "Customer", price: "Total (₦)" };
    assert.deepEqual(columnsOf(odd), columns);
    assert.deepEqual(columnsOf(odd, { names: { digits: "none" } }), { ...columns, digits: null });
    assert.deepEqual(columnsOf(odd, { remembered: { reference: "S/N", price: "gone" } }), {
      ...columns,
      reference: "S/N",
    });
    const { headings } = parseInvoice(odd, lagos, { guesses: true });
    assert.deepEqual(headings, ["S/N", "Service", "Txn No.", "When", "Customer", "Unit", "Total (₦)"]);
  });

  test("no column is guessed in a file without headings, because its first line would be lost", () => {
    for (const text of ["D-1,50\nD-2,50\n", "D-1,2026-11-03 14:05,22000000017\nD-2,2026-11-03 14:06,22000000025\n"])
      assert.throws(() => columnsOf(text), /needs a column with the vendor's reference/);
  });
});

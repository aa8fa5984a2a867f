import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf, readCsv } from "./csv.ts";

const heading = "type,code,description,amount,price,value,duration";
const bytes = (text: string) => Buffer.from(text);
const sentences = async (text: string | Uint8Array, list: Parameters<typeof readCsv>[0] = "data-bundles") =>
  (await readCsv(list, typeof text === "string" ? bytes(text) : text)).problems.map(
    ({ place, sentence }) => `${place}${place && ": "}${sentence}`,
  );

test("a CSV file may be as spreadsheets write it: BOM, quotes, naira signs, thousands, empty rows", async () => {
  const text = [
    "\ufeffcode,type,price,amount,description,value,duration",
    '104,MTNDATA,"₦1,000.50","1,000.50","50MB, ""24Hrs""",50MB,24Hrs',
    "",
    ",,,,,,",
    "105,MTNDATA,5,5,Ünïcode ✓,,",
  ].join("\r\n");
  const { entries, problems } = await readCsv("data-bundles", bytes(text));
  assert.deepEqual(problems, []);
  const shared = { type: "MTNDATA", amount: 100_050, price: 100_050 };
  assert.deepEqual(entries, [
    {
      place: "line 2",
      content: { ...shared, code: "104", description: '50MB, "24Hrs"', value: "50MB", duration: "24Hrs" },
    },
    {
      place: "line 5",
      content: {
        type: "MTNDATA",
        code: "105",
        description: "Ünïcode ✓",
        amount: 500,
        price: 500,
        value: "",
        duration: "",
      },
    },
  ]);
});

test("each faulty row is reported with line and remedy, and all correct rows are read", async () => {
  const text = [
    heading,
    "MTNDATA,104,ok,100,100,,",
    "MTNDATA,10 5,ok,100,100,,",
    "MTNDATA,106,ok,1e5,-1,,",
    "MTNDATA,107, ok,100,100,,",
    "MTNDATA,108,ok,100,100",
    'MTNDATA,109,"two',
    'lines",100,100,,',
    "MTNDATA,110,tab\there,100,100,,",
    "MTNDATA,111,ok,100,100,,",
  ].join("\n");
  const { entries } = await readCsv("data-bundles", bytes(text));
  assert.deepEqual(
    entries.map(({ content }) => content.code),
    ["104", "111"],
  );
  assert.deepEqual(await sentences(text), [
    "line 3: code must be 1 to 64 visible ASCII characters without spaces",
    "line 4: amount has an exponent, as spreadsheets write long numbers (format the column as a number): " +
      "write naira such as 1234.50",
    "line 4: price is below zero: write naira such as 1234.50",
    "line 5: description begins or ends with a space",
    "line 6: has 5 values, and the heading has 7",
    "line 7: description holds a line break",
    "line 9: description holds a control character",
  ]);
});

test("a quotation mark in the middle, or never closed, spoils no other row", async () => {
  const middle = `${heading}\nMTNDATA,104,6" pipe,100,100,,\nMTNDATA,105,ok,x,100,,`;
  assert.deepEqual(await sentences(middle), [
    'line 2: a quotation mark stands inside a value: put the value in quotation marks, and write it as ""',
    "line 3: amount is no amount: write naira such as 1234.50",
  ]);
  const open = `${heading}\nMTNDATA,104,ok,x,100,,\nMTNDATA,105,"ok,100,100,,`;
  assert.deepEqual((await sentences(open)).sort(), [
    "line 2: amount is no amount: write naira such as 1234.50",
    "line 3: a quotation mark is opened here, and never closed",
  ]);
});

test("a CSV error has the line number of an editor, with any line ending and with line breaks in quotes", async () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const rows = [
      heading,
      'MTNDATA,1,"two',
      'lines",1,1,,',
      'MTNDATA,2,"has',
      "",
      'a gap",1,1,,',
      'MTNDATA,3,"fine, ""so""",1,1,,',
      "",
      "MTNDATA,4,ok,x,1,,",
      'MTNDATA,5,"two',
      'lines","never',
      "closed,1,1,,",
      "MTNDATA,6,ok,1,1,,",
    ];
    const expected = [
      "line 2: description holds a line break",
      "line 4: description holds a line break",
      "line 9: amount is no amount: write naira such as 1234.50",
      "line 11: a quotation mark is opened here, and never closed",
    ];
    for (const last of ["", end]) assert.deepEqual((await sentences(rows.join(end) + last)).sort(byLine), expected);
  }
});

const lineOf = (sentence: string) => Number(/\d+/.exec(sentence)![0]);
const byLine = (one: string, other: string) => lineOf(one) - lineOf(other);

test("a CSV that is not UTF-8 is refused with the line number, even if only curly quotes are wrong", async () => {
  const curly = Buffer.concat([
    bytes(`${heading}\r\nMTNDATA,1,fine,1,1,,\r\nMTNDATA,2,`),
    Buffer.from([0x93, 0x35, 0x94]),
    bytes(",1,1,,"),
  ]);
  assert.deepEqual(await sentences(curly), ["line 3: this is not UTF-8 text: save the file as CSV UTF-8"]);
});

test("the first line may name the separator, and line numbers still count it", async () => {
  for (const [first, by] of [
    ["sep=;", ";"],
    ["sep=;;;;;;;", ";"],
    ['"sep=\t"', "\t"],
    ["sep=,", ","],
  ] as const) {
    const rows = ["MTNDATA,104,ok,100,100,,", "MTNDATA,105,ok,x,100,,"].map((row) => row.replaceAll(",", by));
    const text = [first, heading.replaceAll(",", by), ...rows].join("\r\n");
    const { entries, problems } = await readCsv("data-bundles", bytes(text));
    assert.deepEqual(
      entries.map(({ place, content }) => `${place}: ${content.code}`),
      ["line 3: 104"],
    );
    assert.deepEqual(
      problems.map(({ place, sentence }) => `${place}: ${sentence}`),
      ["line 4: amount is no amount: write naira such as 1234.50"],
    );
  }
});

test("empty columns at the end of a CSV are ignored", async () => {
  const text = [
    `${heading},, `,
    "MTNDATA,104,ok,100,100,,,,",
    "MTNDATA,105,ok,100,100,,",
    "MTNDATA,106,ok,100,100,,,,more",
    "MTNDATA,107,ok,100,100",
  ].join("\n");
  const { entries } = await readCsv("data-bundles", bytes(text));
  assert.deepEqual(
    entries.map(({ content }) => content.code),
    ["104", "105"],
  );
  assert.deepEqual(await sentences(text), [
    "line 4: has 9 values, and the heading has 7",
    "line 5: has 5 values, and the heading has 7",
  ]);
});

test("no text in a CSV can run in a spreadsheet, and reading it restores the original", async () => {
  const texts = "=1+1 +5 -1 @SUM(A1) ＝1+1 ＋5 －1 ＠SUM(A1) '＝1 '=1 ''@x ' 'quoted' 1-1 '5".split(" ");
  const contents = texts.map((text, at) => ({
    type: "MTNDATA",
    code: /[^!-~]/.test(text) ? `c${at}` : `${text}c`,
    description: text,
    amount: 1,
    price: 1,
    value: "",
    duration: "",
  }));
  const csv = csvOf("data-bundles", contents);
  assert.doesNotMatch(csv, /(^|[,"\n])[=+\-@＝＋－＠\t\r]/);
  const { entries, problems } = await readCsv("data-bundles", bytes(csv));
  assert.deepEqual(problems, []);
  assert.deepEqual(
    entries.map(({ content }) => content),
    contents,
  );
  assert.match(csvOf("data-bundles", [{ ...contents[0]!, description: "\t=1" }]), /,'\t=1,/);
  assert.match(csvOf("data-bundles", [{ ...contents[0]!, description: "\r=1" }]), /,"?'\r=1/);
});

for (const [what, text, sentence] of [
  ["no text", "", "the file is empty: its first line must be a heading"],
  ["the bytes of a workbook", Buffer.from("PK\u0003\u0004rest"), "this is a workbook: save it as CSV UTF-8"],
  ["UTF-16 text", Buffer.from(`\ufeff${heading}`, "utf16le"), "this is UTF-16 text: save it as CSV UTF-8"],
  [
    "text that is not UTF-8",
    Buffer.from(`${heading}\nMTNDATA,1,caf\u00e9,1,1,,`, "latin1"),
    "line 2: this is not UTF-8 text: save the file as CSV UTF-8",
  ],
  [
    "semicolons as separators",
    heading.replaceAll(",", ";"),
    "line 1: the values are separated by semicolons: save the file with commas",
  ],
  [
    "tabs as separators",
    heading.replaceAll(",", "\t"),
    "line 1: the values are separated by tabs: save the file with commas",
  ],
  [
    "a heading with other columns",
    `${heading.replace("price,", "fee,")},value`,
    'line 1: the heading lacks price and has "fee" and has value twice; the columns of data-bundles are type, ' +
      "code, description, amount, price, value, duration, cost, available",
  ],
] as const)
  test(`a file with ${what} is refused with a sentence that names the problem`, async () =>
    assert.deepEqual(await sentences(text), [sentence]));

test("the column of ids in a CSV is optional", async () => {
  const { entries, problems } = await readCsv(
    "data-providers",
    bytes("type,name,narration,image\nMTNDATA,MTN,MTN Data,"),
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(entries[0]!.content, { type: "MTNDATA", name: "MTN", narration: "MTN Data", image: "" });
});

test("a list is written as CSV with heading and byte order mark, and with plain naira", () => {
  const content = {
    code: "104",
    description: '1,5GB "Big"',
    type: "MTNDATA",
    amount: 100_050,
    price: 5,
    value: "",
    duration: "",
  };
  assert.equal(csvOf("data-bundles", [content]), `\ufeff${heading}\nMTNDATA,104,"1,5GB ""Big""",1000.5,0.05,,\n`);
  assert.equal(csvOf("corporate-bundles", []), "\ufeffcode,description\n");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonOf, readJson, readJsonList } from "./json.ts";

const bundle = {
  type: "MTNDATA",
  code: "104",
  description: "",
  amount: "100",
  price: "100.5",
  value: "",
  duration: "",
};

test("lists in JSON are read by name, with money as text", () => {
  const lists = readJson(Buffer.from(JSON.stringify({ "data-bundles": [bundle], "corporate-bundles": [] })));
  assert.ok(!("wrong" in lists));
  assert.deepEqual(lists, [
    {
      list: "data-bundles",
      entries: [{ place: "entry 1", content: { ...bundle, amount: 10_000, price: 10_050 } }],
      problems: [],
    },
    { list: "corporate-bundles", entries: [], problems: [] },
  ]);
});

test("every problem of every entry in a JSON file is reported with its place", () => {
  const given = [bundle, { ...bundle, price: 100, code: null, more: 1 }, 7, { type: "MTNDATA" }];
  assert.deepEqual(
    readJsonList("data-bundles", given).problems.map(({ place, sentence }) => `${place}: ${sentence}`),
    [
      'entry 2: has "more"; members are type, code, description, amount, price, value, duration, cost, available',
      'entry 2: code must be text such as "100", not null',
      'entry 2: price must be text such as "100", not a number',
      "entry 3: must be an object",
      "entry 4: code is missing",
      "entry 4: description is missing",
      "entry 4: amount is missing",
      "entry 4: price is missing",
      "entry 4: value is missing",
      "entry 4: duration is missing",
    ],
  );
  const ids = [0, 1.5, "x", -1, 2 ** 31].map((id) => ({ type: "A", id, name: "", narration: "", image: "" }));
  assert.equal(readJsonList("data-providers", ids).problems.length, 5);
  assert.deepEqual(readJsonList("data-providers", {}).problems[0]!.sentence, "must be an array of objects");
});

for (const [what, text, wrong] of [
  ["text that is not JSON", "{", /^it is not JSON: /],
  ["a list in place of an object", "[]", /^it must be an object with one or more of data-providers, /],
  ["an unknown list", '{"bundles":[]}', /^it has "bundles"; lists are data-providers, /],
  [
    "a list that is named twice",
    '{"data-bundles":[{"data-bundles":[1]}],"corporate-bundles":[],"data-bundle\\u0073": []}',
    /^it has data-bundles twice: put all its entries in one list$/,
  ],
  [
    "text that is not UTF-8",
    Buffer.from('{\r\n"data-bundles": "\u0093caf\u00e9"}', "latin1"),
    /^line 2 is not UTF-8 text: save/,
  ],
] as const)
  test(`a file with ${what} is refused with a sentence that names the problem`, () => {
    const read = readJson(Buffer.from(text));
    assert.match("wrong" in read ? read.wrong : "", wrong);
  });

test("lists are written as JSON with one entry per line, and ids as numbers", () => {
  const provider = { type: "MTNDATA", id: 1, name: "MTN", narration: "", image: "" };
  const text = jsonOf([
    ["data-providers", [provider]],
    ["data-bundles", [{ ...bundle, amount: 10_000, price: 10_050 }]],
    ["corporate-bundles", []],
  ]);
  assert.equal(
    text,
    `{
  "data-providers": [
    {"type":"MTNDATA","id":1,"name":"MTN","narration":"","image":""}
  ],
  "data-bundles": [
    ${JSON.stringify(bundle)}
  ],
  "corporate-bundles": []
}
`,
  );
});

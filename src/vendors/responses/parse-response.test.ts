import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "../../declare/schema/type.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import { memberTypes, responseParser } from "./parse-response.ts";

test("a response of the schema's shape is accepted, with any further members", () => {
  const log = new RecordedLog();
  const read = responseParser("some", Type.Object({ bvn: Type.String() }), log);
  assert.deepEqual(read({ bvn: "22000000017", more: 1 }), { bvn: "22000000017", more: 1 });
  assert.deepEqual(log.lines, []);
});

test("a response of another shape is refused, and the log describes the shape without values", () => {
  const log = new RecordedLog();
  const read = responseParser("some", Type.Object({ data: Type.Object({ bvn: Type.String() }) }), log);
  assert.equal(read({ data: { bvn: 22000000017, names: ["AMINA", "YUSUF"], "08000000017": true } }), undefined);
  const [line] = log.lines;
  assert.deepEqual(line?.fields.rules, ["/data/bvn type"]);
  assert.deepEqual(line?.fields.shape, [".data.bvn: number", ".data.names[]: text", ".data.…: boolean"]);
  assert.doesNotMatch(JSON.stringify(log.lines), /22000000017|AMINA|YUSUF|08000000017/);
});

test("the logged shape is limited in depth and size, and masks names that may be personal data", () => {
  assert.deepEqual(
    memberTypes({ a: null, b: [], c: {}, phone_number1: "x", "Ada Obi": 1, "ada@example.com": 1, x123: 1 }),
    [".a: null", ".b: list", ".c: object", ".phone_number1: text", ".…: number", ".…: number", ".…: number"],
  );
  assert.deepEqual(memberTypes("22000000017"), ["answer: text"]);
  assert.deepEqual(memberTypes(undefined), ["answer: nothing"]);
  const deep = JSON.parse(`${'{"a":'.repeat(50)}1${"}".repeat(50)}`);
  assert.deepEqual(memberTypes(deep), [".a.a.a.a.a.a: object"]);
  const wide = Object.fromEntries(
    Array.from({ length: 400 }, (_, n) => ["a".repeat(n % 20) + "b".repeat(1 + n / 20), n]),
  );
  assert.equal(memberTypes(wide).length, 80);
  assert.equal(memberTypes(Array.from({ length: 500 }, () => 1)).length, 1);
});

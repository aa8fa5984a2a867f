import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { repeatsMember } from "./json-body.ts";

/** A JSON text as a client may write it, and whether one object in that text repeats a member. */
interface Written {
  text: string;
  repeats: boolean;
}

/** Each character as it is or escaped. */
const name = fc
  .array(fc.tuple(fc.constantFrom(...'ab:{}[],"\\'), fc.boolean()), { maxLength: 2 })
  .map((characters) => ({ characters, value: characters.map(([character]) => character).join("") }));
const written = (characters: readonly (readonly [string, boolean])[]) =>
  `"${characters
    .map(([character, isEscaped]) => {
      if (isEscaped) return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
      return character === '"' || character === "\\" ? `\\${character}` : character;
    })
    .join("")}"`;
const special = fc
  .constantFrom("__proto__", "0", "1", "bvn", "")
  .map((value) => ({ characters: [...value].map((character) => [character, false] as const), value }));
const space = fc.constantFrom("", " ", "\n\t");
const leaf = fc
  .oneof(
    name.map(({ characters }) => written(characters)),
    fc.constantFrom("null", "-0.5e3", "true", "[]", "{}", '":{\\"a\\":1,\\"a\\":1}"', '"\\\\"', '"\\\\\\":"'),
  )
  .map((text) => ({ text, repeats: false }));
const { value: anyJson } = fc.letrec<{ value: Written }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }).map((values) => ({
      text: `[${values.map(({ text }) => text).join(",")}]`,
      repeats: values.some(({ repeats }) => repeats),
    })),
    fc
      .tuple(fc.array(fc.tuple(fc.oneof(name, special), tie("value")), { maxLength: 4 }), space)
      .map(([members, gap]) => ({
        text: `{${members.map(([{ characters }, { text }]) => `${gap}${written(characters)}${gap}:${gap}${text}`).join(",")}}`,
        repeats:
          new Set(members.map(([{ value }]) => value)).size < members.length ||
          members.some(([, { repeats }]) => repeats),
      })),
  ),
}));

suite("a member that stands twice in one object", () => {
  test("only a repeated JSON member is found, at any depth and in any spelling", () => {
    const found = { true: 0, false: 0 };
    fc.assert(
      fc.property(anyJson, ({ text, repeats }) => {
        found[`${repeats}`] += 1;
        assert.equal(repeatsMember(text), repeats, text);
      }),
      { numRuns: 5000 },
    );
    assert.ok(found.true > 500 && found.false > 500, JSON.stringify(found));
  });

  test("a repeated JSON member is found although V8 misreads its escaped name", () => {
    JSON.parse('{"a":"1","\\\\":"2"}');
    assert.equal(repeatsMember('{"a":"1","\\u0061":"2"}'), true);
  });

  test("a repeated JSON member is found below 5,000 nested arrays", () => {
    const [open, close] = ["[".repeat(5000), "]".repeat(5000)];
    for (const [text, repeats] of [
      [`${open}{"a":1,"a":1}${close}`, true],
      [`${open}{"a":1,"b":1}${close}`, false],
      [`${'{"a":'.repeat(3000)}1${"}".repeat(3000)}`, false],
    ] as const)
      assert.equal(repeatsMember(text), repeats);
  });
});

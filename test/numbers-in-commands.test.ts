import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { membersOf, readTexts } from "../src/declare/command/read-texts.ts";
import { TimeZone } from "../src/runtime/time-zone.ts";
import { everyCommand } from "../src/wire/every-command.ts";

const zone = new TimeZone("Africa/Lagos");
/** A BVN, and a phone number as people write it. */
const numbers = [
  ...["22650000012", "08031415926", "8031415926", "2348031415926", "23408031415926", "226500000123"],
  ...["0803.141.5926", "0803/141/5926", "0803_141_5926", "٢٢٦٥٠٠٠٠٠١٢", "２２６５０００００１２"],
];

suite("a person's number in a text of a command", async () => {
  // A command without a store keeps nothing.
  for (const { id, input } of (await everyCommand()).filter(({ store }) => store !== "none"))
    test(`a person's number is refused or masked in ${id}`, () => {
      for (const { name, member } of membersOf(input)) {
        const { type, holds, private: isPrivate, pasted, ofCallers } = { ...member, ...member.items };
        if (type !== "string" || holds || isPrivate || pasted) continue;
        for (const number of numbers) {
          if (ofCallers && number.length !== 11) continue;
          for (const text of [`Ada ${number}`, `${number}@example.com`, `ada${number}@example.com`]) {
            const { input: read } = readTexts(input, { [name]: member.type === "array" ? [text] : text }, zone);
            const isKept = JSON.stringify(read[name] ?? "").includes(number);
            // In a text without a form, a number next to a letter is part of a word.
            assert.ok(!isKept || (text.startsWith("ada") && !member.form), `${name} keeps ${text}`);
          }
        }
      }
    });

  test("a command refuses a person's number in a label, and accepts other numbers", async () => {
    const create = (await everyCommand()).find(({ id }) => id === "keys.create")!;
    const problemsOf = (label: string) =>
      readTexts(create.input, { account: "shop@example.com", label }, zone).problems.map(({ field }) => field);
    assert.deepEqual(problemsOf("2265"), []);
    assert.deepEqual(problemsOf("order 123456789 of 2026-11-24"), []);
    assert.deepEqual(problemsOf("ref22650000012x"), []);
    assert.deepEqual(problemsOf("22650000012"), ["label"]);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { hoard } from "../../runtime/threads/greedy.fixture.ts";
import { readChosen } from "./read-chosen.ts";
import { InputError } from "./read-texts.ts";

test("a file that takes too long or too much memory to read is named in an error that says what to do", async () => {
  const file = { name: "prices.csv", read: async () => new Uint8Array(1) };
  const module = new URL("../../runtime/threads/greedy.fixture.ts", import.meta.url).href;
  await assert.rejects(
    Array.fromAsync(readChosen(file, module, hoard)),
    new InputError(
      "Duba stopped reading prices.csv: it took more than 30 seconds or too much memory. " +
        "Check that it is the right file, or split it into smaller files.",
    ),
  );
});

test("a spreadsheet file is refused with the advice to save it as CSV", async () => {
  const workbooks = [
    [0x50, 0x4b, 0x03, 0x04, 0x14],
    [0xd0, 0xcf, 0x11, 0xe0, 0xa1],
  ];
  for (const bytes of workbooks) {
    const file = { name: "invoice.xlsx", read: async () => new Uint8Array(bytes) };
    await assert.rejects(
      Array.fromAsync(readChosen(file, import.meta.url, hoard)),
      new InputError(
        "invoice.xlsx is a file of Excel or another spreadsheet program. Save it as CSV, and give that file.",
      ),
    );
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { timeLineView } from "./time-line-view.ts";

test("a time line says in words what a vendor answered, how long it took beside the others, and what it costs", () => {
  const { text } = timeLineView(
    [
      { at: 0, what: "asked, request request-1", by: "key k" },
      { at: 4, what: "attempt 1", by: "prembly" },
      { at: 1004, what: "failed, timed out after 1000 ms", by: "prembly" },
      { at: 1010, what: "attempt 2", by: "dojah" },
      { at: 1422, what: "verified after 412 ms, for ₦50.00", by: "dojah" },
      { at: 1423, what: "charged ₦100.00", by: "" },
      { at: 9999, what: "gave back ₦100.00: the answer came after 90000 ms", by: "" },
    ],
    new Map([["k", "Checkout"]]),
  );
  const said = [...text.matchAll(/<strong>(.*?)<\/strong><span class="quiet">(.*?)<\/span>/g)].map(
    ([, what, more]) => `${what}|${more}`,
  );
  assert.deepEqual(said, [
    "The client asked|with key Checkout; request request-1",
    "Prembly was asked|",
    "Prembly failed: timed out|after 1000 ms",
    "Dojah was asked|",
    "Dojah found the person|after 412 ms",
    "Charged|",
    "Gave back ₦100.00: the answer came after 90000 ms|",
  ]);
  const waits = [...text.matchAll(/<rect class="(c\d)" width="(\d+)"/g)].map(([, tone, width]) => `${tone} ${width}`);
  assert.deepEqual(waits, ["c3 100", "c1 41"]);
  assert.match(text, /costs ₦50<span class="kobo">\.00<\/span>/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { timeLineView } from "./time-line-view.ts";

const asked = {
  what: "asked, request request-1",
  by: "key k",
  step: "asked",
  key_id: "k",
  request_id: "request-1",
} as const;
const answer = { what: "", step: "answer" } as const;

test("a time line states the vendor's result in words, its duration as a bar, and its cost", () => {
  const { text } = timeLineView(
    [
      { ...asked, at: 0 },
      { at: 4, what: "attempt 1", by: "prembly", step: "question" },
      { ...answer, at: 1004, by: "prembly", outcome: "failed", reason: "refused", status: 422, took: 1000 },
      { at: 1010, what: "attempt 2", by: "dojah", step: "question" },
      { ...answer, at: 1422, by: "dojah", outcome: "verified", status: 200, took: 412, amount: 5_000 },
      {
        at: 1422,
        what: "",
        by: "blusalt",
        step: "question",
        outcome: "unknown",
        reason: "server_error",
        status: 500,
      },
      { at: 1423, what: "charged ₦100.00", by: "", step: "charge", amount: 10_000 },
      { at: 1500, what: "noted: unknown after 5 ms, failed", by: "person:per_1", step: "deed" },
      {
        at: 9999,
        what: "gave back ₦100.00: the answer came after 90000 ms",
        by: "",
        step: "correction",
        amount: -10_000,
      },
    ],
    new Map([
      ["k", "Checkout"],
      ["person:per_1", "Ada"],
    ]),
  );
  const said = [...text.matchAll(/<strong>(.*?)<\/strong><span class="quiet">(.*?)<\/span>/g)].map(
    ([, what, more]) => `${what}|${more}`,
  );
  assert.deepEqual(said, [
    "The client asked|with key Checkout; request request-1",
    "Prembly was asked|",
    "Prembly failed: refused|after 1000 ms, HTTP 422",
    "Dojah was asked|",
    "Dojah found the person|after 412 ms, HTTP 200",
    "Blusalt was asked|it has no outcome: server error, HTTP 500",
    "Charged|",
    "Noted: unknown after 5 ms, failed|Ada",
    "Gave back ₦100.00: the answer came after 90000 ms|",
  ]);
  const waits = [...text.matchAll(/<rect class="(c\d)" width="(\d+)"/g)].map(([, tone, width]) => `${tone} ${width}`);
  assert.deepEqual(waits, ["c3 100", "c1 41"]);
  const signs = [...text.matchAll(/<span class="dot (\w*)"/g)].map(([, tone]) => tone);
  assert.deepEqual(signs, ["", "", "bad", "", "good", "bad", "good", "", ""]);
  assert.match(text, /costs ₦50<span class="kobo">\.00<\/span>/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { sayingFor } from "./command-words.ts";

const site = { places: [], commands: new Map(), records: {} };
const say = sayingFor(site, new Map(), { textOf: String });

test("a sentence of a page has the label of a member in place of its name, and ids as they are", () => {
  const { text } = say("Give a monthly_cap, or --time-column, for ep_zx--27F6sk63 and acc_ab-c.");
  assert.equal(text, "Give a monthly cap, or “Time column”, for ep_zx--27F6sk63 and acc_ab-c.");
});

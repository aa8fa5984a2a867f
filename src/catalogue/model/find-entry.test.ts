import assert from "node:assert/strict";
import { test } from "node:test";
import { starterSnapshot } from "../catalogue.fixture.ts";
import { findCableProvider, findDataProvider } from "./find-entry.ts";
import { emptySnapshot, groupIn } from "./snapshot.ts";

const snapshot = await starterSnapshot();

function messageOf(find: () => unknown): string {
  try {
    find();
  } catch (error) {
    return (error as Error).message;
  }
  return assert.fail("it was found");
}

test("an unknown code is repeated only if it cannot be a person's number or a piece of markup", () => {
  const begin = (code: string) => messageOf(() => findDataProvider(snapshot, code)).split(". ", 1)[0];
  assert.equal(begin("FOODATA"), "No data provider has the code FOODATA");
  for (const code of [
    ..."22000000017|<b>|2212-345-6789|x_1_2_3_4_5_6_7_8_9_0|a b|é|a'b|{{7*7}}".split("|"),
    "A".repeat(33),
  ])
    assert.equal(begin(code), "No data provider has this code");
});

test("the message about an unknown code lists the known codes in order, if the catalogue has any", () => {
  const codes = groupIn(snapshot, "cable-providers").map(({ content }) => content.type);
  assert.ok(codes.length > 1);
  assert.equal(
    messageOf(() => findCableProvider(snapshot, "x")),
    `No cable provider has the code x. Known codes: ${codes.join(", ")}.`,
  );
  assert.equal(
    messageOf(() => findCableProvider(emptySnapshot, "x")),
    "No cable provider has the code x.",
  );
});

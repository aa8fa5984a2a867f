import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "../../operation/schema/type.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import { outcomeReader } from "./read-outcome.ts";

test("a vendor's own reference is kept, unless it may hold a number of the person", () => {
  const answers = {
    vendor: "played",
    failureIn: () => ({ kind: "not_found" }) as const,
    good: Type.Unknown(),
    recordIn: (answer: unknown) => answer,
    referenceIn: (body: unknown) => (body as { id: unknown }).id,
  };
  const read = outcomeReader(answers, new RecordedLog());
  const outcomeWith = (id: unknown) => read({ kind: "answered", status: 404, body: { id } }, "bvn");
  assert.deepEqual(outcomeWith("ref-1:a.B_2"), { kind: "not_found", reference: "ref-1:a.B_2" });
  for (const id of ["22000000017", "bvn-220-000-000-17", "0800.000.0017x", "a b", "é", "x".repeat(65), "", 17, null])
    assert.deepEqual(outcomeWith(id), { kind: "not_found" }, String(id));
});

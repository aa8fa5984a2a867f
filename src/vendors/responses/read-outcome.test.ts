import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "../../declare/schema/type.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import { negative, unavailable } from "../ports/outcomes.ts";
import { outcomeReader } from "./read-outcome.ts";

test("a vendor's reference is kept, unless it may contain the person's number", async () => {
  const responses = {
    vendor: "played",
    failureIn: () => negative("not_found"),
    good: Type.Unknown(),
    recordIn: (response: unknown) => response,
    factsIn: (body: unknown) => ({ reference: (body as { id: unknown }).id }),
  };
  const read = outcomeReader(responses, new RecordedLog());
  const asked = { kind: "bvn", number: "22000000017", claims: { phone: "8000000017" } } as const;
  const notFound = { ...negative("not_found"), httpStatus: 404 };
  const outcomeWith = (id: unknown) => read({ kind: "answered", status: 404, body: { id } }, asked);
  for (const id of ["ref-1:a.B_2", "0f8fad5b-d9cb-469f-1234-567890123456", "20261122093000123456", "a/b+c=="])
    assert.deepEqual(await outcomeWith(id), { ...notFound, reference: id });
  assert.deepEqual(await outcomeWith(1234567890123), { ...notFound, reference: "1234567890123" });
  for (const id of [
    ...["22000000017", "bvn-220-000-000-17", "0800.000.0017x", "2348000000017", 22000000017],
    ...["a b", "é", "x".repeat(65), "", null, {}],
  ])
    assert.deepEqual(await outcomeWith(id), notFound, String(id));
});

test("an outcome carries the vendor's Retry-After only with status 429 or 503", async () => {
  const responses = {
    vendor: "played",
    failureIn: () => unavailable("rate_limited"),
    good: Type.Unknown(),
    recordIn: (response: unknown) => response,
  };
  const read = outcomeReader(responses, new RecordedLog());
  const asked = { kind: "bvn", number: "22000000017", claims: { phone: "8000000017" } } as const;
  const waitOf = async (text: string, status = 429) =>
    (await read({ kind: "answered", status, body: {}, headers: { "retry-after": text } }, asked)).retryAfter;
  const byStatus: Record<number, number | undefined> = {};
  for (const status of [200, 400, 403, 429, 500, 502, 503, 504]) byStatus[status] = await waitOf("30", status);
  assert.deepEqual(
    Object.keys(byStatus).filter((status) => byStatus[Number(status)] === 30),
    ["429", "503"],
  );
  assert.deepEqual(await Promise.all(["30", "0", "soon", "9999999"].map((text) => waitOf(text))), [
    30,
    undefined,
    undefined,
    3600,
  ]);
  const dated = await waitOf(new Date(Date.now() + 90_000).toUTCString());
  assert.ok(dated !== undefined && dated > 60 && dated <= 90, String(dated));
});

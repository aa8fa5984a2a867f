import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { endless, failing, hoard, multiples } from "./greedy.fixture.ts";
import { inThread, slicesOf, ThreadEnded } from "./in-thread.ts";

const module = new URL("./greedy.fixture.ts", import.meta.url).href;
const patient = { milliseconds: 600_000, transfer: [] };

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  return Array.fromAsync(values);
}

suite("work in a thread", () => {
  test("a thread yields its values in order, and takes ownership of the bytes", async () => {
    const bytes = new Uint8Array(7);
    const limits = { ...patient, transfer: [bytes.buffer] };
    assert.deepEqual(await all(inThread(module, multiples, [bytes, 3], limits)), [7, 14, 21]);
    assert.equal(bytes.length, 0);
  });

  test("a thread ends at its time limit, at its memory limit, and when the reader stops", async () => {
    await assert.rejects(all(inThread(module, endless, [], { ...patient, milliseconds: 100 })), ThreadEnded);
    await assert.rejects(all(inThread(module, hoard, [], patient)), ThreadEnded);
    for await (const value of inThread(module, multiples, [new Uint8Array(1), 1e9], patient)) if (value === 2) break;
    assert.deepEqual(await all(inThread(module, multiples, [new Uint8Array(1), 1], patient)), [1]);
  });

  test("a thread rethrows its function's error, and the next thread runs", async () => {
    await assert.rejects(all(inThread(module, failing, [], patient)), new TypeError("This went wrong"));
    const shared = new DataView(new ArrayBuffer(1)).buffer;
    const twice = inThread(module, multiples, [new Uint8Array(shared), 1], { ...patient, transfer: [shared, shared] });
    await assert.rejects(all(twice), { name: "DataCloneError" });
    assert.deepEqual(await all(inThread(module, multiples, [new Uint8Array(2), 1], patient)), [2]);
  });

  test("threads run one at a time", async () => {
    const order: string[] = [];
    const one = async (name: string) => {
      for await (const value of inThread(module, multiples, [new Uint8Array(1), 3], patient))
        order.push(`${name}${value}`);
    };
    await Promise.all([one("a"), one("b")]);
    assert.deepEqual(order, ["a1", "a2", "a3", "b1", "b2", "b3"]);
  });
});

test("a list is passed to a thread in slices, and an empty list in one slice", () => {
  assert.deepEqual([...slicesOf([])], [[]]);
  const list = Array.from({ length: 1_201 }, (_, at) => at);
  assert.deepEqual([...slicesOf(list)].flat(), list);
  assert.ok([...slicesOf(list)].every(({ length }) => length <= 500));
});

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Readers } from "./connections.ts";

/** A connection to which `written` bytes were written, of which `writableLength` wait. */
function connection() {
  return {
    bytesWritten: 0,
    writableLength: 0,
    isCut: false,
    write(bytes: number) {
      this.bytesWritten += bytes;
      this.writableLength += bytes;
    },
    resetAndDestroy() {
      this.isCut = true;
      return this as never;
    },
  };
}

suite("a reader", () => {
  test("a caller that reads nothing is disconnected at the time limit, and not before", () => {
    const readers = new Readers(1000);
    const slow = connection();
    readers.add(slow);
    slow.write(10);
    assert.equal(readers.cutSlow(0), 0);
    assert.equal(readers.cutSlow(999), 0);
    assert.equal(readers.cutSlow(1000), 1);
    assert.equal(slow.isCut, true);
    assert.equal(readers.cutSlow(5000), 0);
  });

  test("a caller that reads a byte now and then is disconnected like one that reads nothing", () => {
    const readers = new Readers(1000);
    const trickling = connection();
    readers.add(trickling);
    trickling.write(1000);
    for (let now = 0; now < 1000; now += 100) {
      assert.equal(readers.cutSlow(now), 0);
      trickling.writableLength -= 1;
    }
    assert.equal(readers.cutSlow(1000), 1);
  });

  test("a caller that reads each answer in time stays connected, even with a constant backlog", () => {
    const readers = new Readers(1000);
    const steady = connection();
    readers.add(steady);
    for (let now = 0; now < 10_000; now += 500) {
      steady.write(20);
      assert.equal(readers.cutSlow(now), 0);
      steady.writableLength -= 20 - (now === 0 ? 5 : 0);
    }
    assert.equal(steady.isCut, false);
  });

  test("the time limit does not apply to idle or closed connections", () => {
    const readers = new Readers(1000);
    const [idle, gone] = [connection(), connection()];
    readers.add(idle);
    readers.add(gone);
    gone.write(10);
    readers.cutSlow(0);
    readers.delete(gone);
    idle.write(10);
    readers.cutSlow(500);
    idle.writableLength = 0;
    readers.cutSlow(1000);
    idle.write(10);
    assert.equal(readers.cutSlow(1600), 0);
    assert.deepEqual([idle.isCut, gone.isCut], [false, false]);
  });
});

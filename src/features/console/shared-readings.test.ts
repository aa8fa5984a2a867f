import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedReadings } from "./shared-readings.ts";

test("open pages share a reading until it is too old, data changes, or the reading fails", async () => {
  const clock = { at: 0 };
  const readings = new SharedReadings(() => clock.at);
  let count = 0;
  const read = async () => String(++count);
  const ask = (key = "live officer") => readings.get(key, 5000, read);

  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), ["1", "1", "1"]);
  assert.equal(await ask("live viewer"), "2");
  clock.at = 4999;
  assert.equal(await ask(), "1");
  clock.at = 5000;
  assert.equal(await ask(), "3");
  readings.clear();
  assert.equal(await ask(), "4");
  assert.equal(await readings.get("live officer", 0, read), "5");
  assert.equal(await ask(), "5");
  await assert.rejects(readings.get("live officer", 0, () => Promise.reject(new Error("the store is away"))));
  assert.equal(await ask(), "6");
});

test("a page shows a status of the last minute without waiting for an unavailable store", async () => {
  const clock = { at: 0 };
  const readings = new SharedReadings(() => clock.at);
  const never = () => new Promise<string>(() => {});
  const soon = (read: () => Promise<string>) => readings.soon("state", read, { keptFor: 1, patience: 0, first: 1 });
  const read = (text: string) =>
    readings.soon("state", async () => text, { keptFor: 1, patience: 60_000, first: 60_000 });

  assert.equal(await soon(never), undefined);
  readings.clear();
  assert.equal(await read("well"), "well");
  clock.at = 59_000;
  assert.equal(await soon(never), "well");
  clock.at = 60_000;
  assert.equal(await soon(never), undefined);
  clock.at = 60_001;
  assert.equal(await read("ill"), "ill");
  clock.at = 60_002;
  assert.equal(await soon(() => Promise.reject(new Error("the store is away"))), "ill");
  readings.clear();
  assert.equal(await soon(never), undefined);
});

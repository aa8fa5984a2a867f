import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { until } from "../../../test/support/until.ts";
import { headerOf, plainForm, textOf } from "../catalogue.fixture.ts";
import { Body } from "./body.ts";
import { noFreshness } from "./freshness.ts";
import { Response } from "./response.ts";

const start = Date.UTC(2026, 0, 31, 9, 30);

function underClock(times = 100) {
  const clock = { time: start };
  const before = [Buffer.from(`{"list":"${"bundle ".repeat(times)}",`), Buffer.from('"date":"')];
  const body = new Body(before, 'W/"x"', { after: Buffer.from('"}'), now: () => clock.time });
  const response = new Response(body, { revision: 1, publishedAt: 0, open: true, freshness: noFreshness });
  return { clock, response };
}

const dateIn = (text: string): string => JSON.parse(text).date;

test("a response's bytes are reused until its date is 59 seconds old", () => {
  const { clock, response } = underClock();
  const first = plainForm(response);
  clock.time = start + 58_999;
  assert.equal(plainForm(response), first);
  clock.time = start + 59_000;
  const second = plainForm(response);
  assert.equal(dateIn(first.body.toString()), "2026-01-31T09:30:00.000Z");
  assert.equal(dateIn(second.body.toString()), "2026-01-31T09:30:59.000Z");
  assert.equal(second.body.toString().replace("30:59.000", "30:00.000"), first.body.toString());
});

test("a body is compressed only once, although its date changes later", async () => {
  for (const times of [100, 100_000])
    for (const [coding, decode] of [
      ["gzip", gunzipSync],
      ["br", brotliDecompressSync],
    ] as const) {
      const { clock, response } = underClock(times);
      const codingOf = async () => headerOf(await response.form(coding, true), "Content-Encoding");
      await until(async () => (await codingOf()) === coding);
      for (const seconds of [59, 118]) {
        clock.time = start + seconds * 1000;
        const form = response.form(coding, true);
        assert.ok(!(form instanceof Promise));
        assert.equal(headerOf(form, "Content-Encoding"), coding);
        const plain = plainForm(response, true).body;
        assert.deepEqual(decode(form.body), plain);
        assert.equal(dateIn(plain.toString()), new Date(clock.time).toISOString());
      }
    }
});

test("a body is sent uncompressed with a new date if its date expires during the compression", async () => {
  const { clock, response } = underClock();
  const pending = response.form("gzip", true);
  clock.time = start + 60_001;
  const form = await pending;
  assert.equal(headerOf(form, "Content-Encoding"), undefined);
  assert.equal(headerOf(form, "Cache-Control"), "public, max-age=60, stale-if-error=600");
  assert.equal(dateIn(form.body.toString()), "2026-01-31T09:31:00.001Z");
});

test("if the clock is set back, a response is written again, so that the date in its body is not in the future", () => {
  const { clock, response } = underClock();
  assert.equal(dateIn(textOf(response)), "2026-01-31T09:30:00.000Z");
  clock.time = start - 10_000;
  assert.equal(dateIn(textOf(response)), "2026-01-31T09:29:50.000Z");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { until } from "../../../test/support/until.ts";
import { headerOf, plainForm } from "../catalogue.fixture.ts";
import { Body } from "./body.ts";
import { etagOf } from "./etag.ts";
import { noFreshness } from "./freshness.ts";
import { type Description, Response } from "./response.ts";

const description: Description = {
  revision: 7,
  publishedAt: Date.UTC(2026, 0, 31, 9, 30),
  open: true,
  freshness: noFreshness,
};

function bodyOf(length: number): Body {
  return new Body([Buffer.alloc(length, '{"code":"104"}')], 'W/"x"');
}

function answerOf(length: number, changes: Partial<Description> = {}): Response {
  return new Response(bodyOf(length), { ...description, ...changes });
}

test("prepared headers are complete except for those that differ by request", () => {
  assert.deepEqual(plainForm(answerOf(300)).headers, [
    ...["Content-Type", "application/json; charset=utf-8"],
    ...["Content-Length", "300"],
    ...["ETag", 'W/"x"'],
    ...["Last-Modified", "Sat, 31 Jan 2026 09:30:00 GMT"],
    ...["Cache-Control", "private, max-age=60, stale-if-error=600"],
    ...["Vary", "Authorization, Accept-Encoding"],
    ...["Duba-Catalogue-Revision", "7"],
    ...["X-Content-Type-Options", "nosniff"],
  ]);
});

test("concurrent callers share one compression of a body, and later callers get its result", async () => {
  const response = answerOf(5_000);
  const first = response.form("br", false);
  assert.ok(first instanceof Promise);
  assert.equal(response.form("br", false), first);
  const shared = await response.form("br", true);
  const form = await first;
  assert.equal(response.form("br", false), form);
  assert.equal(response.form("br", true), shared);
  assert.equal(shared.body, form.body);
});

test("revisions with equal bodies share the plain and compressed bytes, but have different headers", async () => {
  const body = bodyOf(5_000);
  const [seventh, eighth] = [new Response(body, description), new Response(body, { ...description, revision: 8 })];
  const [one, other] = [await seventh.form("br", true), await eighth.form("br", true)];
  assert.equal(one.body, other.body);
  assert.equal(plainForm(seventh).body, plainForm(eighth).body);
  assert.equal(headerOf(one, "Duba-Catalogue-Revision"), "7");
  assert.equal(headerOf(other, "Duba-Catalogue-Revision"), "8");
});

test("bodies under 256 bytes and over 4 MiB are not compressed", async () => {
  for (const length of [255, 4 * 1024 * 1024 + 1]) {
    const form = answerOf(length).form("gzip", false);
    assert.ok(!(form instanceof Promise));
    assert.equal(headerOf(form, "Content-Encoding"), undefined);
    assert.equal(form.body.length, length);
  }
  for (const length of [256, 256 * 1024]) {
    const form = await answerOf(length).form("gzip", false);
    assert.equal(headerOf(form, "Content-Encoding"), "gzip");
  }
  const largest = answerOf(4 * 1024 * 1024);
  await until(() => codingOf(largest, "gzip") === "gzip");
});

/** The content coding of the form that is sent without waiting for a compression. */
function codingOf(response: Response, encoding: "gzip" | "br"): string | undefined {
  const form = response.form(encoding, false);
  return form instanceof Promise ? assert.fail("the form has to be waited for") : headerOf(form, "Content-Encoding");
}

test("large bodies are compressed one at a time, and all in the end", async () => {
  const responses = [4_000_000, 300_000, 400_000].map((length) => answerOf(length));
  const [first, second] = responses as [Response, Response];
  for (const response of responses) assert.equal(codingOf(response, "br"), undefined);
  await until(() => codingOf(first, "br") === "br");
  assert.equal(codingOf(second, "br"), undefined);
  await until(() => responses.map((response) => codingOf(response, "br")).every((coding) => coding === "br"));
  for (const response of responses) {
    const { body } = await response.form("br", false);
    assert.deepEqual(brotliDecompressSync(body), plainForm(response).body);
  }
});

test("a validator is weak and depends on the content alone", () => {
  assert.match(etagOf(["list"]), /^W\/"[\w-]{43}"$/);
  assert.equal(etagOf(["li", Buffer.from("st")]), etagOf(["list"]));
  assert.notEqual(etagOf(["list"]), etagOf(["lists"]));
});

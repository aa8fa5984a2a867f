import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { looseGuard, publisherOf } from "../src/catalogue/catalogue.fixture.ts";
import { withEntries } from "../src/catalogue/model/snapshot.ts";
import { publish } from "../src/catalogue/revisions/publish.ts";
import type { Plan } from "../src/catalogue/revisions/review.ts";
import { type ServiceResponse, startService } from "./support/service.ts";
import { noticed, until } from "./support/until.ts";

const path = "/api/v2/internet/data/lookup?provider=MTNDATA";
const about = { author: "ops", source: "test", note: "" };

/** Adds `count` bundles of MTN, of about 200 bytes each in the response. */
const bundles =
  (count: number, from: number): Plan =>
  (base) => {
    const edits = Array.from({ length: count }, (_, n) => {
      const code = `L${from + n}`;
      const texts = { code, description: `Large ${code} `.repeat(9), value: "1GB", duration: "30 days" };
      const content = { type: "MTNDATA", ...texts, amount: 78_500, price: 78_500 };
      return { subject: "data-bundles" as const, key: `MTNDATA ${code}`, content };
    });
    return withEntries(base, edits);
  };

const withoutDate = (text: string) => text.replace(/"date":"[^"]*"/, "");

suite("a list above 256 KiB", () => {
  test("a large list is sent uncompressed until it is compressed, then in each coding, with one ETag", async () => {
    await using service = await startService({ DUBA_LIMITS: "off" });
    const { db } = await service.store();
    const ask = (encoding: string, more = {}): Promise<ServiceResponse> =>
      service.ask(path, { headers: { "Accept-Encoding": encoding, ...more } });
    const grown = async (count: number, from: number, atLeast: number) => {
      const outcome = await publish(publisherOf(db, { guard: looseGuard }), bundles(count, from), about);
      assert.equal(outcome.state, "published", JSON.stringify(outcome).slice(0, 500));
      return noticed(
        () => ask("identity"),
        ({ bytes }) => bytes.length > atLeast,
      );
    };
    const plain = await grown(5_000, 0, 1_000_000);
    assert.ok(plain.bytes.length < 1_500_000, String(plain.bytes.length));

    for (const [coding, decode] of [
      ["gzip", gunzipSync],
      ["br", brotliDecompressSync],
    ] as const) {
      const first = await ask(coding);
      assert.equal(first.headers["content-encoding"], undefined);
      assert.equal(withoutDate(first.text), withoutDate(plain.text));
      await until(async () => (await ask(coding)).headers["content-encoding"] === coding);
      const responses = await Promise.all([ask(coding), ask(coding), ask(coding)]);
      for (const { headers, bytes } of responses) {
        assert.equal(headers["content-encoding"], coding);
        assert.equal(Number(headers["content-length"]), bytes.length);
        assert.ok(bytes.length < plain.bytes.length / 4, String(bytes.length));
        assert.equal(withoutDate(decode(bytes).toString()), withoutDate(plain.text));
        for (const name of ["etag", "vary", "last-modified", "cache-control", "content-type"])
          assert.equal(headers[name], plain.headers[name], name);
      }
      const known = await ask(coding, { "If-None-Match": plain.headers.etag });
      assert.deepEqual([known.status, known.bytes.length], [304, 0]);
      assert.equal((await ask("identity")).headers["content-encoding"], undefined);
    }

    // A new revision is served at once: uncompressed, never in the compressed form of the previous revision.
    const next = await grown(1, 5_000, plain.bytes.length);
    assert.notEqual(next.headers.etag, plain.headers.etag);
    const first = await ask("br");
    assert.equal(withoutDate(first.text), withoutDate(next.text));
    await until(async () => (await ask("br")).headers["content-encoding"] === "br");
    assert.equal(withoutDate(brotliDecompressSync((await ask("br")).bytes).toString()), withoutDate(next.text));
  });
});

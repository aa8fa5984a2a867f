import assert from "node:assert/strict";
import { test } from "node:test";
import { CatalogueResponses, headerOf, plainForm, starterSnapshot } from "../catalogue.fixture.ts";
import { ResponseCache } from "./cache.ts";
import { noFreshness, SourceFreshness } from "./freshness.ts";

const start = Date.UTC(2026, 0, 31, 9, 30);
const starter = await starterSnapshot();

function following(covers: ConstructorParameters<typeof SourceFreshness>[1]) {
  const freshness = new SourceFreshness("peer", covers);
  const responses = new CatalogueResponses(
    starter,
    new ResponseCache(
      () => start,
      (list) => (freshness.covers.includes(list) ? freshness : noFreshness),
    ),
  );
  return { freshness, responses };
}

test("answers say how old the source's list is, without a change of the ETag", () => {
  const { freshness, responses } = following(["data-bundles"]);
  freshness.set(start, false);
  const first = plainForm(responses.dataBundles("MTNDATA"));
  assert.equal(headerOf(first, "Duba-Catalogue-As-Of"), "2026-01-31T09:30:00.000Z");
  assert.equal(headerOf(first, "Duba-Catalogue-Stale"), undefined);
  freshness.set(start + 900_000, false);
  const second = plainForm(responses.dataBundles("MTNDATA"));
  assert.equal(headerOf(second, "Duba-Catalogue-As-Of"), "2026-01-31T09:45:00.000Z");
  freshness.set(start + 900_000, true);
  const third = plainForm(responses.dataBundles("MTNDATA"));
  assert.equal(headerOf(third, "Duba-Catalogue-As-Of"), "2026-01-31T09:45:00.000Z");
  assert.equal(headerOf(third, "Duba-Catalogue-Stale"), "true");
  for (const form of [second, third]) {
    assert.equal(headerOf(form, "ETag"), headerOf(first, "ETag"));
    assert.equal(form.body, first.body);
  }
});

test("the same response is sent until the source's time changes", () => {
  const { freshness, responses } = following(["data-bundles"]);
  freshness.set(start, false);
  const form = plainForm(responses.dataBundles("MTNDATA"));
  freshness.set(start, false);
  assert.equal(plainForm(responses.dataBundles("MTNDATA")), form);
});

test("a new time of the source does not compress a list's body again", async () => {
  const { freshness, responses } = following(["data-bundles"]);
  const first = await responses.dataBundles("MTNDATA").form("br", true);
  freshness.set(start, false);
  const second = await responses.dataBundles("MTNDATA").form("br", true);
  assert.equal(headerOf(second, "Duba-Catalogue-As-Of"), "2026-01-31T09:30:00.000Z");
  assert.equal(second.body, first.body);
});

test("lists that the source does not cover have no header about the source's age", () => {
  const { freshness, responses } = following(["data-bundles", "cable-products"]);
  freshness.set(start, true);
  const told = (response: Parameters<typeof plainForm>[0]) => headerOf(plainForm(response), "Duba-Catalogue-Stale");
  assert.equal(told(responses.dataBundles(undefined)), "true");
  assert.equal(told(responses.cablePlans("dstv")), "true");
  for (const response of [responses.dataProviders(), responses.corporateBundles(), responses.addOns("dstv", "PRWE36")])
    assert.equal(told(response), undefined);
});

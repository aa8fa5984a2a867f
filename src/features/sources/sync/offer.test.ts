import assert from "node:assert/strict";
import { test } from "node:test";
import { applyChanges, revised, starterSnapshot } from "../../../catalogue/catalogue.fixture.ts";
import { type Change, difference } from "../../../catalogue/document/difference.ts";
import { withLists } from "../../../catalogue/document/replace-lists.ts";
import { reasonsToHold, usualGuard } from "../../../catalogue/guard/guard.ts";
import { groupIn, inOrder, itemIn, type Snapshot } from "../../../catalogue/model/snapshot.ts";
import type { Offer } from "../offered.ts";
import mtn from "../vendors/vtpass/fixtures/published/mtn-data.json" with { type: "json" };
import { openPublished, published } from "../vendors/vtpass/published.fixture.ts";
import { fitting } from "./fit.ts";
import { offerHash, offerOf } from "./offer.ts";

const signal = new AbortController().signal;
const base = await starterSnapshot();
const mtnPath = "/api/service-variations?serviceID=mtn-data";
const variation = (variation_code: string, variation_amount: string, name = "MTN 1GB - 1 day") => ({
  variation_code,
  name,
  variation_amount,
  fixedPrice: "Yes",
});

/** The offer from VTpass's lists, with another list of MTN's if one is given. */
async function offered(variations: readonly object[] = mtn.content.variations): Promise<Offer> {
  const { serviceID } = mtn.content;
  const page = { response_description: "000", content: { serviceID, variations } };
  const source = await openPublished({ ...published, [mtnPath]: page });
  try {
    const offer = await offerOf(source, signal);
    assert.ok("lists" in offer, JSON.stringify(offer));
    return offer;
  } finally {
    await source.close();
  }
}

/** The catalogue after taking over an offer, and the part that was left out. */
async function taken(from: Snapshot, offer: Offer) {
  const { lists, leftOut } = await fitting(from, offer.lists);
  return { after: await revised(from, await withLists(from, lists)), leftOut: [...offer.leftOut, ...leftOut] };
}

test("VTpass's published lists are accepted, and entries that fit no list are named", async () => {
  const { after, leftOut } = await taken(base, await offered());
  assert.deepEqual(
    ["MTNDATA", "AIRTELDATA", "GLODATA", "9MOBILEDATA"].map((type) => groupIn(after, "data-bundles", type).length),
    [36, 15, 15, 11],
  );
  assert.deepEqual(
    ["GOTV", "DSTV", "STARTIMES"].map((type) => groupIn(after, "cable-products", type).length),
    [7, 34, 24],
  );
  const { price, description } = itemIn(after, "data-bundles", "MTNDATA MTN-XTRATALK-300")!.content;
  assert.deepEqual([price, description], [30_000, "MTN N300 Xtratalk Weekly Bundle"]);
  assert.deepEqual(leftOut, [
    "smile-direct: not known here, so left out.",
    "spectranet: not known here, so left out.",
    "glo-sme-data: not known here, so left out.",
    "showmax: not known here, so left out.",
    "data-bundles, MTNDATA mtn-xtratalk-300: listed again, so only the first is kept.",
    "cable-products, startimes ewallet: its price and amount cannot be used; left out.",
  ]);
});

test("the guard lets VTpass's published lists pass, because all prices are usual", async () => {
  const lost = (["data-bundles", "cable-products", "cable-add-ons"] as const).flatMap((subject) =>
    [...inOrder(base, subject)].map(({ key, content }): Change => ({ subject, key, old: content, new: null })),
  );
  const without = await applyChanges(base, lost);
  const { lists } = await fitting(without, (await offered()).lists);
  const changes = await difference(without, await withLists(without, lists));
  assert.equal(changes.length, 77 + 65);
  const after = await applyChanges(without, changes);
  assert.deepEqual(await reasonsToHold({ base: without, after, earlier: without, changes }, usualGuard), []);
});

test("an entry whose name fits no list is left out, and all further entries are accepted", async () => {
  const long = variation("too-long", "100.00", "x".repeat(501));
  const odd = variation("odd", "100.00", "MTN\u0000 1GB");
  const { after, leftOut } = await taken(base, await offered([...mtn.content.variations, long, odd]));
  assert.equal(groupIn(after, "data-bundles", "MTNDATA").length, 36);
  assert.deepEqual(leftOut.slice(-3), [
    "data-bundles, MTNDATA too-long: its description cannot be used; left out.",
    "data-bundles, MTNDATA odd: its description cannot be used; left out.",
    "cable-products, startimes ewallet: its price and amount cannot be used; left out.",
  ]);
});

test("a known code whose price cannot be read keeps its last good entry, and is named", async () => {
  const { after: before } = await taken(base, await offered());
  for (const amount of ["", "0.00", "1e3", "call us"]) {
    const [first, ...rest] = mtn.content.variations;
    const offer = await offered([{ ...first!, variation_amount: amount }, ...rest]);
    const { after, leftOut } = await taken(before, offer);
    const known = itemIn(before, "data-bundles", "MTNDATA MTN-10MB-100");
    assert.equal(known?.content.price, 10_000);
    assert.deepEqual(itemIn(after, "data-bundles", "MTNDATA MTN-10MB-100"), known);
    const sentence =
      "data-bundles, MTNDATA mtn-10mb-100: its amount and price cannot be used; its last good entry stays.";
    assert.ok(leftOut.includes(sentence), leftOut.join("\n"));
  }
});

test("a code that cannot be read removes nothing of its provider: any missing entry may be the one", async () => {
  const { after: before } = await taken(base, await offered());
  const [first, second, ...rest] = mtn.content.variations;
  const whole = await offerHash(await offered([second!, ...rest]), "");
  for (const variation_code of ["mtn 10mb 100", "", "x".repeat(65)]) {
    const offer = await offered([{ ...first!, variation_code }, ...rest]);
    const { after, leftOut } = await taken(before, offer);
    assert.deepEqual(after.groups["data-bundles"], before.groups["data-bundles"]);
    assert.ok(leftOut.includes("data-bundles, entry 1: its code cannot be used; left out."), leftOut.join("\n"));
    assert.ok(
      leftOut.includes(
        "data-bundles: 2 of MTNDATA are not in the list of the source, and stay, " +
          "as an entry there has no code that can be used.",
      ),
      leftOut.join("\n"),
    );
    assert.notEqual(await offerHash(await offered([{ ...first!, variation_code }, second!, ...rest]), ""), whole);
  }
  const { after } = await taken(before, await offered(rest));
  assert.equal(groupIn(after, "data-bundles", "MTNDATA").length, 34);
});

test("a list with mostly unusable entries is refused as a whole", async () => {
  const usual = { name: "t", covers: ["corporate-bundles"] as const };
  const entries = (...codes: string[]) => codes.map((code) => ({ code, description: "" }));
  const from = (given: { code: string; description: string }[]) =>
    offerOf(
      { ...usual, pull: async () => ({ kind: "whole", lists: { "corporate-bundles": given }, leftOut: [] }) },
      signal,
    );
  assert.deepEqual(await from(entries("a", "", "c c")), {
    kind: "unreadable",
    sentence: "2 of its 3 corporate-bundles cannot be used.",
  });
  assert.ok("lists" in (await from(entries(""))), "a single entry is no list yet");
  const half = await from(entries("a", ""));
  assert.deepEqual("leftOut" in half && half.leftOut, [
    "corporate-bundles, entry 2: its code cannot be used; left out.",
  ]);
});

test("a change of a source's order does not change the order of the catalogue", async () => {
  const offer = await offered();
  const { after } = await taken(base, offer);
  const turned = await offered(mtn.content.variations.toReversed().filter(({ name }) => !name.includes("3 days")));
  const first = offer.lists.find(({ list }) => list === "data-bundles")!;
  assert.ok(first.contents.length > 70);
  assert.equal(await offerHash(turned, ""), await offerHash(offer, ""));
  assert.deepEqual(await difference(after, await withLists(after, (await fitting(after, turned.lists)).lists)), []);
  const anew = await taken(base, turned);
  assert.deepEqual(anew.after.groups["data-bundles"], after.groups["data-bundles"]);

  const grown = await offered([variation("mtn-new", "5.00"), ...mtn.content.variations]);
  const changes = await difference(after, await withLists(after, (await fitting(after, grown.lists)).lists));
  assert.deepEqual(
    changes.map(({ key }) => key),
    ["MTNDATA MTN-NEW"],
  );
  const { after: last } = await taken(after, grown);
  assert.equal(groupIn(last, "data-bundles", "MTNDATA").at(-1)!.content.code, "mtn-new");
});

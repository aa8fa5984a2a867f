import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { durationIn, spaced, valueIn } from "../../vendors/responses/bundle-names.ts";
import type { EntryContent } from "./lists.ts";
import { alikeIn, disagrees, nearTo, rememberedOf, sameIn } from "./looks.ts";

const bundle = (description: string, type = "MTNDATA", at = 0): EntryContent => ({
  type,
  code: `c${at}`,
  description,
  price: 100,
  amount: 100,
  value: valueIn(spaced(description)),
  duration: durationIn(spaced(description)),
});

const all = (descriptions: readonly string[], type?: string) => descriptions.map((it, at) => bundle(it, type, at));

/** Returns the descriptions of their entries that are clearly the first entry of ours. */
async function clear(ours: readonly string[], theirs: readonly string[], type = "MTNDATA") {
  const [own, other] = [all(ours, type), all(theirs, type)];
  const alikeTo = await alikeIn("data-bundles", other, own);
  const found = other.filter((content) => {
    const { alike, isClear } = alikeTo(content);
    return isClear && alike[0] === own[0];
  });
  return found.map(({ description }) => description).join(" | ");
}

suite("an entry of a source is clearly one of ours", () => {
  const same: [ours: string[], theirs: string[], which: string][] = [
    [["1.5GB 30 Days", "15GB 30 Days"], ["1.5GB 30 Days", "15GB 30 Days"], "1.5GB 30 Days"],
    [["SME 1.0 GB 30 Days", "SME 2.0 GB 30 Days"], ["SME 1GB 30 Days", "SME 10GB 30 Days"], "SME 1GB 30 Days"],
    [["2GB - 30 Days"], ["2GB 30 Days"], "2GB 30 Days"],
    [["SME 1GB - 30 Days"], ["1GB 30 Days", "SME 1GB 30 Days"], "SME 1GB 30 Days"],
    [["1GB 30 Days"], ["1024MB 1 Month", "10GB 30 Days"], "1024MB 1 Month"],
    [["1GB 30 Days"], ["1000MB Monthly"], "1000MB Monthly"],
    [["1TB 365 Days"], ["MTN N100,000 1TB Mobile Data (1 Year)"], "MTN N100,000 1TB Mobile Data (1 Year)"],
    [["1TB 365 Days"], ["1000GB Annual"], "1000GB Annual"],
    [["1GB 30 Days"], ["NGN 110 1GB 30 Days"], "NGN 110 1GB 30 Days"],
    [["N110 1GB 30 Days"], ["₦110 1GB\u00a030\u200b Days"], "₦110 1GB\u00a030\u200b Days"],
    [["Night SME 2GB 7 days"], ["2GB SME night - Weekly"], "2GB SME night - Weekly"],
  ];
  for (const [ours, theirs, which] of same)
    test(`our ${ours.join(", ")} is recognised as the source's ${which}`, async () => {
      assert.equal(await clear(ours, theirs), which);
    });
});

test("a source's bundle is recognised with its own network in the name, but not with another network", async () => {
  assert.equal(await clear(["1GB 30 Days"], ["9mobile Data 1GB 30 days"], "9MOBILEDATA"), "9mobile Data 1GB 30 days");
  assert.equal(await clear(["1GB 30 Days"], ["Etisalat 1GB 30 days"], "9MOBILEDATA"), "Etisalat 1GB 30 days");
  assert.equal(await clear(["1GB 30 Days"], ["Glo 1GB 30 days"]), "");
});

suite("an entry of another size, time or kind is never ours", () => {
  const others: [ours: string, theirs: string][] = [
    ["1.5GB 30 Days", "15GB 30 Days"],
    ["165GB 30 Days", "16.5GB 30 Days"],
    ["125GB 30 Days", "128GB 30 Days"],
    ["62.5GB 30 Days", "64GB 30 Days"],
    ["500GB 30 Days", "512GB 30 Days"],
    ["500MB 30 Days", "0.5GB 30 Days"],
    ["1GB 7 Days", "1GB 30 Days"],
    ["1GB", "1GB 30 Days"],
    ["1GB 5 Days", "1GB 5 Nights"],
    ["1GB 7 Days", "1GB + 1 hour bonus 7 Days"],
    ["1.5GB 7 Days", "1.5GB + 25mins - 7 Days"],
    ["N300 Xtratalk Weekly", "N500 Xtratalk Weekly"],
    ["SME 1GB 30 Days", "SME2 1GB 30 Days"],
    ...["(CG)", "CG", "SME", "Gifting", "Corporate", "Awoof", "Social", "Night", "Weekend", "Direct", "Coupon"].map(
      (kind): [string, string] => ["1GB 30 Days", `1GB ${kind} - 30 Days`],
    ),
    ...["Data share", "postpaid", "YouTube", "Router", "Social (WhatsApp)", "+ 500MB night"].map(
      (kind): [string, string] => ["1GB 30 Days", `1GB ${kind} 30 Days`],
    ),
  ];
  for (const [ours, theirs] of others)
    test(`a source's bundle ${theirs} is not recognised as our ${ours}`, async () => {
      assert.equal(await clear([ours], [theirs]), "");
      assert.equal(await clear([theirs], [ours]), "");
    });
});

test("a person who decides about a mapping reads what two similar entries share and how they differ", async () => {
  const [plain, night] = [bundle("2GB 30 Days"), bundle("MTN 2GB Night - 30 days")];
  const { alike, near } = (await alikeIn("data-bundles", [night], [plain]))(night);
  assert.deepEqual([alike, near], [[], [plain]]);
  assert.equal(nearTo(night, plain), 'same size and validity, but "night" there, no more words here');
  assert.equal(nearTo(bundle("2GB"), plain), "same size, but no validity there, 720 hours here");
  assert.equal(sameIn(night), "size, validity and words");
});

suite("a mapping remembers an entry, and doubts another one under its code", () => {
  const changes: [before: string, now: string, isOther: boolean][] = [
    ["1GB - 30 Days", "10GB - 30 Days", true],
    ["SME 1GB - 30 Days", "1GB - 30 Days", true],
    ["1GB - 30 Days", "1GB - 7 Days", true],
    ["1GB - 30 Days", "1GB", true],
    ["500MB 7 Days", "500MB Social (WhatsApp) 7 Days", true],
    ["1GB 30 Days", "1GB Coupon 30 Days", true],
    ["250GB 30 Days", "256GB 30 Days", true],
    ["GOtv Max", "GOtv Supa", true],
    ["1GB 30 Days", "MTN Data 1.0 GB (Monthly)", false],
    ["N500 1GB 30 Days", "₦ 550 1GB 30 Days", false],
    ["250GB 30 Days", "250GB 1 Month", false],
  ];
  for (const [before, now, isOther] of changes)
    test(`a mapping of ${before} ${isOther ? "doubts" : "accepts"} ${now} under the source's code`, () => {
      const about = `${before}, 100`;
      assert.equal(disagrees({ looks: rememberedOf(bundle(before)), about: "" }, bundle(now)), isOther);
      // The text by which version 0.1.0 remembered an entry.
      const released = (size: number, word = "") => JSON.stringify({ size, hours: 720, class: word });
      if (before === "250GB 30 Days")
        assert.equal(disagrees({ looks: released(262_144), about }, bundle(now)), isOther);
      if (before === "1GB 30 Days") assert.equal(disagrees({ looks: released(1024), about }, bundle(now)), isOther);
    });
});

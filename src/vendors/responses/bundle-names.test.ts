import assert from "node:assert/strict";
import { test } from "node:test";
import {
  durationIn,
  isSameStatement,
  positiveNaira,
  quantityIn,
  sizeSpelled,
  spaced,
  valueIn,
  withoutEntities,
} from "./bundle-names.ts";

test("a size and a validity are read from a name only if it contains exactly one of each", () => {
  const read = (name: string) => [valueIn(name), durationIn(name)];
  assert.deepEqual(read("N200 200MB - 2 days"), ["200MB", "2 days"]);
  assert.deepEqual(read("N100 30MB -24hrs"), ["30MB", "24hrs"]);
  assert.deepEqual(read("9mobile Data - 2000 Naira - 4.5GB Data - 30 Days"), ["4.5GB", "30 Days"]);
  assert.deepEqual(read("Glo 1 tb for 1 Year"), ["1TB", "1 Year"]);
  assert.deepEqual(read("1,500MB for 1,000 days"), ["1500MB", "1,000 days"]);
  assert.deepEqual(read("1,5GB for 1.5 days"), ["", "1.5 days"]);
  assert.deepEqual(read("SME 1.0 GB"), ["1GB", ""]);
  assert.deepEqual(read("1GB + 500MB, 7 days or 14 days"), ["", ""]);
});

test("a validity may be a word such as Weekly, and a bonus of hours or days beside it is ignored", () => {
  const names = [
    "1GB Weekly",
    "10GB (Monthly)",
    "Glo Data 1GB - 5 Nights",
    "1.5GB 1 month",
    "16.5GB + 25mins - 30days",
  ];
  assert.deepEqual(names.map(durationIn), ["Weekly", "Monthly", "5 Nights", "1 month", "30days"]);
  const others = ["1GB Daily", "500GB Annual plan", "Quarterly 60GB", "1GB-Yearly", "Monthly plan, 30 days"];
  assert.deepEqual(others.map(durationIn), ["Daily", "Annual", "Quarterly", "Yearly", "30 days"]);
  const bonus = [
    "1GB + 1hr YouTube - 7 Days",
    "2GB 1 Day (2 hours free)",
    "1GB bonus 1 hour, Weekly",
    "6GB 7 Days + 7 Days",
    "1GB 7 Days + 1 day",
    "1GB 30 days, 2 days free",
  ];
  assert.deepEqual(bonus.map(durationIn), ["7 Days", "1 Day", "Weekly", "7 Days", "7 Days", "30 days"]);
  const none = ["2GB Weekend", "Midnight 1GB", "1GB Bi-Weekly", "Monthly or Weekly", "1GB 1-monthly"];
  assert.deepEqual(none.map(durationIn), ["", "", "", "", ""]);
});

test("HTML entities in a name are decoded, and unknown ones stay", () => {
  const names = [
    "Joy &amp; Fun &#8211; 1GB&nbsp;30&#160;days",
    "Fun &amp;amp; &AMP; &amp;#8211; more",
    "Kids&#39; &quot;box&quot; &#x26; &hellip;",
    "1GB&#8203; &#10; SME&shy;",
  ];
  assert.deepEqual(names.map(spaced), ["Joy & Fun – 1GB 30 days", "Fun & & – more", 'Kids\' "box" & …', "1GB SME"]);
  const others = ["A&B; C &amp D", "&unknown; &#xd800; &#9999999; &#0;", "R&D &constructor;"];
  assert.deepEqual(others.map(withoutEntities), others);
  assert.equal(positiveNaira("&#8358;1,590.00"), "1590.00");
  assert.deepEqual(quantityIn(spaced("SME 1.0&nbsp;GB &#8211; Weekly")), { value: "1GB", duration: "Weekly" });
});

test("sizes have one spelling, and a name without a size or validity yields none", () => {
  assert.deepEqual(["1.0 GB", "1gb", "1,500 MB", "1\u00a0GB"].map(sizeSpelled), ["1GB", "1GB", "1500MB", "1GB"]);
  for (const other of ["1GB + 1GB", "1GB SME", "unlimited", "", "10 SMS"]) assert.equal(sizeSpelled(other), other);
  assert.deepEqual(quantityIn("N1000 bundle"), {});
  assert.deepEqual(quantityIn("1GB or 2GB, 7 days"), { duration: "7 days" });
});

test("two texts mean the same if each states only a size or validity, and both are equal", () => {
  for (const [one, other] of [
    ["1.0 GB", "1GB"],
    ["1024MB", "1GB"],
    ["Weekly", "7 days"],
    ["30days", "30 Days"],
    ["1 Month", "Monthly"],
  ] as const)
    assert.ok(isSameStatement(one, other), `${one}, ${other}`);
  for (const [one, other] of [
    ["1GB", "10GB"],
    ["1GB", "1000MB"],
    ["5 Nights", "5 days"],
    ["7 Days", "7 Days + 1 hour bonus"],
    ["", ""],
    ["unlimited", "unlimited"],
    ["1GB", ""],
  ] as const)
    assert.ok(!isSameStatement(one, other), `${one}, ${other}`);
});

test("a price with a currency or commas, such as ₦1,500, is read like a plain number", () => {
  assert.deepEqual(["₦590", "1,500", "N110", "NGN 1,234.50"].map(positiveNaira), ["590", "1500", "110", "1234.50"]);
});

test("an amount may be text or a number, if it is above 0 and exact to the kobo", () => {
  assert.deepEqual(["100.00", 100, 99.5, " 50 "].map(positiveNaira), ["100.00", "100", "99.5", "50"]);
  assert.deepEqual(["0.00", 0, -5, 0.125, 1e21, "1,00", null, {}].map(positiveNaira), Array(8).fill(""));
});

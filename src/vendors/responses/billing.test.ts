import assert from "node:assert/strict";
import { test } from "node:test";
import { koboIn } from "./billing.ts";

test("a balance in any of the vendors' spellings becomes whole kobo", () => {
  for (const given of [1234.5, "1234.5", "1,234.50", "₦ 1,234.50", "1234.500000"])
    assert.equal(koboIn(given), 123_450, String(given));
  assert.equal(koboIn(0.1 + 0.2), 30);
  assert.deepEqual([koboIn(0), koboIn("0.00"), koboIn(-50), koboIn("-50")], [0, 0, 0, 0]);
  for (const given of [undefined, null, "", "none", "1e5", {}, true, Number.NaN, Number.POSITIVE_INFINITY, 1e300])
    assert.equal(koboIn(given), undefined, String(given));
});

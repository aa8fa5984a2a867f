import { elevenDigitsField } from "../../../operation/fields.ts";
import type { Check } from "../check.ts";
import { masked, maskedNumber } from "../mask.ts";
import { isSameNumber } from "../same-number.ts";

/** Public test numbers do not all begin with 22, so neither need others. */
export const bvnField = elevenDigitsField("Customer BVN: 11 digits.", "22000000017");

export const bvn: Check = {
  field: bvnField,
  confirm: (record, number) =>
    isSameNumber(record.bvn_number, number) ? { ...record, bvn_number: number } : undefined,
  mask: (record) => ({ ...masked(record), bvn_number: maskedNumber(record.bvn_number) }),
};

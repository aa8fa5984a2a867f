import { elevenDigitsField } from "../../../operation/fields.ts";
import type { Check } from "../check.ts";
import { masked, maskedNumber } from "../mask.ts";
import { isSameNumber } from "../same-number.ts";

export const ninField = elevenDigitsField("Customer NIN: 11 digits.", "00123456789");

export const nin: Check = {
  field: ninField,
  // A caller that asks by NIN learns no BVN, even from a vendor that sends one.
  confirm: (record, number) =>
    isSameNumber(record.nin, number) ? { ...record, nin: number, bvn_number: "" } : undefined,
  mask: (record) => ({ ...masked(record), nin: maskedNumber(record.nin) }),
};

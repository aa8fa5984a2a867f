import type { TString } from "typebox";
import { type CheckKind, labelOf, numberMember } from "../../operation/check-kind.ts";
import { elevenDigitsField } from "../../operation/fields.ts";
import type { PersonRecord } from "../../upstreams/ports/identity-upstream.ts";
import { maskRecord } from "./mask.ts";

/** The rules of one kind of verification. */
export interface Check {
  /** The number in a request. */
  field: TString;
  /** A number for the documentation. */
  example: string;
  /** The record as Duba answers it, with the whole number in it. Undefined if the record is of another number. */
  confirm(record: PersonRecord, number: string): PersonRecord | undefined;
  /** The record for an account with masked answers. */
  mask(record: PersonRecord): PersonRecord;
}

/** The rules of a kind with numbers of 11 digits. `withheld`: members that a caller gets so, whatever the vendor sends. */
export function check(
  kind: CheckKind,
  { example, withheld = {} }: { example: string; withheld?: Partial<PersonRecord> },
): Check {
  const member = numberMember(kind);
  return {
    example,
    field: elevenDigitsField(`Customer ${labelOf(kind)}: 11 digits.`, example),
    confirm: (record, number) =>
      isSameNumber(record[member], number) ? { ...record, ...withheld, [member]: number } : undefined,
    mask: (record) => maskRecord(record, member),
  };
}

/** Whether a record's number is the requested one. Some vendors mask it: then all visible digits, at least four, must agree. */
function isSameNumber(found: string, asked: string): boolean {
  if (found === asked) return true;
  if (found.length !== asked.length || !/^[\d*xX#•]+$/.test(found)) return false;
  const visible = [...found].map((digit, at) => [digit, asked[at]]).filter(([digit]) => /\d/.test(digit!));
  return visible.length >= 4 && visible.every(([digit, own]) => digit === own);
}

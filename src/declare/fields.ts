import type { TOptional, TString } from "typebox";
import Type from "./schema/type.ts";
import type { Version } from "./versions.ts";

/**
 * A text field of a request. `problem` completes the sentence that a caller reads when the value has the wrong form: it
 * says what would be right and never repeats the value.
 */
export interface FieldOptions {
  pattern?: string;
  maxLength?: number;
  description: string;
  problem: string;
  example?: string;
  /** Its number counts something: leading zeros say nothing. */
  quantity?: true;
  /** The version with which it came, if not with its operation. */
  since?: Version;
}

export function field(options: FieldOptions): TString {
  const { example, ...rest } = options;
  return Type.String({ ...rest, ...(example === undefined ? {} : { examples: [example] }) });
}

export function optionalField(options: FieldOptions): TOptional<TString> {
  return Type.Optional(field(options));
}

/** A catalogue code as a caller types it: any text but the empty one. The look-up decides whether it exists. */
export function codeField(description: string, example: string): TString {
  return field({ pattern: "^[^]", description, problem: "must not be empty", example });
}

/** A member that is never refused: what is no text counts as an empty one. */
export function lenientField(description: string): TOptional<TString> {
  return Type.Optional(Type.String({ description, lenient: true }));
}

/** Eleven digits; `digitsOf` drops the spaces that people put among them. */
export function elevenDigitsField(description: string, example: string): TString {
  return field({ pattern: "^ *(?:[0-9] *){11}$", description, problem: "must be 11 digits", example });
}

/**
 * A Nigerian mobile number in one of its four usual forms. Numbers are portable, so no prefix of an operator is ever
 * refused. A 0 as the first of the ten digits belongs to a number that lacks one: it would match nobody, and the vendor
 * would be paid for that.
 */
export const phoneField = field({
  pattern: "^ *(?:(?:\\+ *)?2 *3 *4 *|0 *)?[1-9] *(?:[0-9] *){9}$",
  description:
    "Customer phone number: 08012345678, 2348012345678, +2348012345678 or 8012345678. " +
    "The ten digits after 0, 234 or +234 never begin with 0.",
  problem:
    "must be a phone number such as 08012345678, 2348012345678 or +2348012345678: " +
    "ten digits after the prefix, of which the first is not 0",
  example: "08000000017",
});

/** Naira text: at most nine digits and two decimals, above zero. */
export const amountField = field({
  pattern: "^(?=.*[1-9])\\d{1,9}(\\.\\d{1,2})?$",
  description:
    "Amount in naira, as the WAEC look-up returned it. " +
    "The operator's fee is what a verification costs, and Duba compares the two.",
  problem: 'must be an amount in naira above 0, such as "100" or "100.50"',
  example: "100",
  quantity: true,
});

/** A text of digits without its spaces. */
export function digitsOf(text: string): string {
  return text.replaceAll(" ", "");
}

/** The ten digits that all forms of one phone number share, of a text that passed `phoneField`. */
export function phoneOf(text: string): string {
  return text.replaceAll(" ", "").slice(-10);
}

/** Whether a message may repeat a caller's text. */
export function isRepeatable(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,32}$/.test(text) && !holdsLongNumber(text);
}

/** An id that a proxy draws: 32 hexadecimal digits, of which some are letters. A long run of digits is chance there. */
const drawnId = /^(?=\d*[a-f])[\da-f]{32}$/;

/** Whether a text is an id that cannot contain a number of a person. */
export function isPlainId(text: string): boolean {
  return /^[A-Za-z0-9._:-]{1,64}$/.test(text) && (drawnId.test(text) || !holdsLongNumber(text));
}

/**
 * Whether a text may name an account or a person of the console. Other text may be about anybody, and no statement of
 * the store gets it.
 */
export function isIdOrEmail(text: string): boolean {
  return isPlainId(text) || /^[^\s@]+@[^\s@]+$/.test(text);
}

/**
 * Whether a text has ten digits in a row, of any script and whatever separates them: people paste BVNs and phone
 * numbers anywhere.
 */
export function holdsLongNumber(text: string, long = /\p{Nd}{10}/u): boolean {
  return long.test(text.replaceAll(/[^A-Za-z\p{Nd}]/gu, ""));
}

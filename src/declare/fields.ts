import type { TOptional, TString } from "typebox";
import Type from "./schema/type.ts";
import type { Version } from "./versions.ts";

/**
 * A text field of a request. `problem` completes the caller's error sentence for a value of the wrong form. It says
 * what is right, and never repeats the value.
 */
export interface FieldOptions {
  pattern?: string;
  maxLength?: number;
  description: string;
  problem: string;
  example?: string;
  /** The number counts something, so leading zeros do not matter. */
  quantity?: true;
  /** The version that added the field. Default: the version of its operation. */
  since?: Version;
}

export function field(options: FieldOptions): TString {
  const { example, ...rest } = options;
  return Type.String({ ...rest, ...(example === undefined ? {} : { examples: [example] }) });
}

export function optionalField(options: FieldOptions): TOptional<TString> {
  return Type.Optional(field(options));
}

/** A catalogue code: any text but the empty one. The look-up decides whether the code exists. */
export function codeField(description: string, example: string): TString {
  return field({ pattern: "^[^]", description, problem: "must not be empty", example });
}

/** A member that is never refused: a value that is not text counts as empty. */
export function lenientField(description: string): TOptional<TString> {
  return Type.Optional(Type.String({ description, lenient: true }));
}

/** Eleven digits, perhaps with spaces, which `digitsOf` removes. */
export function elevenDigitsField(description: string, example: string): TString {
  return field({ pattern: "^ *(?:[0-9] *){11}$", description, problem: "must be 11 digits", example });
}

/**
 * A Nigerian mobile number in one of four usual forms. Numbers are portable, so no operator's prefix is refused. A
 * first digit 0 among the ten means that a digit is missing: the vendor would charge for the number without a match.
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

/** Naira text above zero: at most nine digits, and two decimals. */
export const amountField = field({
  pattern: "^(?=.*[1-9])\\d{1,9}(\\.\\d{1,2})?$",
  description:
    "Amount in naira, as the WAEC look-up returned it. " +
    "The operator's fee is what a verification costs, and Duba compares the two.",
  problem: 'must be an amount in naira above 0, such as "100" or "100.50"',
  example: "100",
  quantity: true,
});

export function digitsOf(text: string): string {
  return text.replaceAll(" ", "");
}

/** Returns the ten digits that all forms of a phone number share. The text must match `phoneField`. */
export function phoneOf(text: string): string {
  return text.replaceAll(" ", "").slice(-10);
}

/** Whether an error message may repeat a caller's text. */
export function isRepeatable(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,32}$/.test(text) && !holdsLongNumber(text);
}

/**
 * An id drawn by a proxy: 32 hexadecimal digits, at least one of them a letter. A long run of digits in it is chance.
 */
const drawnId = /^(?=\d*[a-f])[\da-f]{32}$/;

/** Whether a text is an id that contains no personal number. */
export function isPlainId(text: string): boolean {
  return /^[A-Za-z0-9._:-]{1,64}$/.test(text) && (drawnId.test(text) || !holdsLongNumber(text));
}

/**
 * Whether a text may name an account or a person who signs in. Other text may be personal data, so it never reaches an
 * SQL statement.
 */
export function isIdOrEmail(text: string): boolean {
  return isPlainId(text) || /^[^\s@]+@[^\s@]+$/.test(text);
}

/**
 * Whether a text contains ten digits in a row, in any script and with any separators between them: people paste BVNs
 * and phone numbers anywhere.
 */
export function holdsLongNumber(text: string, long = /\p{Nd}{10}/u): boolean {
  return long.test(text.replaceAll(/[^A-Za-z\p{Nd}]/gu, ""));
}

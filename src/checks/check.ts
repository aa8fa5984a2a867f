import type { TObject, TString } from "typebox";
import type { CheckKind } from "../operation/check-kind.ts";

/** What a check asks about a person. */
export interface CheckInput {
  kind: CheckKind;
  /** The number by which a vendor finds the person, such as the 11 digits of a BVN. */
  number: string;
  claims: Claims;
}

/** What the caller says of the person, by name: `phone` has the ten digits after the prefix. */
export type Claims = Readonly<Partial<Record<string, string>>>;

/** Why a record is not given as the answer to a check: `incomplete` and the others are a vendor's fault. */
export type Confirmed<CheckRecord> =
  | { record: CheckRecord }
  | { negative: "phone_mismatch" | "no_phone" }
  | { rejected: "incomplete" | "not_verified" | "other_number" };

/** One kind of check: what it asks for, what identifies the person, what the caller gets. The ledger knows only the kind. */
export interface Check<CheckRecord extends object = object> {
  kind: CheckKind;
  /** The members of a request beside `amount`. That with the number has the name of the kind. */
  request: Readonly<Record<string, TString>>;
  /** A request for the documentation. */
  example: Readonly<Record<string, string>>;
  /** A record as vendors give it: without Duba's own reference. */
  record: TObject;
  /** The input of a request that passed the patterns of `request`. */
  inputOf(request: Readonly<Record<string, string>>): CheckInput;
  /** What identifies the person. Its keyed hash is on the ledger, and limits count by it. */
  subjectOf(input: CheckInput): readonly string[];
  /** The last four characters of the number. */
  lastFour(input: CheckInput): string;
  /** Compares what a vendor gave with what was asked. `phoneMatch`: the phone must be one of the record's. */
  confirm(given: unknown, input: CheckInput, settings: { phoneMatch: boolean }): Confirmed<CheckRecord>;
  /** The record for an account with masked answers. */
  mask(record: CheckRecord): CheckRecord;
}

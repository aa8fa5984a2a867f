import type { TObject, TString } from "typebox";
import type { CheckKind, NegativeReason } from "../declare/check-kind.ts";
import type { Log } from "../runtime/log.ts";

/** What a check asks about a subject. */
export interface CheckInput {
  kind: CheckKind;
  /** The number by which a vendor finds the subject, such as the 11 digits of a BVN. */
  number: string;
  claims: Claims;
}

/** As much of an input as identifies the subject: claims only if they are part of that. */
export type CheckSubject = Omit<CheckInput, "claims"> & Partial<CheckInput>;

/** The other members of the request, by name: `phone` has the ten digits after the prefix. */
export type Claims = Readonly<Partial<Record<string, string>>>;

/** A member of a request. */
export interface CheckMember {
  /** As people write it: "phone number". */
  label: string;
  schema: TString;
  /** What a text that passed the schema means, without the differences between its forms. */
  valueIn(text: string): string;
}

/** The members of an object of a vendor. */
export type Members = Readonly<Partial<Record<string, unknown>>>;

/** Who gave a record, and where an operator reads what Duba could not read in it. */
export interface GivenBy {
  vendor: string;
  log: Log;
}

/** Why a record does not answer a check. `rejected`: the vendor's response is at fault. */
export type Confirmed<CheckRecord> =
  | { record: CheckRecord }
  | { negative: NegativeReason | "no_phone" }
  | { rejected: "not_verified" | "other_number" };

/** A record that the sandbox invents beside the usual one. */
export type Variant = "watchlisted" | "least";

/**
 * One kind of check: what it asks for, what identifies the subject, what the caller gets. The ledger knows only the
 * kind.
 */
export interface Check<CheckRecord extends object = object> {
  kind: CheckKind;
  /** The members of a request beside `amount`. That with the number has the name of the kind. */
  request: Readonly<Record<string, CheckMember>>;
  /** The members that identify the subject. Their keyed hash is on the ledger, and limits count by it. */
  subject: readonly string[];
  /** A request for the documentation. */
  example: Readonly<Record<string, string>>;
  /** A record as vendors give it: without Duba's own reference. */
  record: TObject;
  /** What a vendor's record, under the interface's names, must have. */
  least: TObject;
  /** Such a record in the interface's forms. The log hears of what cannot be read, with nothing of its text. */
  read(given: Members, by: GivenBy): CheckRecord | Promise<CheckRecord>;
  /** Compares a whole record with what was asked. `phoneMatch`: the phone must be one of the record's. */
  confirm(record: CheckRecord, input: CheckInput, settings: { phoneMatch: boolean }): Confirmed<CheckRecord>;
  /** The record for an account with masked answers. */
  mask(record: CheckRecord): CheckRecord;
  /** Members that a request may have only to be compared with the record that it is answered with. */
  compared?: Readonly<Record<string, TString>>;
  /** What the comparison says of each of these that was sent. */
  compare?(record: CheckRecord, sent: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;
  /** Whether a text has what these members say of the person. */
  isAbout?(text: string, sent: Readonly<Record<string, string>>): Promise<boolean>;
  /** A well-formed number that stands for row `nth` of the sandbox's table, and is nobody's. */
  reserved(nth: number): string;
  /** The sandbox's record, which matches every claim. `least`: with all that may be empty or null. */
  sandbox(input: CheckInput, variant?: Variant): CheckRecord | Promise<CheckRecord>;
}

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

/** The part of an input that identifies the subject. Claims are only included if they help to identify the subject. */
export type CheckSubject = Omit<CheckInput, "claims"> & Partial<CheckInput>;

/** The other members of the request, by name: `phone` has the ten digits after the prefix. */
export type Claims = Readonly<Partial<Record<string, string>>>;

/** A member of a request. */
export interface CheckMember {
  /** As people write it: "phone number". */
  label: string;
  schema: TString;
  /** The meaning of a text that passed the schema, without the differences between its forms. */
  valueIn(text: string): string;
}

/** The members of an object of a vendor. */
export type Members = Readonly<Partial<Record<string, unknown>>>;

/** The vendor of a record, and the log, which tells the operator which parts of the record Duba could not read. */
export interface GivenBy {
  vendor: string;
  log: Log;
}

/** A record that answers a check, or why it does not. `rejected`: the vendor's response is at fault. */
export type Confirmed<CheckRecord> =
  | { record: CheckRecord }
  | { negative: NegativeReason | "no_phone" }
  | { rejected: "not_verified" | "other_number" };

/** A kind of record that the sandbox invents besides the usual one. */
export type Variant = "watchlisted" | "least";

/**
 * One kind of check: its request, the identity of its subject, and the record that the API client gets. The ledger
 * stores only the name of the kind.
 */
export interface Check<CheckRecord extends object = object> {
  kind: CheckKind;
  /** The members of a request besides `amount`. The member with the number has the name of the kind. */
  request: Readonly<Record<string, CheckMember>>;
  /** The members that identify the subject. The ledger stores their keyed hash, by which limits count. */
  subject: readonly string[];
  /** An example of a request, for the documentation. */
  example: Readonly<Record<string, string>>;
  /** The schema of a vendor's record, which does not have Duba's own reference. */
  record: TObject;
  /** The members that a vendor's record needs, under the interface's names. */
  least: TObject;
  /** Returns a vendor's record in the interface's forms. Logs unreadable members without any of their text. */
  read(given: Members, by: GivenBy): CheckRecord | Promise<CheckRecord>;
  /** Compares a whole record with the request. `phoneMatch`: the phone must be one of the record's. */
  confirm(record: CheckRecord, input: CheckInput, settings: { phoneMatch: boolean }): Confirmed<CheckRecord>;
  /** The record for an account with masked answers. */
  mask(record: CheckRecord): CheckRecord;
  /** Optional members of a request that are only compared with the returned record. */
  compared?: Readonly<Record<string, TString>>;
  /** The result of the comparison for each of these members in the request. */
  compare?(record: CheckRecord, sent: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;
  /** Whether a text contains what these members say about the person. */
  isAbout?(text: string, sent: Readonly<Record<string, string>>): Promise<boolean>;
  /** A well-formed number for row `nth` of the sandbox's table, which belongs to nobody. */
  reserved(nth: number): string;
  /**
   * The sandbox's record, which matches every claim. Variant `least`: the members that a person may lack are null or
   * empty.
   */
  sandbox(input: CheckInput, variant?: Variant): CheckRecord | Promise<CheckRecord>;
}

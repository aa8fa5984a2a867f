import type { TString } from "typebox";
import type { IdentityAnswer } from "../../upstreams/ports/identity-upstream.ts";

/** The rules that one kind of verification has for itself. */
export interface Check {
  /** The number in a request: 11 digits for every kind so far. */
  field: TString;
  /** The record as Duba answers it, with the whole number in it. Undefined if the record is of another number. */
  confirm(record: IdentityAnswer, number: string): IdentityAnswer | undefined;
  /** The record for an account with masked answers. */
  mask(record: IdentityAnswer): IdentityAnswer;
}

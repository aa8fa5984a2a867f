import assert from "node:assert/strict";
import { type CheckKind, forEachKind, numberMember, type OwnFees } from "../declare/check-kind.ts";
import type { PersonRecord } from "../declare/identity-record.ts";
import type { CheckRecord } from "./index.ts";

/** Fees of every kind: `fee`, except for the kinds in `own`. */
export function feesOf(fee: number, own: OwnFees = {}): Record<CheckKind, number> {
  return forEachKind(
    (kind) => kind,
    (kind) => own[kind] ?? fee,
  );
}

/** The number of the person or thing in a record of this kind. */
export function numberIn(record: CheckRecord, kind: CheckKind): string | undefined {
  return Object.entries(record).find(([member]) => member === numberMember(kind))?.[1] as string | undefined;
}

/** A record of a kind that identifies a person. */
export function personOf<Given extends CheckRecord>(record: Given): Given & PersonRecord {
  assert.ok("personal_info" in record);
  return record as Given & PersonRecord;
}

import type { IdentityRecord } from "./identity-record.ts";

/**
 * The kinds of number by which a person is verified, each with the member of the identity record that holds the number. All
 * else follows from the name: `bvn` is the request's member, "BVN" is the label, `DUBA_BVN_FEE` is the setting of the fee,
 * `bvn_not_found` is the failure for a number that nobody has.
 */
const numberMembers = { bvn: "bvn_number", nin: "nin" } as const satisfies Record<string, keyof IdentityRecord>;

export type CheckKind = keyof typeof numberMembers;

export const checkKinds = Object.keys(numberMembers) as readonly CheckKind[];

/** Fees of an account's own in kobo, by kind; for other kinds the fee schedule of the service holds. */
export type OwnFees = Readonly<Partial<Record<CheckKind, number>>>;

/** The member of the identity record that holds a number of this kind. */
export function numberMember<Kind extends CheckKind>(kind: Kind): (typeof numberMembers)[Kind] {
  return numberMembers[kind];
}

/** The kind as people write it: "BVN". */
export function labelOf(kind: CheckKind): string {
  return kind.toUpperCase();
}

/** "BVN or NIN" */
export const anyLabel = checkKinds.map(labelOf).join(" or ");

/** What an identity source may say of a person instead of a record. */
export const negativeReasons = ["not_found", "phone_mismatch", "blocked"] as const;
export type NegativeReason = (typeof negativeReasons)[number];

type NegativeCode<Reason extends NegativeReason> = Reason extends "phone_mismatch" ? Reason : `${CheckKind}_${Reason}`;

/** The failure of a negative outcome. That of a phone is one for all kinds. */
export function negativeCode<Reason extends NegativeReason>(kind: CheckKind, reason: Reason): NegativeCode<Reason> {
  return (reason === "phone_mismatch" ? reason : `${kind}_${reason}`) as NegativeCode<Reason>;
}

/** One value for each kind, under a name that is made of the kind. */
export function forEachKind<Name extends string, Value>(
  nameOf: (kind: CheckKind) => Name,
  of: (kind: CheckKind) => Value,
): Record<Name, Value> {
  return Object.fromEntries(checkKinds.map((kind) => [nameOf(kind), of(kind)])) as Record<Name, Value>;
}

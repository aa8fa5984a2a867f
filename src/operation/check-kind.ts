/**
 * The kinds of number by which a person is verified. The rest follows from the name: `bvn` is the request's member, "BVN" is
 * what people read, and `bvn_not_found` is the failure for a number that nobody has.
 */
export const checkKinds = ["bvn", "nin"] as const;

export type CheckKind = (typeof checkKinds)[number];

/** Fees of an account's own in kobo, by kind; for other kinds the fee schedule of the service holds. */
export type OwnFees = Readonly<Partial<Record<CheckKind, number>>>;

/** The kind as people write it: "BVN". */
export function labelOf(kind: CheckKind): string {
  return kind.toUpperCase();
}

export function notFoundCode(kind: CheckKind): `${CheckKind}_not_found` {
  return `${kind}_not_found`;
}

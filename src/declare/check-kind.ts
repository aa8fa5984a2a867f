import type { Version } from "./versions.ts";

/** What a caller reads when a check has a negative outcome. */
export interface NegativeFacts {
  status: number;
  /** That of its kind. */
  since?: Version;
  cause: string;
  cure: string;
}

/** What places below the checks know of a kind. */
interface KindRow {
  /** As people write it: "BVN". */
  label: string;
  /** The version with which the kind came, if not with the first: that of its operation and its own failures. */
  since?: Version;
  /** What the caller says beside the number. */
  claim: string;
  /** The member of the record that holds the number. */
  member: string;
  /**
   * What a source may say instead of a record. `bvn_not_found` is the failure of `not_found`; that of a `shared` one
   * has the reason's name, and is one for all kinds that have it.
   */
  negatives: { not_found: NegativeFacts } & Record<string, NegativeFacts | "shared">;
}

/** A number by which a person is found, with the person's phone. */
const personRow = <Member extends string>(label: string, member: Member) => ({
  label,
  claim: "phone number",
  member,
  negatives: {
    not_found: {
      status: 404,
      cause: `The identity source has no record of this ${label}.`,
      cure: "Check the number with the customer. Nothing was charged.",
    },
    phone_mismatch: "shared" as const,
    blocked: {
      status: 422,
      cause: `The ${label} exists, but it is blocked or suspended.`,
      cure: "Tell the customer to ask the bank or the issuing office. Nothing was charged.",
    },
  },
});

/**
 * The kinds of check. All else follows from the name: `bvn` is the request's member of the number, `DUBA_BVN_FEE` is
 * the setting of the fee, `verify-bvn` ends the path.
 */
const rows = { bvn: personRow("BVN", "bvn_number"), nin: personRow("NIN", "nin") } satisfies Record<string, KindRow>;
type Rows = typeof rows;

export type CheckKind = keyof Rows;

export const checkKinds = Object.keys(rows) as readonly CheckKind[];

/** The kinds whose record is an identity record. */
export const personKinds = ["bvn", "nin"] as const satisfies readonly CheckKind[];
export type PersonKind = (typeof personKinds)[number];

/** Fees of an account's own in kobo, by kind; for other kinds the fee schedule of the service holds. */
export type OwnFees = Readonly<Partial<Record<CheckKind, number>>>;

/** A fee's name in options, answers and the audit trail: `bvn_fee`. */
export const feeName = (kind: CheckKind) => `${kind}_fee` as const;

/** The member of the record that holds a number of this kind. */
export function numberMember<Kind extends CheckKind>(kind: Kind): Rows[Kind]["member"] {
  return rows[kind].member;
}

/** The kind as people write it: "BVN". */
export function labelOf(kind: CheckKind): string {
  return rows[kind].label;
}

/** What says since when a kind is there; nothing of one of the first version. */
export function sinceOf(kind: CheckKind): { since?: Version } {
  const { since }: KindRow = rows[kind];
  return since === undefined ? {} : { since };
}

/** What the caller says beside the number: "phone number". */
export function claimOf(kind: CheckKind): string {
  return rows[kind].claim;
}

/** "BVN or NIN" */
export const anyLabel = either(checkKinds.map(labelOf));

/** What a caller of any kind says beside the number. */
export const anyClaim = either(checkKinds.map(claimOf));

type Negatives<Kind extends CheckKind> = Rows[Kind]["negatives"];

/** What an identity source may say of a subject instead of a record. */
export type NegativeReason = { [Kind in CheckKind]: keyof Negatives<Kind> }[CheckKind];

/** The code of a negative outcome's failure. */
export type NegativeCode = {
  [Kind in CheckKind]: {
    [Reason in keyof Negatives<Kind> & string]: Negatives<Kind>[Reason] extends "shared" ? Reason : `${Kind}_${Reason}`;
  }[keyof Negatives<Kind> & string];
}[CheckKind];

/** The reasons of one kind, and what a caller reads of each. */
export function negativesOf(kind: CheckKind): Readonly<Partial<Record<NegativeReason, NegativeFacts | "shared">>> {
  return rows[kind].negatives;
}

/** The reasons of one kind. */
export function reasonsOf(kind: CheckKind): readonly NegativeReason[] {
  return Object.keys(negativesOf(kind)) as NegativeReason[];
}

export const negativeReasons = [...new Set(checkKinds.flatMap(reasonsOf))] as readonly NegativeReason[];

/** The failure of a negative outcome. */
export function negativeCode(kind: CheckKind, reason: NegativeReason): NegativeCode {
  return (negativesOf(kind)[reason] === "shared" ? reason : `${kind}_${reason}`) as NegativeCode;
}

/** One value for each failure of a negative outcome, by its code. */
export function forEachNegative<Value>(
  of: (reason: NegativeReason, facts: NegativeFacts | "shared", kind: CheckKind) => Value,
): Record<NegativeCode, Value> {
  const values = checkKinds.flatMap((kind) =>
    reasonsOf(kind).map((reason) => [negativeCode(kind, reason), of(reason, negativesOf(kind)[reason]!, kind)]),
  );
  return Object.fromEntries(values) as Record<NegativeCode, Value>;
}

/** The failures of negative outcomes that have this status and are no `shared` ones. */
export function negativeFailures(status: number): Record<NegativeCode, NegativeFacts> {
  const all = Object.entries(
    forEachNegative((_, facts, kind) => (facts === "shared" ? facts : { ...sinceOf(kind), ...facts })),
  );
  return Object.fromEntries(all.filter(([, facts]) => facts !== "shared" && facts.status === status)) as Record<
    NegativeCode,
    NegativeFacts
  >;
}

/** One value for each kind, under a name that is made of the kind. */
export function forEachKind<Name extends string, Value>(
  nameOf: (kind: CheckKind) => Name,
  of: (kind: CheckKind) => Value,
): Record<Name, Value> {
  return Object.fromEntries(checkKinds.map((kind) => [nameOf(kind), of(kind)])) as Record<Name, Value>;
}

/** "a", "a or b", "a, b or c": each once. */
function either(words: readonly string[]): string {
  return [...new Set(words)].join(", ").replace(/, ([^,]*)$/, " or $1");
}

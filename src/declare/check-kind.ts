import type { Version } from "./versions.ts";

/** What the documents tell callers about a negative outcome. */
export interface NegativeFacts {
  status: number;
  /** The version that added this outcome; by default the version of its kind. */
  since?: Version;
  cause: string;
  cure: string;
}

/** The row of a kind in the table below, for code that must not know the checks. */
interface KindRow {
  /** The name for people: "BVN". */
  label: string;
  /** The version that added the kind, with its operation and failures. Default: the first version. */
  since?: Version;
  /** The second fact in a request, beside the number: "phone number". */
  claim: string;
  /** The member of the identity record that has the number. */
  member: string;
  /**
   * Negative outcomes by reason. The failure code is `bvn_not_found` for the reason `not_found`. A `shared` reason is a
   * failure code itself, common to all kinds that have it.
   */
  negatives: { not_found: NegativeFacts } & Record<string, NegativeFacts | "shared">;
}

/** Returns the row of a kind whose subject is a person, found by a number and a phone number. */
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
 * The kinds of check. Other names follow from the kind: the request member `bvn`, the setting `DUBA_BVN_FEE`, the path
 * `…/verify-bvn`.
 */
const rows = { bvn: personRow("BVN", "bvn_number"), nin: personRow("NIN", "nin") } satisfies Record<string, KindRow>;
type Rows = typeof rows;

export type CheckKind = keyof Rows;

export const checkKinds = Object.keys(rows) as readonly CheckKind[];

/** The kinds that return an identity record. */
export const personKinds = ["bvn", "nin"] as const satisfies readonly CheckKind[];
export type PersonKind = (typeof personKinds)[number];

/** An account's own fees in kobo, by kind. A missing kind has the service's fee. */
export type OwnFees = Readonly<Partial<Record<CheckKind, number>>>;

/** The name of a fee in options, answers and the audit trail: `bvn_fee`. */
export const feeName = (kind: CheckKind) => `${kind}_fee` as const;

/** The member of the identity record that has the number of this kind. */
export function numberMember<Kind extends CheckKind>(kind: Kind): Rows[Kind]["member"] {
  return rows[kind].member;
}

/** The name of the kind for people: "BVN". */
export function labelOf(kind: CheckKind): string {
  return rows[kind].label;
}

/** Returns `{ since }` for a kind that came after the first version, else `{}`. */
export function sinceOf(kind: CheckKind): { since?: Version } {
  const { since }: KindRow = rows[kind];
  return since === undefined ? {} : { since };
}

/** The second fact that a caller sends beside the number: "phone number". */
export function claimOf(kind: CheckKind): string {
  return rows[kind].claim;
}

/** "BVN or NIN" */
export const anyLabel = either(checkKinds.map(labelOf));

/** The second facts of all kinds. */
export const anyClaim = either(checkKinds.map(claimOf));

type Negatives<Kind extends CheckKind> = Rows[Kind]["negatives"];

/** The reason of a negative outcome. */
export type NegativeReason = { [Kind in CheckKind]: keyof Negatives<Kind> }[CheckKind];

/** The failure code of a negative outcome. */
export type NegativeCode = {
  [Kind in CheckKind]: {
    [Reason in keyof Negatives<Kind> & string]: Negatives<Kind>[Reason] extends "shared" ? Reason : `${Kind}_${Reason}`;
  }[keyof Negatives<Kind> & string];
}[CheckKind];

/** The negative outcomes of a kind, by reason. */
export function negativesOf(kind: CheckKind): Readonly<Partial<Record<NegativeReason, NegativeFacts | "shared">>> {
  return rows[kind].negatives;
}

export function reasonsOf(kind: CheckKind): readonly NegativeReason[] {
  return Object.keys(negativesOf(kind)) as NegativeReason[];
}

export const negativeReasons = [...new Set(checkKinds.flatMap(reasonsOf))] as readonly NegativeReason[];

export function negativeCode(kind: CheckKind, reason: NegativeReason): NegativeCode {
  return (negativesOf(kind)[reason] === "shared" ? reason : `${kind}_${reason}`) as NegativeCode;
}

/** Builds one value for each failure code of a negative outcome. */
export function forEachNegative<Value>(
  of: (reason: NegativeReason, facts: NegativeFacts | "shared", kind: CheckKind) => Value,
): Record<NegativeCode, Value> {
  const values = checkKinds.flatMap((kind) =>
    reasonsOf(kind).map((reason) => [negativeCode(kind, reason), of(reason, negativesOf(kind)[reason]!, kind)]),
  );
  return Object.fromEntries(values) as Record<NegativeCode, Value>;
}

/** The failures of negative outcomes with this HTTP status, without `shared` ones. */
export function negativeFailures(status: number): Record<NegativeCode, NegativeFacts> {
  const all = Object.entries(
    forEachNegative((_, facts, kind) => (facts === "shared" ? facts : { ...sinceOf(kind), ...facts })),
  );
  return Object.fromEntries(all.filter(([, facts]) => facts !== "shared" && facts.status === status)) as Record<
    NegativeCode,
    NegativeFacts
  >;
}

/** Builds an object with one member for each kind. */
export function forEachKind<Name extends string, Value>(
  nameOf: (kind: CheckKind) => Name,
  of: (kind: CheckKind) => Value,
): Record<Name, Value> {
  return Object.fromEntries(checkKinds.map((kind) => [nameOf(kind), of(kind)])) as Record<Name, Value>;
}

/** Joins words as "a", "a or b" or "a, b or c", without repeats. */
function either(words: readonly string[]): string {
  return [...new Set(words)].join(", ").replace(/, ([^,]*)$/, " or $1");
}

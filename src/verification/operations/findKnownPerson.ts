import { checkInputOf, checks } from "../../checks/index.ts";
import { anyLabel, type CheckKind, checkKinds } from "../../declare/check-kind.ts";
import { Failure } from "../../declare/failures.ts";
import { operation } from "../../declare/operation.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import type { Identity } from "../identity.ts";

const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const KnownAnswer = Type.Object({
  success: Type.Literal(true),
  status: Type.Literal("success"),
  message: Type.String(),
  data: Type.Object(
    {
      known: Type.Boolean({ description: "Whether your account verified this person in the last 24 months" }),
      request_reference: orNull("Duba's reference of the newest such verification"),
      verified_at: orNull("ISO 8601, UTC"),
      record_held_until: orNull("Until when a retry of it, with its key, gets the record; null if none is held"),
    },
    { title: "KnownPerson" },
  ),
});
type KnownAnswer = Static<typeof KnownAnswer>;

/** The members of a kind that identify the person. */
const subjectOf = (kind: CheckKind) =>
  Object.fromEntries(checks[kind].subject.map((name) => [name, checks[kind].request[name]!]));

const members = Object.fromEntries(
  checkKinds.flatMap((kind) =>
    Object.entries(subjectOf(kind)).map(([name, { schema }]) => [name, Type.Optional(schema)] as const),
  ),
);

const example = checks.bvn.example.bvn!;

export const findKnownPerson = operation({
  id: "findKnownPerson",
  since: "0.2.0",
  method: "POST",
  path: "/api/v2/kyc/known",
  summary: "Whether you verified a person before",
  alsoCalled: ["knownperson", "alreadyverified"],
  description:
    `Says whether your account verified the person with this ${anyLabel} in the last 24 months, in the mode of the key: ` +
    "when, under which reference, and until when its record is held. Ask it before you verify: it costs nothing, " +
    "calls no identity source, and tells nothing of the record. What other accounts verified is never told. " +
    "A person who was erased is not known.",
  group: "Identity",
  access: "credential",
  scope: "identity:verify",
  limit: { name: "known", count: 60, seconds: 60, perDay: 1_000 },
  carriage: "body",
  input: Type.Object(members),
  answer: KnownAnswer,
  examples: [
    {
      summary: "A person whom nobody verified",
      input: { bvn: example },
      answer: answerOf(undefined),
    },
    {
      summary: "A person who was verified with an idempotency key an hour ago",
      input: { bvn: example },
      answer: answerOf({
        reference: "3wKwKW719640695",
        verifiedAt: Date.UTC(2026, 0, 15, 9, 30),
        heldUntil: Date.UTC(2026, 0, 16, 9, 30),
      }),
    },
  ],
  run: async ({ input, caller }, identity: Identity) => {
    const given = input as Readonly<Partial<Record<string, string>>>;
    const [kind, ...others] = checkKinds.filter((kind) => given[kind] !== undefined);
    if (kind === undefined || others.length > 0) throw oneNumber(kind === undefined ? "is required" : "must be alone");
    const request = subjectOf(kind);
    const missing = Object.keys(request).filter((name) => given[name] === undefined);
    if (missing.length > 0)
      throw new Failure("validation_failed", `A ${kind} alone names nobody.`, {
        fields: missing.map((field) => ({ field, message: `${field} is required.` })),
      });
    const person = checkInputOf({ kind, request }, given as Record<string, string>);
    const { accountId, mode } = caller!;
    return answerOf(await identity.known({ accountId, mode }, person));
  },
});

function oneNumber(what: string): Failure {
  const fields = checkKinds.map((field) => ({ field, message: `One of ${checkKinds.join(" and ")} ${what}.` }));
  return new Failure("validation_failed", `Send one number: ${checkKinds.join(" or ")}.`, { fields });
}

function answerOf(found: Awaited<ReturnType<Identity["known"]>>): KnownAnswer {
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    success: true,
    status: "success",
    message: found ? "Person verified before" : "Person not verified before",
    data: {
      known: found !== undefined,
      request_reference: found?.reference ?? null,
      verified_at: iso(found?.verifiedAt ?? null),
      record_held_until: iso(found?.heldUntil ?? null),
    },
  };
}

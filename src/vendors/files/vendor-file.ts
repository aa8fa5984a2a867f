import type { TSchema } from "typebox";
import { checks } from "../../checks/index.ts";
import { checkKinds, negativeReasons } from "../../declare/check-kind.ts";
import Type, { type Static } from "../../declare/schema/type.ts";

/** What an answer can mean if the vendor did no work. `Says` has everything that an answer can mean. */
export const noWork = [
  "no_money",
  "bad_credentials",
  "bad_settings",
  "refused",
  "rate_limited",
  "out_of_service",
] as const;

/** How a sample may end. `rejected`: Duba does not trust the answer. */
export const endings = ["found", "unclear", "rejected", ...negativeReasons, ...noWork] as const;
export type Ending = (typeof endings)[number];

const closed = { additionalProperties: false } as const;
const text = (description: string, options: object = {}) =>
  Type.String({ minLength: 1, maxLength: 500, ...options, description });
const texts = (description: string) => Type.Record(Type.String(), text(description));
const oneOrMore = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Array(schema, { minItems: 1, maxItems: 20 })], { description });

const pointer = Type.String({ pattern: "^(?:(?:/(?:[^~/]|~0|~1)*)*|\\{number\\})$", maxLength: 200 });
const pointers = (what: string) =>
  oneOrMore(pointer, `${what}: a JSON pointer such as /data/firstName, or a list of them, of which the first counts.`);

const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);
const status = Type.Integer({ minimum: 100, maximum: 599 });

const Case = Type.Object(
  {
    status: Type.Optional(oneOrMore(status, "The HTTP status of the answer, such as 404, or a list.")),
    member: Type.Optional(pointers("A member of the answer. By itself: it is there, and not null, false or empty")),
    is: Type.Optional(
      oneOrMore(scalar, "What that member is, or a list. Case does not count, and 200 is the same as " + '"200".'),
    ),
    not: Type.Optional(oneOrMore(scalar, "That member is there, and is not this, or none of this list.")),
    words: Type.Optional(
      oneOrMore(
        Type.String({ minLength: 2, maxLength: 100 }),
        "Words in that member, or, without one, wherever the answer explains itself: they join Duba's own table.",
      ),
    ),
  },
  { ...closed, description: "What an answer has: all that is named must be so." },
);
export type Case = Static<typeof Case>;

/** Refers to a schema under `$defs`, so that the published schema contains it once. */
const refOf = <Schema extends TSchema>(name: string, _schema: Schema) =>
  Type.Unsafe<Static<Schema>>({ $ref: `#/$defs/${name}` });

const cases = (description: string) => Type.Optional(Type.Array(refOf("case", Case), { description }));

/** Returns one optional member for each word. */
const forEach = <Word extends string, Schema extends TSchema>(words: readonly Word[], of: (word: Word) => Schema) =>
  Object.fromEntries(words.map((word) => [word, of(word)])) as Record<Word, Schema>;

const Says = Type.Object(
  {
    found: cases("An answer with a record: every case must be so."),
    failed: cases(
      "An answer without a record that explains itself: one case is enough. Without this list: a member of found " +
        "has another value. A status from 300 on always is one.",
    ),
    unclear: cases("The vendor may still do the work: one case is enough."),
    ...forEach([...negativeReasons, ...noWork], (saying) => cases(`What says ${saying}: one case is enough.`)),
  },
  { ...closed, description: "What says what: lists of cases." },
);
export type Says = Static<typeof Says>;

const body = {
  query: Type.Optional(texts("A parameter of the address.")),
  json: Type.Optional(Type.Unsafe<unknown>({ description: "The body, sent as JSON." })),
  form: Type.Optional(texts("A member of the body, sent as a form.")),
};
const request = {
  base: Type.Optional(
    text("The member of settings with the address, if it is not url.", { pattern: "^[a-z][A-Za-z0-9]*$" }),
  ),
  path: text("The path after the address; it begins with /.", { pattern: "^/[^?# ]*$" }),
  headers: Type.Optional(texts("A header, such as Bearer {key}. One whose settings are empty is left out.")),
  ...body,
};

const members = (kind: (typeof checkKinds)[number]) =>
  Type.Object(
    Object.fromEntries(
      leavesOf(checks[kind].record).map(([name, description]) => [name, Type.Optional(pointers(description || name))]),
    ),
    { ...closed, description: "Where the answer has each member of the record." },
  );

const kindOf = (kind: (typeof checkKinds)[number]) =>
  Type.Object(
    {
      method: Type.Enum(["GET", "POST"], { description: "GET or POST." }),
      ...request,
      record: Type.Object(
        {
          in: Type.Optional(
            pointers("Objects in which Duba looks for the members that are not named, as vendors usually spell them"),
          ),
          members: Type.Optional(members(kind)),
        },
        { ...closed, description: "Where the record is." },
      ),
      says: Type.Optional(refOf("says", Says)),
    },
    { ...closed, description: "How the vendor is asked about this kind, and where the record is." },
  );

const Setting = Type.Object(
  {
    name: text("The environment variable: DUBA_, the vendor's name in capitals, and more.", {
      pattern: "^DUBA_[A-Z0-9]+_[A-Z0-9_]+$",
    }),
    about: text("A sentence for the operator who sets it."),
    default: Type.Optional(Type.String({ maxLength: 200, description: "What it is if nobody sets it." })),
    form: Type.Optional(Type.Enum(["text", "url"], { description: "text (usual), or url for an address." })),
    secret: Type.Optional(Type.Boolean({ description: "true: its value is shown nowhere, and may be in a file." })),
    optional: Type.Optional(Type.Boolean({ description: "true: the vendor works without it." })),
  },
  { ...closed, description: "A setting." },
);

const billings = ["yes", "no", "unknown"] as const;

const Sample = Type.Object(
  {
    title: text("What happens, in a few words."),
    kind: Type.Enum([...checkKinds], { description: "The kind that is asked about." }),
    asked: Type.Optional(
      texts("What the caller says, such as number and phone. Unless said: the example of the kind."),
    ),
    request: Type.Optional(
      Type.Object(
        {
          method: Type.Enum(["GET", "POST"], { description: "GET or POST." }),
          path: text("The path, with what follows a question mark."),
          headers: Type.Optional(texts("A header that Duba sends. A setting stands as its name, such as {key}.")),
          json: body.json,
          form: body.form,
        },
        { ...closed, description: "What Duba sends." },
      ),
    ),
    answer: Type.Object(
      {
        status: Type.Optional(status),
        json: Type.Optional(Type.Unsafe<unknown>({ description: "The answer of the vendor, as JSON." })),
        form: Type.Optional(Type.Record(Type.String(), Type.String({ description: "A member of its form." }))),
      },
      { ...closed, description: "The answer of the vendor, about an invented person." },
    ),
    makes: Type.Object(
      {
        outcome: Type.Enum([...endings], { description: `What Duba makes of it: ${endings.join(", ")}.` }),
        record: Type.Optional(
          Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()], { description: "A member's text." })),
        ),
        billed: Type.Optional(Type.Enum([...billings], { description: "yes, no or unknown." })),
        reference: Type.Optional(text("The vendor's reference.")),
        balance: Type.Optional(text("What is left in the wallet, in naira.")),
      },
      { ...closed, description: "What Duba makes of the answer: what is named is compared." },
    ),
  },
  { ...closed, description: "A request, the answer, and what Duba makes of it." },
);
export type Sample = Static<typeof Sample>;

/** A vendor as data. `docs/vendors.md` explains how to write one. */
export const VendorFile = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: "Where this schema is, for an editor." })),
    name: text("The vendor's name in settings and books: 2 to 20 small letters and digits.", {
      pattern: "^[a-z][a-z0-9]{1,19}$",
    }),
    title: Type.Optional(text("The name as people write it.", { maxLength: 40 })),
    about: text("One line: what it is, and how far it was tried."),
    settings: Type.Record(Type.String(), Setting),
    headers: request.headers,
    token: Type.Optional(
      Type.Object(
        {
          ...request,
          basic: Type.Optional(
            Type.Object(
              { user: text("A text such as {clientId}."), password: text("A text such as {secret}.") },
              { ...closed, description: "User and password of HTTP Basic." },
            ),
          ),
          at: pointers("Where the answer has the token"),
          expires_in: Type.Optional(pointers("Where it says after how many seconds the token ends")),
          lifetime: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 604_800, description: "Seconds, if the answer does not say it." }),
          ),
        },
        { ...closed, description: "How an access token is got, by POST: then {token} is one." },
      ),
    ),
    needs: Type.Optional(
      Type.Array(Type.Enum(["consent", "names"], { description: "consent or names." }), {
        description: "What the vendor wants beside number and phone.",
      }),
    ),
    answers: Type.Optional(Type.Enum(["json", "form"], { description: "json (usual), or form: a=b&c=d." })),
    kinds: Type.Object(
      forEach(checkKinds, (kind) => Type.Optional(kindOf(kind))),
      {
        ...closed,
        minProperties: 1,
        description: `The kinds that it offers: ${checkKinds.join(", ")}.`,
      },
    ),
    status: Type.Optional(pointers("A status of the vendor's own, which counts in place of that of HTTP")),
    says: Type.Optional(refOf("says", Says)),
    billed: Type.Optional(
      Type.Object(
        forEach(["found", ...negativeReasons, ...noWork, "unclear"] as const, () =>
          Type.Optional(Type.Enum([...billings], { description: "yes, no or unknown." })),
        ),
        { ...closed, description: "Whether the vendor bills each answer. Not named: as DUBA_UPSTREAM_PRICES says." },
      ),
    ),
    reference: Type.Optional(pointers("The vendor's own name for its answer")),
    balance: Type.Optional(pointers("What is left in our wallet, in naira")),
    test_number: Type.Optional(
      Type.Object(
        { kind: Type.Enum([...checkKinds], { description: "Its kind." }), number: text("The number.") },
        {
          additionalProperties: text("What the vendor wants beside it."),
          description: "The vendor's published test number.",
        },
      ),
    ),
    samples: Type.Array(Sample, { minItems: 1, maxItems: 100, description: "Requests with their answers." }),
  },
  {
    ...closed,
    $defs: { case: Case, says: Says },
    title: "VendorFile",
    description: "An identity vendor of Duba, as data.",
  },
);

/** Types of the file and its parts. */
export type VendorFile = Static<typeof VendorFile>;
export type FileKind = Static<ReturnType<typeof kindOf>>;
export type FileSetting = Static<typeof Setting>;
export type Pointers = Static<ReturnType<typeof pointers>>;

/** The members that requests of all kinds and the token request share. */
export type FileRequest = Omit<FileKind, "method" | "record" | "says">;

/** Wraps a single value in a list. */
export function listOf<Value>(given: Value | readonly Value[] | undefined): readonly Value[] {
  return given === undefined ? [] : Array.isArray(given) ? given : [given as Value];
}

/** Returns the members of a record that are not objects, with their descriptions. */
export function leavesOf(schema: TSchema): [name: string, description: string][] {
  const { properties = {}, description = "" } = schema as {
    properties?: Record<string, TSchema>;
    description?: string;
  };
  return Object.entries(properties).flatMap(([name, member]) =>
    "properties" in member
      ? leavesOf(member)
      : [[name, (member as { description?: string }).description ?? description]],
  ) as [string, string][];
}

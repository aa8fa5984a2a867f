import type { TInteger, TObject, TOptional, TString } from "typebox";
import Type from "../declare/schema/type.ts";

/** `code`: 1 to 64 visible ASCII characters. `money`: whole kobo. `id`: a whole number above 0, unique in its list. */
export type MemberKind = "code" | "text" | "money" | "id";

/** A member of an entry, with a text about it for callers. */
export interface ListMember<Kind extends MemberKind = MemberKind> {
  readonly kind: Kind;
  readonly about: string;
}

/** Makes members of an entry; `about` is a text for callers. */
export const member = {
  code: (about: string): ListMember<"code"> => ({ kind: "code", about }),
  text: (about: string): ListMember<"text"> => ({ kind: "text", about }),
  money: (about: string): ListMember<"money"> => ({ kind: "money", about }),
  id: (about: string): ListMember<"id"> => ({ kind: "id", about }),
};

type Members = Readonly<Record<string, ListMember>>;

/** The description of a list of the catalogue. */
interface ListDescription {
  readonly name: string;
  /** People's words for its entries: the singular and the plural. */
  readonly one: string;
  readonly many: string;
  /** The name of an entry in openapi.json. */
  readonly title: string;
  /** Members in the order of the interface document. */
  readonly members: Members;
  /** The members in the order of a file's columns, if that order differs. */
  readonly columns?: readonly string[];
  /** The codes that identify an entry. Those of its parent come first. */
  readonly key: readonly string[];
  /** The name of the list of the parents. */
  readonly parent?: string;
  /** Whether its operation needs no credential. */
  readonly isOpen?: true;
  /** Whether its entries are for sale, so that they have a cost and may be unavailable. */
  readonly isSold?: true;
  /** Members that a source may read only from the description, and omits if the description does not state them. */
  readonly described?: readonly string[];
  /** A price without a size is odd if it differs from its provider's median by this factor. For lists with prices. */
  readonly oddBy?: number;
  /** How its operation serves it. */
  readonly served: {
    /** Below `/api/v2/`. */
    readonly path: string;
    /** The members of the answer that lead to the entries. */
    readonly entries: readonly string[];
    /** The parameters that name the parent, each with the member of the parent. */
    readonly asks?: Readonly<Record<string, string>>;
  };
}

/** A list of the catalogue: its description, and the values that follow from it. */
export interface DeclaredList extends ListDescription {
  /** The kinds of its members in the order of the columns of a file, which is the order of the store. */
  readonly kinds: Readonly<Record<string, MemberKind>>;
  /** An entry in an answer: money is naira text. */
  readonly answerEntry: TObject;
  /** An entry of a source. For an absent optional member the catalogue keeps the known value. */
  readonly sourceEntry: TObject;
}

type SchemaOf<Kind extends MemberKind> = Kind extends "id" ? TInteger : TString;
type DescribedIn<List> = List extends { described: readonly (infer Name)[] } ? Name : never;

/** The types that follow from a description. */
export interface Derived<List extends ListDescription> {
  readonly kinds: { readonly [Name in keyof List["members"]]: List["members"][Name]["kind"] };
  readonly answerEntry: TObject<{ -readonly [Name in keyof List["members"]]: SchemaOf<List["members"][Name]["kind"]> }>;
  readonly sourceEntry: TObject<{
    -readonly [Name in keyof List["members"]]: List["members"][Name]["kind"] extends "id"
      ? TOptional<TInteger>
      : Name extends DescribedIn<List>
        ? TOptional<TString>
        : TString;
  }>;
}

/**
 * Declares a list of the catalogue. Its operation is a file of its own; everything else about the list follows from
 * this value.
 */
export function catalogueList<const List extends ListDescription>(described: List): List & Derived<List> {
  const { members, columns = Object.keys(members), title, described: may = [] } = described;
  const every = Object.entries(members);
  const answered = every.map(([name, { kind, about }]) => [name, answerSchemas[kind](about)]);
  const sourced = every.map(([name, { kind }]) => {
    const schema = sourceSchemas[kind];
    return [name, kind === "id" || may.includes(name) ? Type.Optional(schema) : schema];
  });
  const derived: Pick<DeclaredList, keyof Derived<List>> = {
    kinds: Object.fromEntries(columns.map((name) => [name, members[name]!.kind])),
    answerEntry: Type.Object(Object.fromEntries(answered), { title }),
    sourceEntry: Type.Object(Object.fromEntries(sourced)),
  };
  return { ...described, ...(derived as Derived<List>) };
}

const answerSchemas = {
  code: (description: string) => Type.String({ description }),
  text: (description: string) => Type.String({ description }),
  money: (description: string) => Type.String({ description, pattern: "^\\d+(\\.\\d{1,2})?$" }),
  id: (description: string) => Type.Integer({ description }),
};

const sourceSchemas = {
  code: Type.String({ pattern: "^[!-~]{1,64}$" }),
  text: Type.String(),
  money: Type.String(),
  id: Type.Integer(),
};

import { foldCase } from "./codes.ts";

/** The most entries of all lists together, without prices of accounts. Real catalogues have 200 to 3,000. */
export const mostEntries = 20_000;

/** `code`: 1 to 64 visible ASCII characters. `money`: whole kobo. `id`: a whole number above 0, unique in its list. */
export type MemberKind = "code" | "text" | "money" | "id";

interface Shape {
  /** Members in the order of the interface document. */
  readonly members: Readonly<Record<string, MemberKind>>;
  /** The codes that identify an entry. Those of its parent come first. */
  readonly key: readonly string[];
  /** The list of the parents. */
  readonly parent?: string;
  /** Members that a source may read from the description only, and leaves out if that does not say them. */
  readonly described?: readonly string[];
}

const provider = { type: "code", id: "id", name: "text", narration: "text", image: "text" } as const;

/** The lists of the catalogue. Each comes after the list of its parents. */
export const lists = {
  "data-providers": { members: provider, key: ["type"] },
  "data-bundles": {
    members: {
      type: "code",
      code: "code",
      description: "text",
      amount: "money",
      price: "money",
      value: "text",
      duration: "text",
    },
    key: ["type", "code"],
    parent: "data-providers",
    described: ["value", "duration"],
  },
  "corporate-bundles": { members: { code: "code", description: "text" }, key: ["code"] },
  "cable-providers": { members: provider, key: ["type"] },
  "cable-products": {
    members: {
      id: "id",
      type: "code",
      code: "code",
      name: "text",
      description: "text",
      price: "money",
      amount: "money",
    },
    key: ["type", "code"],
    parent: "cable-providers",
  },
  "cable-add-ons": {
    members: { add_on_product_code: "code", product_code: "code", name: "text", price: "money", type: "code" },
    key: ["type", "product_code", "add_on_product_code"],
    parent: "cable-products",
  },
} as const satisfies Record<string, Shape>;

export type ListName = keyof typeof lists;
export const listNames = Object.keys(lists) as ListName[];

/** The lists that need no credential. */
export const openLists: ReadonlySet<Subject> = new Set<ListName>([
  "data-bundles",
  "cable-providers",
  "cable-products",
  "cable-add-ons",
]);

/** The subjects of changes: the lists, and the price rules of accounts. */
export type Subject = ListName | "prices";
export const subjects: readonly Subject[] = [...listNames, "prices"];

type Value<Member> = Member extends "money" | "id" ? number : string;
type Entries = {
  [List in ListName]: {
    readonly [Member in keyof (typeof lists)[List]["members"]]: Value<(typeof lists)[List]["members"][Member]>;
  };
};

export type Provider = Entries["data-providers"];
export type DataBundleEntry = Entries["data-bundles"];
export type CableProduct = Entries["cable-products"];
export type CableAddOn = Entries["cable-add-ons"];

/** The members of an entry of any list. */
export type EntryContent = Readonly<Record<string, string | number>>;

export function listShapeOf(list: ListName): Shape {
  return lists[list];
}

export function parentOf(list: ListName): ListName | undefined {
  return listShapeOf(list).parent as ListName | undefined;
}

/** The lists whose parents are in this list. */
export function childrenOf(list: ListName): ListName[] {
  return listNames.filter((other) => parentOf(other) === list);
}

/** Identifies an entry in its list, regardless of the spelling of its codes. No code contains a space. */
export function entryKeyOf(list: ListName, content: EntryContent): string {
  let key = "";
  for (const member of listShapeOf(list).key) key += `${key && " "}${foldCase(String(content[member]))}`;
  return key;
}

/** The codes of an entry as spelled, for people. */
export function nameOf(list: ListName, content: EntryContent): string {
  return listShapeOf(list)
    .key.map((member) => content[member])
    .join(" ");
}

/** The key of the group that contains an entry: its parent, or the account of a price rule. */
export function groupOf(subject: Subject, key: string): string {
  const end = subject === "prices" ? key.indexOf(" ") : key.lastIndexOf(" ");
  return end === -1 ? "" : key.slice(0, end);
}

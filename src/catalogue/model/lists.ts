import { foldCase } from "./codes.ts";

/**
 * What a member of an entry holds. `code`: 1 to 64 visible ASCII characters. `money`: whole kobo. `id`: a whole number above
 * 0, only once in its list.
 */
export type MemberKind = "code" | "text" | "money" | "id";

interface Shape {
  /** Members in the order of the interface document. */
  readonly members: Readonly<Record<string, MemberKind>>;
  /** The codes that name an entry, those of what it belongs to first. */
  readonly key: readonly string[];
  /** The list that holds what each entry belongs to. */
  readonly parent?: string;
}

const provider = { type: "code", id: "id", name: "text", narration: "text", image: "text" } as const;

/** The lists of the catalogue, each after the one that its entries belong to. */
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

/** Everything that revisions change: the lists, and the prices that accounts have of their own. */
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

/** The members of any entry. */
export type EntryContent = Readonly<Record<string, string | number>>;

export function listShapeOf(list: ListName): Shape {
  return lists[list];
}

export function parentOf(list: ListName): ListName | undefined {
  return listShapeOf(list).parent as ListName | undefined;
}

/** The lists whose entries belong to an entry of this one. */
export function childrenOf(list: ListName): ListName[] {
  return listNames.filter((other) => parentOf(other) === list);
}

/** Names an entry within its list, whatever the spelling of its codes. No code holds a space. */
export function entryKeyOf(list: ListName, content: EntryContent): string {
  return listShapeOf(list)
    .key.map((member) => foldCase(String(content[member])))
    .join(" ");
}

/** The codes of an entry as they are spelled, for people. */
export function nameOf(list: ListName, content: EntryContent): string {
  return listShapeOf(list)
    .key.map((member) => content[member])
    .join(" ");
}

/** Entries of one group have an order among themselves: of a list what belongs to one parent, of prices one account's. */
export function groupOf(subject: Subject, key: string): string {
  const end = subject === "prices" ? key.indexOf(" ") : key.lastIndexOf(" ");
  return end === -1 ? "" : key.slice(0, end);
}

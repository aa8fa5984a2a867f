import { declaredList, type ListName, listNames, type lists } from "../../lists/index.ts";
import { foldCase } from "./codes.ts";

/** The most entries of all lists together, without prices of accounts. Real catalogues have 200 to 3,000. */
export const mostEntries = 20_000;

/** The subjects of changes: the lists, and the price rules of accounts. */
export type Subject = ListName | "prices";
export const subjects: readonly Subject[] = [...listNames, "prices"];

type Value<Member> = Member extends "money" | "id" ? number : string;
type Entries = {
  [List in ListName]: {
    readonly [Member in keyof (typeof lists)[List]["kinds"]]: Value<(typeof lists)[List]["kinds"][Member]>;
  };
};

export type Provider = Entries["data-providers"];
export type DataBundleEntry = Entries["data-bundles"];
export type CableProduct = Entries["cable-products"];
export type CableAddOn = Entries["cable-add-ons"];

/** The members of an entry of any list. */
export type EntryContent = Readonly<Record<string, string | number>>;

export function parentOf(list: ListName): ListName | undefined {
  return declaredList(list).parent as ListName | undefined;
}

/** The lists whose parents are in this list. */
export function childrenOf(list: ListName): ListName[] {
  return listNames.filter((other) => parentOf(other) === list);
}

/** The lists of providers: lists without a parent list, but with lists of what their entries sell. */
export const providerLists: readonly ListName[] = listNames.filter(
  (list) => parentOf(list) === undefined && childrenOf(list).length > 0,
);

/** Identifies an entry in its list, regardless of the spelling of its codes. No code contains a space. */
export function entryKeyOf(list: ListName, content: EntryContent): string {
  let key = "";
  for (const member of declaredList(list).key) key += `${key && " "}${foldCase(String(content[member]))}`;
  return key;
}

/** The codes of an entry as spelled, for people. */
export function nameOf(list: ListName, content: EntryContent): string {
  return declaredList(list)
    .key.map((member) => content[member])
    .join(" ");
}

/** The key of the group that contains an entry: its parent, or the holder of a price rule. */
export function groupOf(subject: Subject, key: string): string {
  const end = subject === "prices" ? key.indexOf(" ") : key.lastIndexOf(" ");
  return end === -1 ? "" : key.slice(0, end);
}

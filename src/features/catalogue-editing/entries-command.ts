import { type CatalogueRoom, roomPublisher } from "../../catalogue/commands/publisher.ts";
import { CatalogueError } from "../../catalogue/model/catalogue-error.ts";
import { foldCase } from "../../catalogue/model/codes.ts";
import { providerIn } from "../../catalogue/model/find-entry.ts";
import { type EntryContent, nameOf } from "../../catalogue/model/lists.ts";
import { type Document, type Item, inOrder } from "../../catalogue/model/snapshot.ts";
import { costOf, isAvailable, soldLists } from "../../catalogue/model/supply.ts";
import { naira, orNull, reference, state, time } from "../../declare/command/answer-schema.ts";
import { amount } from "../../declare/command/forms.ts";
import { formed } from "../../declare/command/read-texts.ts";
import { command } from "../../declare/command.ts";
import Type, { type Static, type TObject } from "../../declare/schema/type.ts";
import { type ListName, listNames } from "../../lists/index.ts";

/** Input members that choose entries. */
export const selection = {
  list: Type.Optional(
    Type.Enum(listNames, {
      description: "The list. Default: data-bundles, or all that is sold if you look for something.",
      folded: true,
    }),
  ),
  search: Type.Optional(
    Type.String({
      description: "Words that the codes, name, size or validity contain, such as 1.5GB 30.",
      placeholder: "words",
      folded: true,
    }),
  ),
  provider: Type.Optional(
    Type.String({ description: "Only this provider's, such as MTNDATA or dstv.", placeholder: "code" }),
  ),
  min: Type.Optional(formed(amount, { description: "Lowest price in naira.", placeholder: "naira", folded: true })),
  max: Type.Optional(formed(amount, { description: "Highest price in naira.", placeholder: "naira", folded: true })),
  available: Type.Optional(
    Type.Enum(["yes", "no"], { description: "Only entries that are available, or that are not.", folded: true }),
  ),
};

type Selection = Static<TObject<typeof selection>>;

export const listEntries = command({
  id: "catalogue.entries",
  title: "Entries and prices",
  summary: "List entries of the catalogue, with what you pay for them and whether they are available.",
  description: "Without a list, a search looks through everything that is sold.",
  role: "viewer",
  kind: "read",
  edits: { column: "price", by: "catalogue.edit", names: "code" },
  actsOnChosen: "catalogue.change-prices",
  input: Type.Object(selection),
  answer: Type.Array(
    Type.Object({
      list: Type.Enum(listNames),
      code: reference,
      description: Type.String(),
      amount: orNull(naira),
      price: orNull(naira),
      /** The operator's cost of the entry. */
      cost: orNull({ ...naira, none: "unknown" }),
      available: state(["yes", "no"]),
      /** The time and the author of the entry's availability; null if nobody ever set the availability. */
      since: orNull(time),
      told_by: orNull(Type.String()),
    }),
  ),
  none: "There is no such entry.",
  examples: [{}, { list: "cable-products" }, { search: "1GB", provider: "MTNDATA", max: "500" }, { available: "no" }],
  run: async (chosen, room: CatalogueRoom) =>
    entriesIn(await roomPublisher(room).latest(), chosen).map(({ list, content }) => rowOf(list, content)),
});

/** Whether the input limits the entries at all. */
export function isChosen({ list, search, provider, min, max, available }: Selection): boolean {
  return [list, search, provider, min, max, available].some((given) => given !== undefined);
}

/** The chosen entries in their order. Throws a `CatalogueError` if the catalogue does not have the provider. */
export function entriesIn(document: Document, { list, ...wanted }: Selection): (Item & { list: ListName })[] {
  const { search, provider, min, max, available } = wanted;
  const lists = list ? [list] : isChosen(wanted) ? soldLists : (["data-bundles"] as const);
  const type = provider === undefined ? undefined : foldCase(provider);
  if (type && !providerIn(document, type)) throw new CatalogueError(`The catalogue has no provider ${provider}.`);
  const words = (search ?? "").toLowerCase().split(/\s+/);
  const fits = ({ content }: Item) =>
    (type === undefined || foldCase(String(content.type ?? "")) === type) &&
    (min === undefined || Number(content.price) >= min) &&
    (max === undefined || Number(content.price) <= max) &&
    (available === undefined || isAvailable(content) === (available === "yes")) &&
    words.every((word) => textIn(content).includes(word));
  return lists.flatMap((each) =>
    Array.from(inOrder(document, each))
      .filter(fits)
      .map((item) => ({ list: each, ...item })),
  );
}

/** The text that a search covers. */
function textIn({ code, add_on_product_code, type, name, description, value, duration }: EntryContent): string {
  return [code, add_on_product_code, type, name, description, value, duration].join(" ").toLowerCase();
}

function rowOf(list: ListName, content: EntryContent) {
  const kobo = (text: string | number | undefined) => (text === undefined ? null : Number(text));
  return {
    list,
    code: nameOf(list, content),
    description: String(content.description ?? content.name ?? ""),
    amount: kobo(content.amount),
    price: kobo(content.price),
    cost: costOf(content) ?? null,
    available: isAvailable(content) ? ("yes" as const) : ("no" as const),
    since: kobo(content.available_since),
    told_by: content.available_by === undefined ? null : String(content.available_by),
  };
}

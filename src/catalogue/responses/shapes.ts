import { feedPlace } from "../../declare/answers/feed.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import { declaredList, type ListName, listNames, lists } from "../../lists/index.ts";

/**
 * The responses on the wire, members in the documented order. Money is naira text. A `title` is the name in
 * openapi.json.
 */

const text = (description: string) => Type.String({ description });
const integer = (description: string) => Type.Integer({ description });
const success = Type.Literal(true, { description: "Always true in an answer that is no failure" });
const status = Type.Literal("success", { description: "Always success in an answer that is no failure" });

export const DataBundleAnswer = Type.Object({
  success,
  data: Type.Object({
    status: Type.Literal(1, { description: "1 in a successful look-up" }),
    error: Type.Literal(false, { description: "false in a successful look-up" }),
    data: Type.Array(lists["data-bundles"].answerEntry, { description: "Bundles in the provider's order" }),
    date: Type.String({ format: "date-time", description: "When this list was written, UTC; at most 60 seconds ago" }),
    message: text("Outcome in words"),
  }),
});
export type DataBundleAnswer = Static<typeof DataBundleAnswer>;

export const CorporateBundleAnswer = Type.Object({
  success,
  status,
  message: text("Outcome in words"),
  data: Type.Array(lists["corporate-bundles"].answerEntry, {
    description: "Corporate bundles, in the order of the list",
  }),
});
export type CorporateBundleAnswer = Static<typeof CorporateBundleAnswer>;

const providers = { description: "Providers by their ids" };
export const DataProviderAnswer = Type.Object({
  success,
  billers: Type.Array(lists["data-providers"].answerEntry, providers),
});
export type DataProviderAnswer = Static<typeof DataProviderAnswer>;
export const CableProviderAnswer = Type.Object({
  success,
  billers: Type.Array(lists["cable-providers"].answerEntry, providers),
});
export type CableProviderAnswer = Static<typeof CableProviderAnswer>;

export const AddOnAnswer = Type.Object({
  success,
  status,
  message: text("Outcome in words; names the requested product code"),
  data: Type.Array(lists["cable-add-ons"].answerEntry, {
    description: "Add-ons of the product; empty when it has none",
  }),
});
export type AddOnAnswer = Static<typeof AddOnAnswer>;

export const CablePlanAnswer = Type.Object({
  success,
  plans: Type.Array(lists["cable-products"].answerEntry, { description: "Products in the provider's order" }),
});
export type CablePlanAnswer = Static<typeof CablePlanAnswer>;

const OwnPrice = Type.Object(
  {
    of: text(
      "Codes of a provider or an entry, provider first, that has other prices for you now; empty: any provider may",
    ),
  },
  { title: "OwnPrice" },
);

type ShownEntry = Static<(typeof lists)[ListName]["answerEntry"]> | Static<typeof OwnPrice> | null;
const shown = (when: string) =>
  Type.Unsafe<ShownEntry>(
    Type.Union([...listNames.map((list) => declaredList(list).answerEntry), OwnPrice, Type.Null()], {
      description: `The entry ${when}, as its list shows it to you; null if it is not there`,
    }),
  );

const changed = {
  list: Type.Enum([...listNames, "prices"], {
    description:
      "The list that the entry stands in; `prices`: prices of yours, " +
      "so fetch the lists of that provider, or all if it names none",
  }),
  change: Type.Enum(["added", "modified", "removed"], { description: "What happened to the entry" }),
  holds_from: Type.String({ format: "date-time", description: "Since when it holds, or from when it will, UTC" }),
  old: shown("before"),
  new: shown("after"),
};

export const CatalogueChange = Type.Object(
  {
    revision: integer("Revision that holds the change; all changes of one hold from one moment on"),
    ...changed,
  },
  { title: "CatalogueChange" },
);
export const ScheduledChange = Type.Object(changed, { title: "ScheduledChange" });

export const CatalogueChangeAnswer = Type.Object({
  success,
  status,
  message: text("Outcome in words"),
  data: Type.Array(CatalogueChange, { description: "Changes after the cursor, oldest first" }),
  scheduled: Type.Array(ScheduledChange, {
    description:
      "What is scheduled for later, soonest first, while nothing more is to be listed; it may still be changed. " +
      "Empty for callers without a credential",
  }),
  ...feedPlace,
});
export type CatalogueChangeAnswer = Static<typeof CatalogueChangeAnswer>;

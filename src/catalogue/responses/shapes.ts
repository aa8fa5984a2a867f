import { feedPlace } from "../../declare/answers/feed.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import { listNames } from "../model/lists.ts";

/**
 * The responses on the wire, members in the documented order. Money is naira text. A `title` is the name in
 * openapi.json.
 */

const text = (description: string) => Type.String({ description });
const naira = (description: string) => Type.String({ description, pattern: "^\\d+(\\.\\d{1,2})?$" });
const integer = (description: string) => Type.Integer({ description });
const success = Type.Literal(true, { description: "Always true in an answer that is no failure" });
const status = Type.Literal("success", { description: "Always success in an answer that is no failure" });

export const DataBundle = Type.Object(
  {
    type: text("Provider code, as the data providers list gives it"),
    code: text("Bundle code"),
    description: text("Size and duration"),
    amount: naira("Amount in naira"),
    price: naira("Price in naira"),
    value: text("Data size with unit"),
    duration: text("Validity period"),
  },
  { title: "DataBundle" },
);

export const DataBundleAnswer = Type.Object({
  success,
  data: Type.Object({
    status: Type.Literal(1, { description: "1 in a successful look-up" }),
    error: Type.Literal(false, { description: "false in a successful look-up" }),
    data: Type.Array(DataBundle, { description: "Bundles in the provider's order" }),
    date: Type.String({ format: "date-time", description: "When this list was written, UTC; at most 60 seconds ago" }),
    message: text("Outcome in words"),
  }),
});
export type DataBundleAnswer = Static<typeof DataBundleAnswer>;

export const CorporateBundle = Type.Object(
  {
    description: text("Label for people"),
    code: text("Bundle code: corporate_data_<size><unit>"),
  },
  { title: "CorporateBundle" },
);

export const CorporateBundleAnswer = Type.Object({
  success,
  status,
  message: text("Outcome in words"),
  data: Type.Array(CorporateBundle, { description: "Corporate bundles, in the order of the list" }),
});
export type CorporateBundleAnswer = Static<typeof CorporateBundleAnswer>;

const provider = {
  type: text("Provider code"),
  id: integer("Number of the provider in this list"),
  name: text("Name of the network or service"),
  narration: text("Name and kind of the service"),
  image: text("Address of a picture; empty when there is none"),
};
export const DataProvider = Type.Object(provider, { title: "DataProvider" });
export const CableProvider = Type.Object(provider, { title: "CableProvider" });

const providers = { description: "Providers by their ids" };
export const DataProviderAnswer = Type.Object({ success, billers: Type.Array(DataProvider, providers) });
export type DataProviderAnswer = Static<typeof DataProviderAnswer>;
export const CableProviderAnswer = Type.Object({ success, billers: Type.Array(CableProvider, providers) });
export type CableProviderAnswer = Static<typeof CableProviderAnswer>;

export const AddOn = Type.Object(
  {
    add_on_product_code: text("Code of the add-on"),
    product_code: text("Code of the product it is added to, as requested"),
    name: text("Label for people"),
    price: naira("Price in naira"),
    type: text("Cable provider code, as requested"),
  },
  { title: "AddOn" },
);

export const AddOnAnswer = Type.Object({
  success,
  status,
  message: text("Outcome in words; names the requested product code"),
  data: Type.Array(AddOn, { description: "Add-ons of the product; empty when it has none" }),
});
export type AddOnAnswer = Static<typeof AddOnAnswer>;

export const CablePlan = Type.Object(
  {
    id: integer("Number of the product"),
    type: text("Cable provider code"),
    code: text("Product code: the productCode of the add-on look-up"),
    name: text("Label for people"),
    description: text("Label and period"),
    price: naira("Price in naira"),
    amount: naira("Amount in naira"),
  },
  { title: "CableProduct" },
);

export const CablePlanAnswer = Type.Object({
  success,
  plans: Type.Array(CablePlan, { description: "Products in the provider's order" }),
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

const shown = (when: string) =>
  Type.Union([DataBundle, CorporateBundle, DataProvider, CableProvider, CablePlan, AddOn, OwnPrice, Type.Null()], {
    description: `The entry ${when}, as its list shows it to you; null if it is not there`,
  });

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

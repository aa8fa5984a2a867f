import { catalogueList, member } from "./list.ts";

export const dataBundles = catalogueList({
  name: "data-bundles",
  one: "bundle",
  many: "bundles",
  title: "DataBundle",
  members: {
    type: member.code("Provider code, as the data providers list gives it"),
    code: member.code("Bundle code"),
    description: member.text("Size and duration"),
    amount: member.money("Amount in naira"),
    price: member.money("Price in naira"),
    value: member.text("Data size with unit"),
    duration: member.text("Validity period"),
  },
  key: ["type", "code"],
  parent: "data-providers",
  isOpen: true,
  isSold: true,
  described: ["value", "duration"],
  oddBy: 50,
  served: { path: "internet/data/lookup", entries: ["data", "data"], asks: { provider: "type" } },
});

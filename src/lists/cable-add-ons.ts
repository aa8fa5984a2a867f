import { catalogueList, member } from "./list.ts";

export const cableAddOns = catalogueList({
  name: "cable-add-ons",
  one: "add-on",
  many: "add-ons",
  title: "AddOn",
  members: {
    add_on_product_code: member.code("Code of the add-on"),
    product_code: member.code("Code of the product it is added to, as requested"),
    name: member.text("Label for people"),
    price: member.money("Price in naira"),
    type: member.code("Cable provider code, as requested"),
  },
  key: ["type", "product_code", "add_on_product_code"],
  parent: "cable-products",
  isOpen: true,
  isSold: true,
  oddBy: 20,
  served: { path: "cable-tv/fetch-tv-add-ons", entries: ["data"], asks: { type: "type", productCode: "code" } },
});

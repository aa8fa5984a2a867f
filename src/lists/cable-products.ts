import { catalogueList, member } from "./list.ts";

export const cableProducts = catalogueList({
  name: "cable-products",
  one: "product",
  many: "products",
  title: "CableProduct",
  members: {
    id: member.id("Number of the product"),
    type: member.code("Cable provider code"),
    code: member.code("Product code: the productCode of the add-on look-up"),
    name: member.text("Label for people"),
    description: member.text("Label and period"),
    price: member.money("Price in naira"),
    amount: member.money("Amount in naira"),
  },
  key: ["type", "code"],
  parent: "cable-providers",
  isOpen: true,
  isSold: true,
  oddBy: 20,
  served: { path: "cable-tv/fetch-billers", entries: ["plans"], asks: { type: "type" } },
});

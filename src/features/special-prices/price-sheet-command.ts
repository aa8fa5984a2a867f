import { findPriced, holderAbout, type PricedRoom } from "../../catalogue/commands/priced-room.ts";
import { roomPublisher } from "../../catalogue/commands/publisher.ts";
import { providerIn } from "../../catalogue/model/find-entry.ts";
import { allPricedEntries, pricedLists, priceListOf } from "../../catalogue/model/price-lists.ts";
import { bundleSize, sizeText } from "../../catalogue/model/quantity.ts";
import type { Snapshot } from "../../catalogue/model/snapshot.ts";
import { isAvailable } from "../../catalogue/model/supply.ts";
import { naira, orNull } from "../../declare/command/answer-schema.ts";
import { command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";

export const showSheet = command({
  id: "prices.sheet",
  title: "Price sheet",
  summary: "The price list of an account or a group: everything that it can buy now, and what it pays.",
  role: "viewer",
  kind: "read",
  target: ["account"],
  input: Type.Object({
    account: Type.Optional(Type.String({ description: `${holderAbout} Default: the catalogue's prices.` })),
    list: Type.Optional(Type.Enum([...pricedLists], { description: "Only this list." })),
  }),
  answer: Type.Array(
    Type.Object({
      network: Type.String(),
      code: Type.String(),
      name: Type.String(),
      size: orNull(Type.String()),
      validity: orNull(Type.String()),
      price: naira,
      /** ₦ per GB. */
      per_gb: orNull(naira),
    }),
  ),
  none: "There is nothing to buy.",
  examples: [{ account: "shop@example.com" }, { account: "group:agents", list: "data-bundles" }, {}],
  run: async ({ account, list }, room: PricedRoom) => {
    const snapshot = await roomPublisher(room).latest();
    const id = account === undefined ? "" : (await findPriced(room, snapshot, account)).id;
    const prices = priceListOf(snapshot, id);
    return [...allPricedEntries(snapshot)]
      .filter((item) => (list === undefined || item.list === list) && isAvailable(item.content))
      .map((item) => {
        const { content } = item;
        const [price, size] = [prices.priceOf(item.list, item.key, content), bundleSize(content)];
        return {
          network: networkOf(snapshot, String(content.type)),
          code: [content.product_code, content.code, content.add_on_product_code].filter(Boolean).join(" "),
          name: String(content.name ?? content.description),
          size: size === undefined ? null : sizeText(size),
          validity: content.duration ? String(content.duration) : null,
          price,
          per_gb: size === undefined ? null : Math.round((price / size) * 1024),
        };
      });
  },
});

function networkOf(snapshot: Snapshot, type: string): string {
  return String(providerIn(snapshot, type)?.content.name || type);
}

import { orNull } from "../../operation/command/answer-schema.ts";
import { command } from "../../operation/command.ts";
import { nairaOf } from "../../operation/money.ts";
import Type from "../../operation/schema/type.ts";
import { listNames, nameOf } from "../model/lists.ts";
import { inOrder } from "../model/snapshot.ts";
import { type CatalogueRoom, roomPublisher } from "./publisher.ts";

export const listEntries = command({
  id: "catalogue.entries",
  summary: "List the entries of one list of the catalogue, as served.",
  role: "viewer",
  kind: "read",
  input: Type.Object({
    list: Type.Enum(listNames, { description: "The list.", default: "data-bundles" }),
  }),
  answer: Type.Array(
    Type.Object({
      code: Type.String(),
      description: Type.String(),
      amount: orNull(Type.String()),
      price: orNull(Type.String()),
    }),
  ),
  columns: { code: "code", description: "description", amount: { unit: "naira" }, price: { unit: "naira" } },
  none: "The list has no entries.",
  examples: [{}, { list: "cable-products" }],
  run: async ({ list }, room: CatalogueRoom) => {
    const snapshot = await roomPublisher(room).latest();
    const money = (kobo: string | number | undefined) => (kobo === undefined ? null : nairaOf(Number(kobo)));
    return [...inOrder(snapshot, list)].map(({ content }) => ({
      code: nameOf(list, content),
      description: String(content.description ?? content.name ?? ""),
      amount: money(content.amount),
      price: money(content.price),
    }));
  },
});

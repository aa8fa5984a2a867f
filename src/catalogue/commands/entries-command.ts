import { naira, orNull, reference } from "../../operation/command/answer-schema.ts";
import { command } from "../../operation/command.ts";
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
      code: reference,
      description: Type.String(),
      amount: orNull(naira),
      price: orNull(naira),
    }),
  ),
  none: "The list has no entries.",
  examples: [{}, { list: "cable-products" }],
  run: async ({ list }, room: CatalogueRoom) => {
    const snapshot = await roomPublisher(room).latest();
    const kobo = (text: string | number | undefined) => (text === undefined ? null : Number(text));
    return [...inOrder(snapshot, list)].map(({ content }) => ({
      code: nameOf(list, content),
      description: String(content.description ?? content.name ?? ""),
      amount: kobo(content.amount),
      price: kobo(content.price),
    }));
  },
});

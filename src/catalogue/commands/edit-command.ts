import { positiveAmount } from "../../operation/command/forms.ts";
import { formed, InputError } from "../../operation/command/read-texts.ts";
import { command } from "../../operation/command.ts";
import Type from "../../operation/schema/type.ts";
import { CatalogueError } from "../model/catalogue-error.ts";
import { foldCase } from "../model/codes.ts";
import { type EntryContent, type ListName, lists, nameOf } from "../model/lists.ts";
import { pricedLists } from "../model/price-lists.ts";
import { type Document, type Item, inOrder, withEntries } from "../model/snapshot.ts";
import { preview, publish } from "../revisions/publish.ts";
import type { Plan } from "../revisions/review.ts";
import { changeCommand, outcomeAnswer, previewAnswer } from "./change-answer.ts";
import { type CatalogueRoom, dryRun, holdsFrom, note, roomPublisher } from "./publisher.ts";

export const editEntry = command({
  ...changeCommand,
  id: "catalogue.edit",
  summary: "Change the price of one data bundle, cable product or add-on.",
  description:
    "It makes a revision, as an import does. A price that moves far waits for approval. To change anything else, export the list, edit " +
    "the file and import it.",
  role: "operator",
  kind: "change",
  target: ["code"],
  input: Type.Object({
    code: Type.Array(Type.String(), {
      description:
        "A provider and a code, such as MTNDATA 104 or dstv PRWE36 HDPVRE36. The code alone, if only one entry has it.",
    }),
    price: Type.Optional(
      formed(positiveAmount, { description: "New price in naira, such as 95 or 95.50.", placeholder: "naira" }),
    ),
    amount: Type.Optional(
      formed(positiveAmount, {
        description: "New face value in naira. Default: it does not change. Add-ons have none.",
        placeholder: "naira",
      }),
    ),
    holds_from: holdsFrom,
    dry_run: dryRun,
    note,
  }),
  examples: [
    { code: ["MTNDATA", "104"], price: "95" },
    { code: ["dstv", "PRWE36"], price: "5800", amount: "5800", dry_run: true },
  ],
  run: async ({ code, price, amount, holds_from: from, dry_run, note }, room: CatalogueRoom) => {
    if (price === undefined && amount === undefined)
      throw new InputError("The command has nothing to change. Give a price or an amount.");
    const members = { ...(price !== undefined && { price }), ...(amount !== undefined && { amount }) };
    const publisher = roomPublisher(room);
    const plan = editing(code.join(" "), members);
    if (dry_run) return previewAnswer(await preview(publisher, plan, { holdsFrom: from }));
    const about = {
      author: publisher.actor,
      source: "edit",
      note: note ?? `Price of ${code.join(" ")}`,
      holdsFrom: from,
    };
    return outcomeAnswer(await publish(publisher, plan, about));
  },
});

/** Sets members of the one entry with these codes. Throws a `CatalogueError` if there is none, or more than one. */
function editing(codes: string, members: EntryContent): Plan {
  return (base) => {
    const found = entriesOf(base, codes);
    if (found.length === 0)
      throw new CatalogueError(
        `The catalogue has no entry with a price for ${codes}: name the provider, then the code.`,
      );
    if (found.length > 1) {
      const names = found.slice(0, 5).map(({ list, content }) => nameOf(list, content));
      throw new CatalogueError(
        `${found.length} entries have this code, such as ${names.join(", ")}: name the provider, then the code.`,
      );
    }
    const { list, key, content } = found[0]!;
    const unknown = Object.keys(members).find((name) => !(name in lists[list].members));
    if (unknown) throw new CatalogueError(`${nameOf(list, content)} is in ${list}, which have no ${unknown}.`);
    return withEntries(base, [{ subject: list, key, content: { ...content, ...members } }]);
  };
}

/** The entry with exactly these codes, else those whose last codes they are. */
function entriesOf(base: Document, codes: string): (Item & { list: ListName })[] {
  const wanted = foldCase(codes);
  const all = pricedLists.flatMap((list) =>
    [...inOrder(base, list)]
      .filter(({ key }) => key === wanted || key.endsWith(` ${wanted}`))
      .map((item) => ({ list, ...item })),
  );
  const exact = all.filter(({ key }) => key === wanted);
  return exact.length > 0 ? exact : all;
}

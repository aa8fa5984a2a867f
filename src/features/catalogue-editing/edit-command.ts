import { changed, priceChange } from "../../catalogue/commands/change-answer.ts";
import { type CatalogueRoom, dryRun, holdsFrom, note } from "../../catalogue/commands/publisher.ts";
import { CatalogueError } from "../../catalogue/model/catalogue-error.ts";
import { foldCase } from "../../catalogue/model/codes.ts";
import { type EntryContent, nameOf } from "../../catalogue/model/lists.ts";
import { type Document, type Item, inOrder, withEntries } from "../../catalogue/model/snapshot.ts";
import { soldLists, supplied, type Teller } from "../../catalogue/model/supply.ts";
import type { Plan } from "../../catalogue/revisions/review.ts";
import { positiveAmount } from "../../declare/command/forms.ts";
import { formed, InputError } from "../../declare/command/read-texts.ts";
import Type from "../../declare/schema/type.ts";
import { type ListName, lists } from "../../lists/index.ts";

const knownCost = {
  form: `${positiveAmount.form}, or unknown`,
  read: (text: string) => (text === "unknown" ? "" : positiveAmount.read(text)),
};

export const editEntry = priceChange({
  id: "catalogue.edit",
  title: "Edit…",
  summary: "Change the price or the cost of one entry, or whether it is available.",
  description:
    "It makes a revision, as an import does. A price that moves far, or that is below the cost, " +
    "waits for approval. An entry that is not available leaves the lists of clients, and stays in the catalogue. " +
    "To change anything else, export the list, edit the file and import it.",
  role: "operator",
  // A new cost counts as well, because the cost of an entry determines which prices are too low.
  givesNothing: ({ dry_run, price, amount, cost }) => dry_run === true || (price ?? amount ?? cost) === undefined,
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
    cost: Type.Optional(
      formed(knownCost, { description: "What you pay for it, in naira, or unknown.", placeholder: "naira" }),
    ),
    available: Type.Optional(Type.Enum(["yes", "no"], { description: "Whether it is to be had." })),
    holds_from: holdsFrom,
    dry_run: dryRun,
    note,
  }),
  examples: [
    { code: ["MTNDATA", "104"], price: "95" },
    { code: ["dstv", "PRWE36"], price: "5800", amount: "5800", dry_run: true },
    { code: ["MTNDATA", "104"], cost: "91.50" },
    { code: ["MTNDATA", "104"], available: "no" },
  ],
  run: async ({ code, price, amount, cost, available, holds_from, dry_run, note }, room: CatalogueRoom) => {
    const members = {
      ...(price !== undefined && { price }),
      ...(amount !== undefined && { amount }),
      ...(cost !== undefined && { cost }),
      ...(available && { available: available === "yes" ? 1 : 0 }),
    };
    if (Object.keys(members).length === 0)
      throw new InputError(
        "The command has nothing to change. Give a price, an amount, a cost, or whether it is available.",
      );
    const plan = editing(code.join(" "), members, { at: holds_from ?? room.now(), by: room.actor });
    const usual = `${noteOf(Object.keys(members))} of ${code.join(" ")}`;
    return changed(room, plan, { source: "edit", note: note ?? usual, dry_run, holds_from });
  },
});

/** A text such as "Price and cost". */
function noteOf(members: readonly string[]): string {
  const text = members.join(" and ").replace("available", "availability");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Sets members of the only entry with these codes. Throws a `CatalogueError` unless one entry has them all. */
function editing(codes: string, members: EntryContent, told: Teller): Plan {
  return (base) => {
    const found = entriesOf(base, codes);
    if (found.length === 0)
      throw new CatalogueError(`The catalogue has no entry for ${codes}: name the provider, then the code.`);
    if (found.length > 1) {
      const names = found.slice(0, 5).map(({ list, content }) => nameOf(list, content));
      throw new CatalogueError(
        `${found.length} entries have this code, such as ${names.join(", ")}: name the provider, then the code.`,
      );
    }
    const { list, key, content } = found[0]!;
    const unknown = ["price", "amount"].find((name) => name in members && !(name in lists[list].kinds));
    if (unknown) throw new CatalogueError(`${nameOf(list, content)} is in ${list}, which have no ${unknown}.`);
    const made = supplied({ ...content, ...members }, content, told);
    return withEntries(base, [{ subject: list, key, content: made }]);
  };
}

/** The entry with exactly these codes, else the entries whose codes end with them. */
function entriesOf(base: Document, codes: string): (Item & { list: ListName })[] {
  const wanted = foldCase(codes);
  const all = [...soldLists].flatMap((list) =>
    [...inOrder(base, list)]
      .filter(({ key }) => key === wanted || key.endsWith(` ${wanted}`))
      .map((item) => ({ list, ...item })),
  );
  const exact = all.filter(({ key }) => key === wanted);
  return exact.length > 0 ? exact : all;
}

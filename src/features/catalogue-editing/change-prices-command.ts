import { changed, priceChange, publishes } from "../../catalogue/commands/change-answer.ts";
import { type CatalogueRoom, dryRun, holdsFrom, note } from "../../catalogue/commands/publisher.ts";
import { CatalogueError } from "../../catalogue/model/catalogue-error.ts";
import { nameOf } from "../../catalogue/model/lists.ts";
import { priceBy } from "../../catalogue/model/price-lists.ts";
import { withEntries } from "../../catalogue/model/snapshot.ts";
import { margin, roundings } from "../../catalogue/prices/price-forms.ts";
import { ruleText } from "../../catalogue/prices/price-rules.ts";
import type { Plan } from "../../catalogue/revisions/review.ts";
import { formed, InputError } from "../../declare/command/read-texts.ts";
import { shortNaira } from "../../declare/money.ts";
import Type from "../../declare/schema/type.ts";
import { entriesIn, isChosen, selection } from "./entries-command.ts";

/** Changes all chosen prices of the catalogue in one revision. */
export const changePrices = priceChange({
  id: "catalogue.change-prices",
  title: "Change prices…",
  summary: "Change the prices of many entries by a percentage or by naira.",
  description:
    "It chooses entries as `duba catalogue entries` does, and makes one revision, as an import does: " +
    "a price that moves far, or that is below the cost, waits for approval. " +
    "Done twice, it changes the prices twice. Face values (amount) and the prices of accounts do not change, " +
    "but for those that follow from these prices.",
  role: "operator",
  does: (answer) => publishes(answer, "price"),
  input: Type.Object({
    by: formed(margin, {
      description: "By how much the prices change, such as 3%, -2.5% or 50. Duba rounds half a kobo up.",
      placeholder: "percent or naira",
    }),
    round: Type.Optional(
      Type.Enum(
        roundings.map(({ text }) => text),
        { description: "Round each new price up to a multiple of so many naira." },
      ),
    ),
    ...selection,
    dry_run: dryRun,
    holds_from: holdsFrom,
    note,
  }),
  examples: [
    { by: "3%", provider: "MTNDATA", round: "10" },
    { by: "3%", provider: "MTNDATA", round: "10", dry_run: true },
    { by: "-50", list: "cable-products", min: "5000", holds_from: "2099-02-01T00:00+01:00" },
  ],
  run: async ({ by, round, dry_run, holds_from, note, ...chosen }, room: CatalogueRoom) => {
    if (!isChosen(chosen)) throw new InputError("Choose entries: by list, search, provider, lowest or highest price.");
    const step = roundings.find(({ text }) => text === round)?.kobo;
    const rule = { ...by, ...(step !== undefined && { round: step }) };
    const plan: Plan = (base) => {
      const priced = entriesIn(base, chosen).filter(({ content }) => content.price !== undefined);
      if (priced.length === 0) throw new CatalogueError("No entry that has a price fits what you chose.");
      return withEntries(
        base,
        priced.map(({ list, key, content }) => {
          const price = priceBy(rule, Number(content.price));
          if (price === undefined)
            throw new CatalogueError(
              `${nameOf(list, content)} costs ${shortNaira(Number(content.price))}: nothing would be left of its price.`,
            );
          return { subject: list, key, content: { ...content, price } };
        }),
      );
    };
    return changed(room, plan, { source: "edit", note: note ?? `Prices ${ruleText(rule)}`, dry_run, holds_from });
  },
});

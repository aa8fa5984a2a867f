import { countsOf } from "../../../catalogue/changes/change.ts";
import { CatalogueFault } from "../../../catalogue/model/fault.ts";
import type { PublishOutcome } from "../../../catalogue/revisions/publish.ts";
import type { Io } from "../../terminal/io.ts";
import { painter, timeOf } from "../../terminal/table.ts";
import { countText, differenceText } from "./difference.ts";

/** Prints the outcome of a change. Throws a `CatalogueFault` if the change waits for approval. */
export function printOutcome(io: Io, outcome: PublishOutcome, { json, all }: { json?: true; all?: true }): void {
  if (json) io.out(`${JSON.stringify(facts(outcome), null, 2)}\n`);
  else if (outcome.state !== "unchanged")
    io.out(`${differenceText(outcome.changes, painter(io.colours?.out), all === true)}\n`);
  if (outcome.state === "held")
    throw new CatalogueFault(
      `This change waits for approval as d${outcome.draft}. Duba does not serve it yet:\n${outcome.reasons.map((reason) => `  ${reason}\n`).join("")}` +
        `To publish it: duba catalogue approve d${outcome.draft}\nTo reject it: duba catalogue reject d${outcome.draft}`,
    );
  if (!json) io.out(sentence(outcome));
}

function sentence(outcome: Exclude<PublishOutcome, { state: "held" }>): string {
  if (outcome.state === "unchanged")
    return `Nothing changed: revision ${outcome.revision} of the catalogue is already the same.\n`;
  const counts = countText(countsOf(outcome.changes));
  if (outcome.state === "published") return `Revision ${outcome.revision} is published: ${counts}.\n`;
  return `Scheduled as d${outcome.draft}: ${counts}, from ${timeOf(outcome.holdsFrom)} on.\n`;
}

function facts(outcome: PublishOutcome): object {
  if (outcome.state === "unchanged") return { state: outcome.state, revision: outcome.revision };
  const counts = countsOf(outcome.changes);
  if (outcome.state === "published") return { state: outcome.state, revision: outcome.revision, ...counts };
  if (outcome.state === "held")
    return { state: outcome.state, draft: `d${outcome.draft}`, reasons: outcome.reasons, ...counts };
  const holds_from = new Date(outcome.holdsFrom).toISOString();
  return { state: outcome.state, draft: `d${outcome.draft}`, holds_from, ...counts };
}

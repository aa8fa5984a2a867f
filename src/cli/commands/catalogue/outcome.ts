import { countsOf } from "../../../catalogue/changes/change.ts";
import { CatalogueFault } from "../../../catalogue/revisions/fault.ts";
import type { PublishOutcome } from "../../../catalogue/revisions/publish.ts";
import type { Io } from "../../terminal/io.ts";
import { painter, timeOf } from "../../terminal/table.ts";
import { countText, differenceText } from "./difference.ts";

/** Tells what became of a change. What is held ends with a `CatalogueFault`: it is not served. */
export function tellOutcome(io: Io, outcome: PublishOutcome, { json, all }: { json?: true; all?: true }): void {
  if (json) io.out(`${JSON.stringify(facts(outcome), null, 2)}\n`);
  else if (outcome.state !== "unchanged")
    io.out(`${differenceText(outcome.changes, painter(io.colours?.out), all === true)}\n`);
  if (outcome.state === "held")
    throw new CatalogueFault(
      `This is held for approval as d${outcome.draft}, and not served:\n${outcome.reasons.map((reason) => `  ${reason}\n`).join("")}` +
        `Publish it with: duba catalogue approve d${outcome.draft}\nOr end it with: duba catalogue reject d${outcome.draft}`,
    );
  if (!json) io.out(sentence(outcome));
}

function sentence(outcome: Exclude<PublishOutcome, { state: "held" }>): string {
  if (outcome.state === "unchanged")
    return `Nothing changed: the catalogue is so already, at revision ${outcome.revision}.\n`;
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

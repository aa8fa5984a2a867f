import { type Command, InvalidArgumentError, Option } from "commander";
import { type Change, changesBetween } from "../../../catalogue/changes/change.ts";
import { CatalogueFault } from "../../../catalogue/revisions/fault.ts";
import {
  listRevisions,
  listWaiting,
  type Revision,
  showDraft,
  showRevision,
  type WaitingDraft,
} from "../../../catalogue/revisions/history.ts";
import { allChangesOf, snapshotAt } from "../../../catalogue/revisions/load.ts";
import { settings } from "../../../config/settings.ts";
import { examples, subcommand } from "../../terminal/help.ts";
import type { Io } from "../../terminal/io.ts";
import { settingOption } from "../../terminal/options.ts";
import { painter, record, table, timeOf } from "../../terminal/table.ts";
import { countText, differenceJson, differenceText } from "./difference.ts";
import { draftNumber, revisionNumber, withCatalogue } from "./with-catalogue.ts";

interface Common {
  data?: string;
  json?: true;
  all?: true;
}

/** `duba catalogue history`. */
export function addHistory(catalogue: Command, io: Io): void {
  const about = "List the drafts that wait or are scheduled, then the revisions, newest first.";
  const command = subcommand(catalogue, "history", about)
    .addOption(
      new Option("--limit <number>", "Maximum number of revisions.").default(20).argParser((text: string) => {
        if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("It must be a whole number above 0.");
        return Number(text);
      }),
    )
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the history as JSON")
    .action(async ({ limit, data, json }: Common & { limit: number }) => {
      const { waiting, revisions } = await withCatalogue(io, { data }, async ({ db }) => ({
        waiting: await listWaiting(db),
        revisions: await listRevisions(db, limit),
      }));
      if (json) {
        const history = { waiting: waiting.map(draftFacts), revisions: revisions.map(revisionFacts) };
        return io.out(`${JSON.stringify(history, null, 2)}\n`);
      }
      const paint = painter(io.colours?.out);
      if (waiting.length > 0) io.out(`${table(waiting.map(draftRow), paint)}\n`);
      io.out(table(revisions.map(revisionRow), paint));
    });
  examples(command, "duba catalogue history", "duba catalogue history --limit 100 --json");
}

function revisionRow({ number, publishedAt, author, source, note, ...counts }: Revision) {
  return { revision: number, published: timeOf(publishedAt), author, source, changes: countText(counts), note };
}

function draftRow({ id, state, holdsFrom, author, source, note, ...counts }: WaitingDraft) {
  const since = holdsFrom === null ? "at once" : timeOf(holdsFrom);
  return { draft: `d${id}`, state, "holds from": since, author, source, changes: countText(counts), note };
}

/** `duba catalogue show`. */
export function addShow(catalogue: Command, io: Io): void {
  const command = subcommand(catalogue, "show", "Show one revision or draft: author, time, note and changes.")
    .argument("<revision or draft>", "A number such as 7, or a draft such as d7.")
    .option("--all", "show every change, not only the first ones")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print it as JSON")
    .action(async (name: string, { data, json, all }: Common) => {
      const { facts, changes } = await withCatalogue(io, { data }, async ({ db }) => {
        if (/^d/i.test(name)) {
          const draft = await showDraft(db, draftNumber(name));
          return { facts: draftFacts(draft), changes: await allChangesOf(db, draft.id) };
        }
        const revision = await showRevision(db, revisionNumber(name));
        if (revision.draft === null) throw new CatalogueFault(`Duba no longer has the changes of revision ${name}.`);
        return { facts: revisionFacts(revision), changes: await allChangesOf(db, revision.draft) };
      });
      print(io, changes, { json, all }, facts);
    });
  examples(command, "duba catalogue show 7", "duba catalogue show d7 --all");
}

/** `duba catalogue diff`. */
export function addDiff(catalogue: Command, io: Io): void {
  const about = "Show the changes from one revision to another.";
  const command = subcommand(catalogue, "diff", about)
    .argument("<from>", "Number of the first revision.")
    .argument("[to]", "Number of the second revision. Default: the newest.")
    .option("--all", "show every change, not only the first ones")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the changes as JSON")
    .action(async (from: string, to: string | undefined, { data, json, all }: Common) => {
      const changes = await withCatalogue(io, { data }, async ({ db, latest }) => {
        const newest = await latest();
        const before = await snapshotAt(db, newest, revisionNumber(from));
        const after = to === undefined ? newest : await snapshotAt(db, newest, revisionNumber(to));
        return changesBetween(before, after);
      });
      print(io, changes, { json, all });
    });
  examples(command, "duba catalogue diff 6", "duba catalogue diff 3 6");
}

function print(
  io: Io,
  changes: readonly Change[],
  { json, all }: { json?: true | undefined; all?: true | undefined },
  facts = {},
): void {
  if (json) {
    io.out(`${JSON.stringify({ ...facts, changes: differenceJson(changes) }, null, 2)}\n`);
    return;
  }
  const paint = painter(io.colours?.out);
  if (Object.keys(facts).length > 0) io.out(`${record(facts, paint)}\n`);
  io.out(differenceText(changes, paint, all === true));
}

function revisionFacts({ number, publishedAt, draft, ...facts }: Revision) {
  return { revision: number, published_at: new Date(publishedAt).toISOString(), ...facts };
}

function draftFacts({ id, createdAt, holdsFrom, decidedBy, ...facts }: WaitingDraft) {
  return {
    draft: `d${id}`,
    ...facts,
    created_at: new Date(createdAt).toISOString(),
    holds_from: holdsFrom && new Date(holdsFrom).toISOString(),
    decided_by: decidedBy,
  };
}

import { type Command, InvalidArgumentError, Option } from "commander";
import { type Change, changesBetween } from "../../../catalogue/changes/change.ts";
import { findDraft, listWaiting } from "../../../catalogue/revisions/draft.ts";
import { changesOf, findRevision, listRevisions, snapshotAt } from "../../../catalogue/revisions/load.ts";
import { settings } from "../../../config/settings.ts";
import type { CatalogueDraftRow, CatalogueRevisionRow } from "../../../storage/tables.ts";
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

function revisionRow({ number, created_at, author, source, note, ...counts }: CatalogueRevisionRow) {
  return { revision: number, published: timeOf(created_at), author, source, changes: countText(counts), note };
}

function draftRow({ id, state, holds_from, author, source, note, ...counts }: CatalogueDraftRow) {
  const since = holds_from === null ? "at once" : timeOf(holds_from);
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
          const draft = await findDraft(db, draftNumber(name));
          return { facts: draftFacts(draft), changes: await changesOf(db, draft.id) };
        }
        const revision = await findRevision(db, revisionNumber(name));
        return { facts: revisionFacts(revision), changes: await changesOf(db, revision.draft) };
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

function revisionFacts({ number, created_at, draft, ...facts }: CatalogueRevisionRow) {
  return { revision: number, published_at: new Date(created_at).toISOString(), ...facts };
}

function draftFacts(row: CatalogueDraftRow) {
  const { state, author, source, note, added, modified, removed, holds_from } = row;
  return {
    draft: `d${row.id}`,
    ...{ state, author, source, note, added, modified, removed },
    reasons: JSON.parse(row.reasons),
    created_at: new Date(row.created_at).toISOString(),
    holds_from: holds_from && new Date(holds_from).toISOString(),
    decided_by: row.decided_by,
  };
}

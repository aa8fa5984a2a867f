import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { difference } from "../../../catalogue/changes/difference.ts";
import { type ReadList, readCsv } from "../../../catalogue/files/csv.ts";
import { readJson } from "../../../catalogue/files/json.ts";
import { type ListName, listNames } from "../../../catalogue/model/lists.ts";
import { CatalogueFault } from "../../../catalogue/revisions/fault.ts";
import { type Plan, preview, publish } from "../../../catalogue/revisions/publish.ts";
import { settings } from "../../../config/settings.ts";
import { examples, subcommand } from "../../terminal/help.ts";
import { type Io, UsageFault } from "../../terminal/io.ts";
import { settingOption } from "../../terminal/options.ts";
import { progressBar } from "../../terminal/progress.ts";
import { painter } from "../../terminal/table.ts";
import { differenceJson, differenceText } from "./difference.ts";
import { tellOutcome } from "./outcome.ts";
import { authorOption, type ChangeOptions, noteOption, withCatalogue } from "./with-catalogue.ts";

interface ImportOptions extends ChangeOptions {
  list?: ListName;
  dryRun?: true;
  holdsFrom?: number;
  all?: true;
}

const about = `Replace lists of the catalogue by those in files: CSV with a heading, one list in a file, or JSON with any lists.
An import replaces: what a list's file does not have is removed. Lists that are not in the files stay as they are.
All files together become one revision, or none if anything in them is wrong. The same files again change nothing.
What removes much, moves a price far or empties a provider is held for approval, and not served before.`;

/** `duba catalogue import`. */
export function addImport(catalogue: Command, io: Io): void {
  const command = subcommand(catalogue, "import", about)
    .argument("<file...>", "CSV files named after their lists, such as data-bundles.csv, or JSON files.")
    .addOption(new Option("--list <list>", "List of a CSV file with another name.").choices(listNames))
    .option("--dry-run", "show what would change, price moves first, and change nothing")
    .addOption(holdsFromOption())
    .addOption(noteOption())
    .addOption(authorOption())
    .option("--all", "show every change, not only the first ones")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the outcome as JSON")
    .action(async (files: string[], options: ImportOptions) => {
      const read = await readFiles(files, options.list);
      const faults = read.flatMap((each) => each.faults);
      const plan: Plan = (base) => difference(base, read, faults);
      await withCatalogue(io, options, async (publisher) => {
        if (options.dryRun) {
          const { changes, reasons, revision } = await preview(publisher, plan, options);
          return tellPreview(io, changes, reasons, revision, options);
        }
        const bar = progressBar(io, "rows");
        const author = publisher.actor;
        const { note = "", holdsFrom } = options;
        const outcome = await publish({ ...publisher, progress: bar.tell }, plan, {
          ...{ author, source: "import", note, holdsFrom },
        }).finally(() => bar.clear());
        tellOutcome(io, outcome, options);
      });
    });
  examples(
    command,
    "duba catalogue import data-bundles.csv --dry-run",
    'duba catalogue import data-bundles.csv --note "MTN raised prices"',
    "duba catalogue import data-providers.csv data-bundles.csv",
    "duba catalogue import monday.csv --list data-bundles --holds-from 2027-02-01T00:00+01:00",
  );
}

function holdsFromOption(): Option {
  const flags = "--holds-from <time>";
  const about = "From when it holds, with the time zone: 2027-02-01T00:00+01:00. Until then it is scheduled.";
  return new Option(flags, about).argParser((text: string) => {
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(time))
      throw new InvalidArgumentError("It must be a time with its zone, such as 2027-02-01T00:00+01:00.");
    if (time <= Date.now()) throw new InvalidArgumentError("It is past: leave the option out to publish at once.");
    return time;
  });
}

async function readFiles(files: readonly string[], list: ListName | undefined): Promise<ReadList[]> {
  if (list !== undefined && files.length > 1) throw new UsageFault("--list names the list of one file: give one.");
  const read: ReadList[] = [];
  for (const file of files) read.push(...(await readFile(file, list)));
  const twice = read.find((each, at) => read.findIndex((other) => other.list === each.list) < at);
  if (twice) throw new UsageFault(`${twice.list} is in two files: give it once.`);
  return read;
}

async function readFile(file: string, list: ListName | undefined): Promise<ReadList[]> {
  const ending = /\.(csv|json)$/i.exec(file)?.[1]?.toLowerCase();
  if (ending === undefined) throw new UsageFault(`${file} ends neither in .csv nor in .json.`);
  const named = ending === "csv" ? (list ?? listNamed(file)) : undefined;
  const bytes = bytesOf(file);
  if (named) return [await readCsv(named, bytes)];
  const lists = readJson(bytes);
  if ("wrong" in lists) throw new CatalogueFault(`${file} cannot be imported: ${lists.wrong}.`);
  return lists;
}

function listNamed(file: string): ListName {
  const name = basename(file).replace(/\.csv$/i, "");
  const list = listNames.find((each) => each === name.toLowerCase());
  if (list) return list;
  throw new UsageFault(`${file} is not named after a list: say with --list which it is, of ${listNames.join(", ")}.`);
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CatalogueFault(`The file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Tells what would change, and that nothing was changed. */
export function tellPreview(
  io: Io,
  changes: Parameters<typeof differenceText>[0],
  reasons: readonly string[],
  revision: number,
  { json, all }: ImportOptions,
): void {
  if (json) {
    io.out(`${JSON.stringify({ revision, reasons, changes: differenceJson(changes) }, null, 2)}\n`);
    return;
  }
  io.out(differenceText(changes, painter(io.colours?.out), all === true));
  if (reasons.length > 0)
    io.err(`This would be held for approval:\n${reasons.map((reason) => `  ${reason}\n`).join("")}`);
  io.err("Nothing was changed: this was a dry run.\n");
}

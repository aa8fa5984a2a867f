import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { difference } from "../../../catalogue/changes/difference.ts";
import { type ReadList, readCsv } from "../../../catalogue/files/csv.ts";
import { readJson } from "../../../catalogue/files/json.ts";
import { CatalogueFault } from "../../../catalogue/model/fault.ts";
import { type ListName, listNames } from "../../../catalogue/model/lists.ts";
import { type Plan, preview, publish } from "../../../catalogue/revisions/publish.ts";
import { settings } from "../../../config/settings.ts";
import { examples, subcommand } from "../../terminal/help.ts";
import { type Io, UsageFault } from "../../terminal/io.ts";
import { settingOption } from "../../terminal/options.ts";
import { painter } from "../../terminal/table.ts";
import { differenceJson, differenceText } from "./difference.ts";
import { printOutcome } from "./outcome.ts";
import { authorOption, type ChangeOptions, noteOption, withCatalogue } from "./with-catalogue.ts";

interface ImportOptions extends ChangeOptions {
  list?: ListName;
  dryRun?: true;
  holdsFrom?: number;
  all?: true;
}

const about = `Replace lists of the catalogue with lists from files: CSV with a header line and one list per file, or JSON with any lists.
An import removes entries that are not in the file of their list. Lists that are not in the files do not change.
All files together make one revision. If a file has a fault, the command changes nothing. Importing the same files again has no effect.
A change that removes many entries, changes a price by much, or empties a provider waits for approval. Duba does not serve it before.`;

/** `duba catalogue import`. */
export function addImport(catalogue: Command, io: Io): void {
  const command = subcommand(catalogue, "import", about)
    .argument("<file...>", "CSV files with the name of their list, such as data-bundles.csv, or JSON files.")
    .addOption(
      new Option("--list <list>", "The list in the CSV file, if the file has another name.").choices(listNames),
    )
    .option("--dry-run", "show the changes, prices first, and publish nothing")
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
          return printPreview(io, changes, reasons, revision, options);
        }
        const author = publisher.actor;
        const { note = "", holdsFrom } = options;
        const outcome = await publish(publisher, plan, { author, source: "import", note, holdsFrom });
        printOutcome(io, outcome, options);
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
  const about = "Publish at this time, with the time zone: 2027-02-01T00:00+01:00.";
  return new Option(flags, about).argParser((text: string) => {
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(time))
      throw new InvalidArgumentError("It must be a time with its zone, such as 2027-02-01T00:00+01:00.");
    if (time <= Date.now()) throw new InvalidArgumentError("The time is in the past. Omit the option to publish now.");
    return time;
  });
}

async function readFiles(files: readonly string[], list: ListName | undefined): Promise<ReadList[]> {
  if (list !== undefined && files.length > 1) throw new UsageFault("--list works with one file only.");
  const read: ReadList[] = [];
  for (const file of files) read.push(...(await readFile(file, list)));
  const twice = read.find((each, at) => read.findIndex((other) => other.list === each.list) < at);
  if (twice) throw new UsageFault(`${twice.list} is in two files. Remove one of them.`);
  return read;
}

async function readFile(file: string, list: ListName | undefined): Promise<ReadList[]> {
  const ending = /\.(csv|json)$/i.exec(file)?.[1]?.toLowerCase();
  if (ending === undefined) throw new UsageFault(`The name of ${file} must end in .csv or .json.`);
  const named = ending === "csv" ? (list ?? listNamed(file)) : undefined;
  const bytes = bytesOf(file);
  if (named) return [await readCsv(named, bytes)];
  const lists = readJson(bytes);
  if ("wrong" in lists) throw new CatalogueFault(`Duba cannot import ${file}: ${lists.wrong}.`);
  return lists;
}

function listNamed(file: string): ListName {
  const name = basename(file).replace(/\.csv$/i, "");
  const list = listNames.find((each) => each === name.toLowerCase());
  if (list) return list;
  throw new UsageFault(`${file} does not have the name of a list. Use --list with one of ${listNames.join(", ")}.`);
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CatalogueFault(`Duba cannot read the file ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Prints the changes that a dry run found. */
export function printPreview(
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
    io.err(`This change would wait for approval:\n${reasons.map((reason) => `  ${reason}\n`).join("")}`);
  io.err("Nothing was changed: this was a dry run.\n");
}

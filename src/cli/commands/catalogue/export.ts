import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Command, Option } from "commander";
import { csvOf } from "../../../catalogue/files/csv.ts";
import { jsonOf } from "../../../catalogue/files/json.ts";
import { CatalogueFault } from "../../../catalogue/model/fault.ts";
import { type EntryContent, type ListName, listNames } from "../../../catalogue/model/lists.ts";
import { inOrder, type Snapshot } from "../../../catalogue/model/snapshot.ts";
import { snapshotAt } from "../../../catalogue/revisions/load.ts";
import { settings } from "../../../config/settings.ts";
import { examples, subcommand } from "../../terminal/help.ts";
import { type Io, UsageFault } from "../../terminal/io.ts";
import { settingOption } from "../../terminal/options.ts";
import { revisionNumber, withCatalogue } from "./with-catalogue.ts";

interface ExportOptions {
  list?: ListName;
  format?: "csv" | "json";
  revision?: string;
  out?: string;
  data?: string;
}

const about = `Write the catalogue to files for \`duba catalogue import\`: all lists as JSON, one list as CSV, or each list as CSV in a directory.
Importing an exported file has no effect. The files do not contain the special prices of accounts.`;

/** `duba catalogue export`. */
export function addExport(catalogue: Command, io: Io): void {
  const command = subcommand(catalogue, "export", about)
    .addOption(new Option("--list <list>", "Only this list. Default format: CSV.").choices(listNames))
    .addOption(
      new Option(
        "--format <format>",
        "Format of the output. Default: JSON, or CSV with --list or a directory.",
      ).choices(["csv", "json"]),
    )
    .option("--revision <number>", "Export this revision. Default: the newest.")
    .option("--out <path>", "File, or directory (ending in /) for one CSV file per list. Default: standard output.")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async ({ list, format, revision, out, data }: ExportOptions) => {
      const directory = out !== undefined && isDirectory(out);
      const form = format ?? (list || directory ? "csv" : "json");
      const chosen = list ? [list] : listNames;
      if (form === "csv" && !list && !directory)
        throw new UsageFault("A CSV file contains one list. Choose it with --list, or choose a directory with --out.");
      const snapshot = await withCatalogue(io, { data }, async ({ db, latest }) =>
        revision === undefined ? latest() : snapshotAt(db, await latest(), revisionNumber(revision)),
      );
      const texts =
        form === "csv" ? csvTexts(snapshot, chosen) : [{ name: "catalogue.json", text: jsonText(snapshot, chosen) }];
      for (const { name, text } of texts) {
        if (out === undefined) io.out(text);
        else write(directory ? join(out, name) : out, text);
      }
      if (out !== undefined) io.err(`Duba wrote revision ${snapshot.revision} to ${out}.\n`);
    });
  examples(
    command,
    "duba catalogue export --list data-bundles --out data-bundles.csv",
    "duba catalogue export --out catalogue.json",
    "duba catalogue export --out lists/",
    "duba catalogue export --revision 7 --out before.json",
  );
}

function isDirectory(path: string): boolean {
  return path.endsWith("/") || (existsSync(path) && statSync(path).isDirectory());
}

function csvTexts(snapshot: Snapshot, chosen: readonly ListName[]): { name: string; text: string }[] {
  return chosen.map((list) => ({ name: `${list}.csv`, text: csvOf(list, contents(snapshot, list)) }));
}

function jsonText(snapshot: Snapshot, chosen: readonly ListName[]): string {
  return jsonOf(chosen.map((list) => [list, contents(snapshot, list)]));
}

function* contents(snapshot: Snapshot, list: ListName): Generator<EntryContent, void> {
  for (const { content } of inOrder(snapshot, list)) yield content;
}

function write(file: string, text: string): void {
  try {
    const directory = dirname(file);
    if (!existsSync(directory)) mkdirSync(directory);
    writeFileSync(file, text);
  } catch (error) {
    throw new CatalogueFault(`Duba cannot write the file ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}

import type { Command } from "commander";
import { examples, subcommand } from "../../terminal/help.ts";
import type { Io } from "../../terminal/io.ts";
import { addApprove, addReject, addRevert } from "./decide.ts";
import { addExport } from "./export.ts";
import { addDiff, addHistory, addShow } from "./history.ts";
import { addImport } from "./import.ts";

/** `duba catalogue`: what can be bought, and every change of it. */
export function addCatalogue(program: Command, io: Io): void {
  const catalogue = subcommand(
    program,
    "catalogue",
    "What can be bought: import, export, and every change of it. Runs beside a serving process, which serves a new " +
      "revision within a second.",
  );
  addImport(catalogue, io);
  addExport(catalogue, io);
  addHistory(catalogue, io);
  addShow(catalogue, io);
  addDiff(catalogue, io);
  addRevert(catalogue, io);
  addApprove(catalogue, io);
  addReject(catalogue, io);
  examples(
    catalogue,
    "duba catalogue export --list data-bundles --out data-bundles.csv",
    "duba catalogue import data-bundles.csv --dry-run",
    "duba catalogue history",
  );
}

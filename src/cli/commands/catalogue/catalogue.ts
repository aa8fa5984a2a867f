import type { Command } from "commander";
import { examples, subcommand } from "../../terminal/help.ts";
import type { Io } from "../../terminal/io.ts";
import { addApprove, addReject, addRevert } from "./decide.ts";
import { addExport } from "./export.ts";
import { addDiff, addHistory, addShow } from "./history.ts";
import { addImport } from "./import.ts";

/** `duba catalogue`: the products and the history of their changes. */
export function addCatalogue(program: Command, io: Io): void {
  const catalogue = subcommand(
    program,
    "catalogue",
    "Manage the catalogue of products: import, export, history, approval. The service may run meanwhile. It serves a new " +
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

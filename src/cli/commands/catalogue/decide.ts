import type { Command } from "commander";
import { type SkippedEntry, undo } from "../../../catalogue/changes/rebase.ts";
import { CatalogueFault } from "../../../catalogue/model/fault.ts";
import { approve, reject } from "../../../catalogue/revisions/decide.ts";
import { changesOf, findRevision } from "../../../catalogue/revisions/load.ts";
import { type Plan, preview, publish } from "../../../catalogue/revisions/publish.ts";
import { settings } from "../../../config/settings.ts";
import { examples, subcommand } from "../../terminal/help.ts";
import type { Io } from "../../terminal/io.ts";
import { settingOption } from "../../terminal/options.ts";
import { painter } from "../../terminal/table.ts";
import { differenceText } from "./difference.ts";
import { printOutcome } from "./outcome.ts";
import {
  authorOption,
  type ChangeOptions,
  draftNumber,
  noteOption,
  revisionNumber,
  withCatalogue,
} from "./with-catalogue.ts";

/** `duba catalogue revert`. */
export function addRevert(catalogue: Command, io: Io): void {
  const about =
    "Undo a revision with a new revision. Entries that changed again later do not change, and the command lists them. A " +
    "revert may wait for approval like any other change.";
  const command = subcommand(catalogue, "revert", about)
    .argument("<revision>", "Number of the revision to undo.")
    .option("--dry-run", "show the changes, and publish nothing")
    .addOption(noteOption())
    .addOption(authorOption())
    .option("--all", "show every change, not only the first ones")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the outcome as JSON")
    .action(async (text: string, options: ChangeOptions & { dryRun?: true; all?: true }) => {
      const number = revisionNumber(text);
      await withCatalogue(io, options, async (publisher) => {
        const { draft } = await findRevision(publisher.db, number);
        const made = await changesOf(publisher.db, draft);
        let left: readonly SkippedEntry[] = [];
        const plan: Plan = async (base) => {
          const undone = await undo(base, made);
          left = undone.left;
          return undone.changes;
        };
        if (options.dryRun) {
          const { changes } = await preview(publisher, plan, {});
          io.out(differenceText(changes, painter(io.colours?.out), options.all === true));
          return printSkipped(io, left);
        }
        const { note = `Undoes revision ${number}` } = options;
        const outcome = await publish(publisher, plan, { author: publisher.actor, source: "revert", note });
        printSkipped(io, left);
        if (outcome.state === "unchanged") throw new CatalogueFault(`Revision ${number} has no changes to undo.`);
        printOutcome(io, outcome, options);
      });
    });
  examples(command, "duba catalogue revert 7 --dry-run", 'duba catalogue revert 7 --note "wrong file"');
}

function printSkipped(io: Io, left: readonly SkippedEntry[]): void {
  for (const { subject, name, reason } of left) io.err(`Not changed: ${subject} ${name} ${reason}.\n`);
}

/** `duba catalogue approve`. */
export function addApprove(catalogue: Command, io: Io): void {
  const about =
    "Publish a draft that waits for approval. If later changes of the catalogue alter the difference, the command shows the " +
    "new difference, and you approve again.";
  const command = subcommand(catalogue, "approve", about)
    .argument("<draft>", "A draft such as d7. `duba catalogue history` lists the drafts.")
    .addOption(authorOption())
    .option("--all", "show every change, not only the first ones")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the outcome as JSON")
    .action(async (text: string, options: ChangeOptions & { all?: true }) => {
      const id = draftNumber(text);
      const approval = await withCatalogue(io, options, (publisher) => approve(publisher, id, publisher.actor));
      if (approval.state === "empty")
        throw new CatalogueFault(
          `d${id} has no effect any more: the catalogue already has its changes. The draft is closed.`,
        );
      if (approval.state !== "recomputed") return printOutcome(io, approval, options);
      io.out(`${differenceText(approval.changes, painter(io.colours?.out), options.all === true)}\n`);
      throw new CatalogueFault(
        `The catalogue has changed since d${id} was made. The difference above is the new one. ` +
          `If it is correct, approve it again: duba catalogue approve d${id}`,
      );
    });
  examples(command, "duba catalogue show d7", "duba catalogue approve d7");
}

/** `duba catalogue reject`. */
export function addReject(catalogue: Command, io: Io): void {
  const command = subcommand(catalogue, "reject", "Close a draft that waits or is scheduled. Duba never publishes it.")
    .argument("<draft>", "A draft such as d7. `duba catalogue history` lists the drafts.")
    .addOption(authorOption())
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async (text: string, options: ChangeOptions) => {
      const id = draftNumber(text);
      await withCatalogue(io, options, (publisher) => reject(publisher, id, publisher.actor));
      io.out(`d${id} is rejected. The served catalogue does not change.\n`);
    });
  examples(command, "duba catalogue reject d7");
}

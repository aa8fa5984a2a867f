import type { Command } from "commander";
import { type SkippedEntry, undo } from "../../../catalogue/changes/rebase.ts";
import { approve, reject } from "../../../catalogue/revisions/decide.ts";
import { CatalogueFault } from "../../../catalogue/revisions/fault.ts";
import { allChangesOf, findRevision } from "../../../catalogue/revisions/load.ts";
import { type Plan, preview, publish } from "../../../catalogue/revisions/publish.ts";
import { settings } from "../../../config/settings.ts";
import { examples, subcommand } from "../../terminal/help.ts";
import type { Io } from "../../terminal/io.ts";
import { settingOption } from "../../terminal/options.ts";
import { painter } from "../../terminal/table.ts";
import { differenceText } from "./difference.ts";
import { tellOutcome } from "./outcome.ts";
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
    "Undo a revision by a new one. What was changed again since is left as it is, and told. The guard holds a revert " +
    "like any other change.";
  const command = subcommand(catalogue, "revert", about)
    .argument("<revision>", "Number of the revision to undo.")
    .option("--dry-run", "show what would change, and change nothing")
    .addOption(noteOption())
    .addOption(authorOption())
    .option("--all", "show every change, not only the first ones")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the outcome as JSON")
    .action(async (text: string, options: ChangeOptions & { dryRun?: true; all?: true }) => {
      const number = revisionNumber(text);
      await withCatalogue(io, options, async (publisher) => {
        const { draft } = await findRevision(publisher.db, number);
        if (draft === null) throw new CatalogueFault(`What revision ${number} changed was not kept.`);
        const made = await allChangesOf(publisher.db, draft);
        let left: readonly SkippedEntry[] = [];
        const plan: Plan = async (base) => {
          const undone = await undo(base, made);
          left = undone.left;
          return undone.changes;
        };
        if (options.dryRun) {
          const { changes } = await preview(publisher, plan, {});
          io.out(differenceText(changes, painter(io.colours?.out), options.all === true));
          return tellLeft(io, left);
        }
        const { note = `Undoes revision ${number}` } = options;
        const outcome = await publish(publisher, plan, { author: publisher.actor, source: "revert", note });
        tellLeft(io, left);
        if (outcome.state === "unchanged") throw new CatalogueFault(`Nothing of revision ${number} is left to undo.`);
        tellOutcome(io, outcome, options);
      });
    });
  examples(command, "duba catalogue revert 7 --dry-run", 'duba catalogue revert 7 --note "wrong file"');
}

function tellLeft(io: Io, left: readonly SkippedEntry[]): void {
  for (const { subject, name, reason } of left) io.err(`Left as it is: ${subject} ${name} ${reason}.\n`);
}

/** `duba catalogue approve`. */
export function addApprove(catalogue: Command, io: Io): void {
  const about =
    "Publish what the guard holds. If the catalogue was changed since so that the difference is another one, you see it, " +
    "and approve it in a second step.";
  const command = subcommand(catalogue, "approve", about)
    .argument("<draft>", "A draft such as d7, as history lists it.")
    .addOption(authorOption())
    .option("--all", "show every change, not only the first ones")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the outcome as JSON")
    .action(async (text: string, options: ChangeOptions & { all?: true }) => {
      const id = draftNumber(text);
      const approval = await withCatalogue(io, options, (publisher) => approve(publisher, id, publisher.actor));
      if (approval.state === "empty")
        throw new CatalogueFault(`Nothing of d${id} is left to change: the catalogue is so already. It is ended.`);
      if (approval.state !== "recomputed") return tellOutcome(io, approval, options);
      io.out(`${differenceText(approval.changes, painter(io.colours?.out), options.all === true)}\n`);
      throw new CatalogueFault(
        `The catalogue was changed since d${id} was held, and its difference is the one above now. ` +
          `If it is right, approve it again: duba catalogue approve d${id}`,
      );
    });
  examples(command, "duba catalogue show d7", "duba catalogue approve d7");
}

/** `duba catalogue reject`. */
export function addReject(catalogue: Command, io: Io): void {
  const command = subcommand(catalogue, "reject", "End what is held or scheduled: it is never served.")
    .argument("<draft>", "A draft such as d7, as history lists it.")
    .addOption(authorOption())
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async (text: string, options: ChangeOptions) => {
      const id = draftNumber(text);
      await withCatalogue(io, options, (publisher) => reject(publisher, id, publisher.actor));
      io.out(`d${id} is rejected. What is served stays as it is.\n`);
    });
  examples(command, "duba catalogue reject d7");
}

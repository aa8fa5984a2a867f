import { styleText } from "node:util";
import { Command } from "commander";
import type { Io } from "./io.ts";
import { redact } from "./io.ts";

/** Always styled: commander strips the style if the terminal shows no colours. */
const title = (text: string) => styleText("bold", text, { validateStream: false });

/** The `duba` command without its sub-commands, writing to `io` and never ending the process. */
export function rootCommand(io: Io): Command {
  return new Command("duba")
    .exitOverride()
    .configureHelp({ styleTitle: title, subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      outputError: (text, write) =>
        write(redact(text.replace(/^error: (.)/, (_, letter: string) => letter.toUpperCase()))),
      getOutHasColors: () => io.colours?.out === true,
      getErrHasColors: () => io.colours?.err === true,
      getOutHelpWidth: () => io.width ?? 80,
      getErrHelpWidth: () => io.width ?? 80,
    });
}

/** A sub-command whose usage errors name its help. */
export function subcommand(parent: Command, name: string, about: string): Command {
  const command = parent.command(name).description(about).helpCommand(false);
  return command.showHelpAfterError(`See: ${pathOf(command)} --help`);
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** Adds a titled list of terms and sentences below the help. */
export function section(command: Command, heading: string, items: readonly (readonly [string, string])[]): Command {
  return command.addHelpText("after", ({ command: shown, error }) => {
    const help = shown.createHelp();
    const { getErrHelpWidth, getOutHelpWidth } = shown.configureOutput();
    help.prepareContext({ helpWidth: (error ? getErrHelpWidth : getOutHelpWidth)?.() ?? 80 });
    const width = Math.max(...items.map(([term]) => term.length));
    const lines = items.map(([term, text]) => help.formatItem(term, width, text, help));
    return `\n${title(heading)}\n${lines.join("\n")}`;
  });
}

/** Adds command lines to the end of the help. */
export function examples(command: Command, ...lines: string[]): Command {
  const heading = lines.length === 1 ? "Example:" : "Examples:";
  return command.addHelpText("after", `\n${title(heading)}\n${lines.map((line) => `  ${line}`).join("\n")}`);
}

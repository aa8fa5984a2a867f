import { type Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { AccessFault } from "../access/access-fault.ts";
import { commandsOf, families } from "../commands/families.ts";
import type { Operation } from "../operation/operation.ts";
import { redactCredentials } from "../runtime/redact.ts";
import { addFamily } from "./add-family.ts";
import { examples, rootCommand, subcommand } from "./terminal/help.ts";
import type { Io } from "./terminal/io.ts";
import { painter } from "./terminal/table.ts";

type SetExitCode = (exitCode: number) => void;
type AddCommand = (program: Command, io: Io, setExitCode: SetExitCode) => void;

/** A command line loads only the command that it names: a start of the service needs no other. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  serve: async () => (await import("./commands/serve.ts")).addServe,
  catalogue: async () => (await import("./commands/catalogue/catalogue.ts")).addCatalogue,
  prices: async () => (await import("./commands/prices.ts")).addPrices,
  sources: async () => (await import("./commands/sources.ts")).addSources,
};

/**
 * Runs one command line and returns its exit code: 0 success, 1 failure, 2 wrong command line or setting. Prints a failure
 * as a sentence on `io.err`.
 */
export async function run(
  argv: readonly string[],
  io: Io,
  operations: () => Promise<readonly Operation<never>[]> = everyOperation,
): Promise<number> {
  try {
    return await runCommand(argv, io, operations);
  } catch (fault) {
    return reportFault(fault, io);
  }
}

/** Importing the operations loads every room, so only `duba call` does it. */
async function everyOperation(): Promise<readonly Operation<never>[]> {
  return (await import("../wire.ts")).everyOperation;
}

async function runCommand(
  argv: readonly string[],
  io: Io,
  operations: () => Promise<readonly Operation<never>[]>,
): Promise<number> {
  let exitCode = 0;
  const setExitCode: SetExitCode = (code) => {
    exitCode = code;
  };
  const program = rootCommand(io)
    .description("Look up data bundles, providers and cable-TV add-ons, and verify BVNs, on your own machine.")
    .version(manifest.version, "-V, --version", "print the version");
  const [named = ""] = argv;
  const isKnown = Object.hasOwn(commands, named) || families.some(({ name }) => name === named);
  for (const [name, load] of Object.entries(commands))
    if (!isKnown || name === named) (await load())(program, io, setExitCode);
  for (const { name, about, load } of families) {
    if (argv.includes(name))
      addFamily(program, io, { name, about, commands: await commandsOf({ name, about, load }), setExitCode });
    else subcommand(program, name, about);
  }
  if (!isKnown) {
    const { addCall } = await import("./commands/call/call.ts");
    addCall(program, io, argv.includes("call") ? await operations() : [], setExitCode);
  }
  examples(
    program,
    "duba serve --port 8080",
    "duba keys create --account sandbox@example.com --label laptop",
    "duba call lookupDataBundles provider=MTNDATA",
  );
  program.addHelpText("after", "\nIn a checkout, write `npm run -s duba --` in place of `duba`.");
  const isEmpty = argv.length === 0 || (argv.length === 1 && argv[0] === "call");
  await program.parseAsync(isEmpty ? [...argv, "--help"] : argv, { from: "user" });
  return exitCode;
}

function reportFault(fault: unknown, io: Io): number {
  // Commander has already printed its own faults.
  if (fault instanceof CommanderError) return fault.exitCode === 0 ? 0 : 2;
  const { message, exitCode } = fault as { message?: string; exitCode?: number };
  const expected = exitCode !== undefined || fault instanceof AccessFault;
  const sentence = expected ? message : `The command failed because of a fault in Duba: ${message}`;
  io.err(`${painter(io.colours?.err)("red", redactCredentials(sentence ?? String(fault)))}\n`);
  return exitCode ?? 1;
}

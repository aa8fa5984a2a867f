import { CommanderError } from "commander";
import { AccessError } from "../access/access-error.ts";
import { type Family, helpGroups } from "../commands/feature.ts";
import { ErrorWithMends } from "../declare/command/mend.ts";
import type { Operation } from "../declare/operation.ts";
import { words as wordsOfFeatures } from "../features.ts";
import { redactCredentials } from "../runtime/redact.ts";
import { version } from "../runtime/version.ts";
import { examples, rootCommand, subcommand } from "../terminal/help.ts";
import type { Io } from "../terminal/io.ts";
import { painter } from "../terminal/table.ts";
import { commandsOf, everyCommand, families } from "../wire/every-command.ts";
import { mendLines } from "./mend-lines.ts";

/**
 * The word that calls operations, if this build has one. `words` lists the abbreviations of a call after all others.
 */
const caller = wordsOfFeatures.find(({ callsOperations }) => callsOperations);
const words = [
  ...wordsOfFeatures.filter(({ calls }) => !calls),
  ...wordsOfFeatures.filter(({ calls }) => calls && caller),
];

/**
 * Runs one command line and returns its exit code: 0 success, 1 failure, 2 wrong command line or setting. Prints a
 * failure as a sentence on `io.err`.
 */
export async function run(
  argv: readonly string[],
  io: Io,
  operations: () => Promise<readonly Operation<never>[]> = everyOperation,
): Promise<number> {
  try {
    return await runCommand(inFull(argv), io, operations);
  } catch (problem) {
    return await reportError(problem, io);
  }
}

/** Writes out the abbreviation of a call, if the command line begins with one. */
function inFull(argv: readonly string[]): readonly string[] {
  const short = words.find(({ name }) => name === argv[0])?.calls;
  return short && caller ? [caller.name, ...short(argv.slice(1))] : argv;
}

/** Importing the operations loads every room, so only a word that needs them does it. */
async function everyOperation(): Promise<readonly Operation<never>[]> {
  return (await import("../wire/every-operation.ts")).everyOperation;
}

async function runCommand(
  argv: readonly string[],
  io: Io,
  operations: () => Promise<readonly Operation<never>[]>,
): Promise<number> {
  let exitCode = 0;
  const setExitCode = (code: number) => {
    exitCode = code;
  };
  const program = rootCommand(io)
    .helpCommand(false)
    .description("Look up data bundles, providers and cable-TV add-ons, and verify BVNs, on your own machine.")
    .version(await versionFor(argv), "-V, --version", "print the version, the commit, and the tables that it makes");
  // Only the family that the command line names is loaded: a start of the service needs no other.
  for (const family of families.toSorted(byGroup)) {
    if (!argv.includes(family.name)) subcommand(program, family.name, family.about).helpGroup(`${family.group}:`);
    else (await import("./add-command.ts")).addFamily(program, io, family, await commandsOf(family), setExitCode);
  }
  for (const { name, group, about, add } of words) {
    const word = subcommand(program, name, about).helpGroup(`${group}:`);
    if (argv.includes(name)) await add?.(word, { io, operations, words, setExitCode });
  }
  examples(
    program,
    "duba serve --port 8080",
    "duba keys create --account sandbox@example.com --label laptop",
    ...words.flatMap(({ example }) => example ?? []),
  );
  program.addHelpText("after", "\nIn a checkout, write `npm run -s duba --` in place of `duba`.");
  const isEmpty = argv.length === 0 || (argv.length === 1 && words.some(({ name }) => name === argv[0]));
  await program.parseAsync(isEmpty ? [...argv, "--help"] : argv, { from: "user" });
  return exitCode;
}

function byGroup(one: Family, other: Family): number {
  return helpGroups.indexOf(one.group) - helpGroups.indexOf(other.group);
}

async function reportError(problem: unknown, io: Io): Promise<number> {
  // Commander has already printed its own problems.
  if (problem instanceof CommanderError) return problem.exitCode === 0 ? 0 : 2;
  const { message, exitCode } = problem as { message?: string; exitCode?: number };
  const expected = exitCode !== undefined || problem instanceof AccessError;
  const sentence = expected ? message : `The command failed because of a problem in Duba: ${message}`;
  const mends = problem instanceof ErrorWithMends ? await mendLines(problem.mends, everyCommand) : [];
  const text = [sentence ?? String(problem), ...mends].join("\n");
  io.err(`${painter(io.colours?.err)("red", redactCredentials(text))}\n`);
  return exitCode ?? 1;
}

/** The text of `--version`. No other command reads this text, so it is only looked up here. */
async function versionFor(argv: readonly string[]): Promise<string> {
  if (!argv.some((arg) => arg === "--version" || arg === "-V")) return version;
  const [{ runningCommit }, { newestMigration }] = await Promise.all([
    import("../runtime/version.ts"),
    import("../storage/migrations/migrate.ts"),
  ]);
  return `${version} (commit ${runningCommit() ?? "unknown"}, store ${newestMigration})`;
}

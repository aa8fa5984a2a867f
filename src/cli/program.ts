import { CommanderError } from "commander";
import { AccessError } from "../access/access-error.ts";
import { ErrorWithMends } from "../declare/command/mend.ts";
import type { Operation } from "../declare/operation.ts";
import { redactCredentials } from "../runtime/redact.ts";
import { version } from "../runtime/version.ts";
import { commandsOf, everyCommand, families } from "../wire/every-command.ts";
import { examples, rootCommand, subcommand } from "./terminal/help.ts";
import type { Io } from "./terminal/io.ts";
import { mendLines } from "./terminal/mend-lines.ts";
import { painter } from "./terminal/table.ts";

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
    return await runCommand(withoutShortForm(argv), io, operations);
  } catch (problem) {
    return await reportError(problem, io);
  }
}

/** `duba listen` and `duba trigger` in full. */
function withoutShortForm([name, ...rest]: readonly string[]): readonly string[] {
  if (name === "listen") return ["call", "listEvents", "--follow", ...rest];
  if (name === "trigger")
    return [
      "call",
      "triggerEvent",
      ...rest.map((word, at) => (at === 0 && /^[^-=][^=]*$/.test(word) ? `type=${word}` : word)),
    ];
  return name === undefined ? [] : [name, ...rest];
}

/** Importing the operations loads every room, so only `duba call` does it. */
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
    .description("Look up data bundles, providers and cable-TV add-ons, and verify BVNs, on your own machine.")
    .version(await versionFor(argv), "-V, --version", "print the version, the commit, and the tables that it makes");
  // Only the family that the command line names is loaded: a start of the service needs no other.
  for (const family of families) {
    if (!argv.includes(family.name)) subcommand(program, family.name, family.about);
    else (await import("./add-command.ts")).addFamily(program, io, family, await commandsOf(family), setExitCode);
  }
  const call = subcommand(program, "call", "Call an operation of a running service, and print the response.");
  subcommand(program, "listen", "Follow events, and forward them to your machine: `duba call listEvents --follow`.");
  subcommand(program, "trigger", "Rehearse an event with a test key: `duba call triggerEvent type=…`.");
  if (argv.includes("call")) (await import("./call/call.ts")).addOperations(call, io, await operations(), setExitCode);
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

/** What `--version` prints. Nothing else reads it, so it is looked up for nothing else. */
async function versionFor(argv: readonly string[]): Promise<string> {
  if (!argv.some((arg) => arg === "--version" || arg === "-V")) return version;
  const [{ runningCommit }, { newestMigration }] = await Promise.all([
    import("../runtime/version.ts"),
    import("../storage/migrations/migrate.ts"),
  ]);
  return `${version} (commit ${runningCommit() ?? "unknown"}, store ${newestMigration})`;
}

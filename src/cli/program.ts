import { CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { AccessFault } from "../access/access-fault.ts";
import type { Operation } from "../operation/operation.ts";
import { addAccounts } from "./commands/accounts.ts";
import { addAudit } from "./commands/audit/audit.ts";
import { addBackup } from "./commands/backup.ts";
import { addCall } from "./commands/call/call.ts";
import { addCatalogue } from "./commands/catalogue/catalogue.ts";
import { addKeyring } from "./commands/keyring.ts";
import { addKeys } from "./commands/keys.ts";
import { addLedger } from "./commands/ledger.ts";
import { addPrices } from "./commands/prices.ts";
import { addServe } from "./commands/serve.ts";
import { addSources } from "./commands/sources.ts";
import { addSubjects } from "./commands/subjects.ts";
import { addUpstreams } from "./commands/upstreams.ts";
import { trailOf } from "./store.ts";
import { examples, rootCommand } from "./terminal/help.ts";
import { type Io, withoutCredentials } from "./terminal/io.ts";
import { painter } from "./terminal/table.ts";

/**
 * Runs one command line and gives its exit code: 0 fine, 1 it failed, 2 the command line or a setting cannot be used.
 * What went wrong is told in a sentence on `io.err`.
 */
export async function run(
  argv: readonly string[],
  io: Io,
  operations: () => Promise<readonly Operation<never>[]> = everyOperation,
): Promise<number> {
  try {
    return await obeyed(argv, io, argv.includes("call") ? await operations() : []);
  } catch (fault) {
    return told(fault, io);
  }
}

/** The table brings every room with it: commands that call no operation start without. */
async function everyOperation(): Promise<readonly Operation<never>[]> {
  return (await import("../wire.ts")).everyOperation;
}

async function obeyed(argv: readonly string[], io: Io, operations: readonly Operation<never>[]): Promise<number> {
  let exitCode = 0;
  const ended = (code: number) => {
    exitCode = code;
  };
  const program = rootCommand(io)
    .description(
      "Look-ups of data bundles, providers and cable-TV add-ons, and BVN verification, from your own machine.",
    )
    .version(manifest.version, "-V, --version", "print the version");
  addServe(program, io, ended);
  addAccounts(program, io);
  addKeys(program, io);
  addCatalogue(program, io);
  addPrices(program, io);
  addSources(program, io, ended);
  addLedger(program, io);
  addUpstreams(program, io, ended);
  addKeyring(program, io, ended);
  addSubjects(program, io, ended);
  addBackup(program, io);
  addAudit(program, io, { trail: (data) => trailOf(io, data), ended });
  addCall(program, io, operations, ended);
  examples(
    program,
    "duba serve --port 8080",
    "duba keys create --account sandbox@example.com --label laptop",
    "duba call lookupDataBundles provider=MTNDATA",
  );
  program.addHelpText("after", "\nIn a checkout, write `npm run -s duba --` in place of `duba`.");
  const asksNothing = argv.length === 0 || (argv.length === 1 && argv[0] === "call");
  await program.parseAsync(asksNothing ? [...argv, "--help"] : argv, { from: "user" });
  return exitCode;
}

function told(fault: unknown, io: Io): number {
  // Commander has told its own faults already.
  if (fault instanceof CommanderError) return fault.exitCode === 0 ? 0 : 2;
  const { message, exitCode } = fault as { message?: string; exitCode?: number };
  const expected = exitCode !== undefined || fault instanceof AccessFault;
  const sentence = expected ? message : `The command stopped at a fault of its own: ${message}`;
  io.err(`${painter(io.colours?.err)("red", withoutCredentials(sentence ?? String(fault)))}\n`);
  return exitCode ?? 1;
}

import { userInfo } from "node:os";
import { after, afterEach, before, type TestContext } from "node:test";
import { withContext } from "../../src/cli/open-context.ts";
import { run } from "../../src/cli/program.ts";
import type { CommandContext } from "../../src/commands/context.ts";
import type { Operation } from "../../src/declare/operation.ts";
import { openStore, type StoreSettings } from "../../src/storage/store.ts";
import type { Engine, Fresh, FreshSettings } from "./engines.ts";

/** The output of a command line, and its exit code. */
export interface Ran {
  exitCode: number;
  out: string;
  err: string;
}

export interface TestEnvironment {
  environment?: Record<string, string | undefined>;
  stdin?: string;
  /** Whether the standard input is a terminal. */
  isTTY?: boolean;
  /** Whether the standard output is a terminal. */
  isTerminal?: boolean;
  colours?: { out: boolean; err: boolean };
  operations?: readonly Operation<never>[];
}

/** The actor that the audit trail names for a command line of a test. */
export const terminalActor = `terminal:${userInfo().username}`;

/** The latest command line of the running test, with its output. */
let last: string | undefined;

/** Shows that command line beside a failed assertion. */
afterEach((t) => {
  const cause = (t as TestContext).error?.cause;
  if (last !== undefined && cause instanceof Error) Object.assign(cause, { lastCommand: last });
  last = undefined;
});

/** Runs a command line in this process. */
export async function ran(argv: readonly string[], context: TestEnvironment = {}): Promise<Ran> {
  const { environment = {}, stdin = "", isTTY, isTerminal = false, colours, operations } = context;
  const written = { out: "", err: "" };
  const io = {
    out(text: string) {
      written.out += text;
    },
    err(text: string) {
      written.err += text;
    },
    environment,
    stdin: Object.assign(chunksOf(stdin), { isTTY }),
    isTerminal,
    ...(colours && { colours }),
    progressAfter: 0,
  };
  const exitCode = operations ? await run(argv, io, async () => operations) : await run(argv, io);
  last = `duba ${argv.join(" ")} ended with ${exitCode}:\n${written.out}${written.err}`;
  return { exitCode, ...written };
}

/** Calls `use` with the command context of a terminal with these settings. */
export function withCommands<Result>(
  environment: TestEnvironment["environment"],
  use: (context: CommandContext) => Promise<Result>,
): Promise<Result> {
  const io = { out() {}, err() {}, environment: { ...environment }, stdin: chunksOf("") };
  return withContext(io, {}, { overrides: {} }, use);
}

/** A store, and a terminal that uses it. */
export interface SuiteTerminal {
  readonly settings: FreshSettings;
  duba(...argv: string[]): Promise<Ran>;
  /** Runs a command line at a terminal where a person types `stdin`. */
  atTerminal(stdin: string, ...argv: string[]): Promise<Ran>;
}

/** Opens a store in the state after a first start, and a terminal for it. Registers the hooks of a suite. */
export function suiteTerminal({ ready }: Engine): SuiteTerminal {
  let place: Fresh;
  before(async () => {
    place = await ready();
  });
  after(() => place.dispose());
  const environment = () => ({
    DUBA_DATA: place.settings.dataDirectory,
    DUBA_DATABASE_URL: place.settings.databaseUrl,
  });
  return {
    get settings() {
      return place.settings;
    },
    duba: (...argv) => ran(argv, { environment: environment() }),
    atTerminal: (stdin, ...argv) => ran(argv, { environment: environment(), stdin, isTTY: true }),
  };
}

/** Makes a store, as the first start of a service does. */
export async function makeStore(settings: Pick<StoreSettings, "dataDirectory" | "databaseUrl">): Promise<void> {
  const store = await openStore({ ...settings, serving: true, starting: true });
  await store.close();
}

/** Yields the text in small pieces, as a pipe may deliver it. */
async function* chunksOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 5) yield text.slice(at, at + 5);
}

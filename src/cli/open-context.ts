import { userInfo } from "node:os";
import { type CommandContext, contextOf } from "../commands/context.ts";
import { protectedBy } from "../commands/protected-command.ts";
import { type Config, readConfig } from "../config/read-config.ts";
import type { Command, Role } from "../declare/command.ts";
import { features } from "../features.ts";
import { type Log, silent } from "../runtime/log.ts";
import { protectionText } from "../storage/protection.ts";
import type { Store } from "../storage/store.ts";
import type { Io } from "../terminal/io.ts";
import { withOverrides } from "../terminal/options.ts";
import { progressBar } from "../terminal/progress.ts";
import { coreOf } from "../wire/core.ts";
import { isDirectory } from "./answer.ts";

/** The role on a terminal: whoever can open the store there may do everything with it. */
export const terminalRole: Role = "officer";

interface Opening {
  /** Values that replace settings of the environment, by the names of the settings. */
  overrides: Record<string, string | undefined>;
  /** A name that the audit trail records beside the user of this machine. */
  author?: string | undefined;
  /** Where to write the files of the answer. */
  out?: string | undefined;
}

/**
 * Opens what a command needs, as the settings name it, and closes it after use. Only a command with a store of its
 * own may create one; for others a missing store is a `StoreError`.
 */
export async function withContext<Result>(
  io: Io,
  command: Pick<Command<never>, "store" | "counts" | "reports" | "records">,
  { overrides, author, out }: Opening,
  use: (context: CommandContext, clearProgress: () => void) => Promise<Result>,
): Promise<Result> {
  const { store: needed = "shared", counts = "rows", reports } = command;
  const own = readConfig(withOverrides(io.environment, overrides), features);
  // This comes before a thread of the store begins, because the thread inherits the priority.
  if (needed === "untimed") io.giveWay?.();
  const store = needed === "none" ? undefined : await openNeeded(needed, own);
  const replica = reports && own.databaseReadUrl ? await openReplica(own, store!) : undefined;
  if (needed === "shared" && (await isOfStandIns(store!)))
    io.err("This store is a rehearsal: its live verifications are of people that stand-ins of vendors invented.\n");
  const bar = progressBar(io, counts);
  const actor = actorOf(userName());
  try {
    const { config, protection } = store
      ? await protectedBy(command, { db: store.db, config: own })
      : { config: own, protection: undefined };
    if (protection && protectionText(config) !== protectionText(own))
      io.err(`It goes by ${protection}, and not by the settings of this shell.\n`);
    const source = await replica?.source();
    if (source?.ageRemark) io.err(`${source.ageRemark}\n`);
    return await use(
      contextOf(
        {
          // A command that needs no store never reads `db`, so it may be undefined there.
          db: (source?.db ?? store?.db) as CommandContext["db"],
          now: store?.now ?? Date.now,
          audit: async (trx, ...events) =>
            (await import("../audit/append.ts")).appendWith(actor, { author_note: author, protection })(trx, ...events),
          actor,
          role: terminalRole,
          ...coreOf(config, eachOnce(io)),
          serve: io.serve,
          configOf: (environment) => readConfig(environment, features),
          say: (line) => io.out(`${line}\n`),
          progress: bar.update,
          savesSeveral: out !== undefined && isDirectory(out),
        },
        store?.db,
      ),
      bar.clear,
    );
  } finally {
    bar.clear();
    await replica?.close();
    await store?.close();
  }
}

async function openNeeded(needed: "shared" | "untimed" | "own", { dataDirectory, databaseUrl }: Config) {
  const { openStore } = await import("../storage/store.ts");
  const serving = needed === "own";
  return openStore({ dataDirectory, databaseUrl, serving, mustExist: !serving, untimed: needed !== "shared" });
}

async function isOfStandIns({ db }: Store): Promise<boolean> {
  return (await import("../verification/stand-in-store.ts")).isRehearsal(db);
}

async function openReplica({ databaseReadUrl }: Config, store: Store) {
  const { ReportStore } = await import("../storage/reports.ts");
  return new ReportStore(databaseReadUrl, store, silent);
}

/** Prints each line of a log once. Adapters of vendors log codes and shapes, never personal data. */
function eachOnce({ err }: Io): Log {
  const printed = new Set<string>();
  const print = (fields: object, message: string) => {
    if (printed.has(message)) return;
    printed.add(message);
    err(`${message} ${JSON.stringify(fields)}\n`);
  };
  return { ...silent, warn: print, error: print };
}

/** An actor of the audit trail. A name of digits only may be a BVN or a phone number, so we omit it. */
function actorOf(person: string): string {
  const name = person.replace(/[^!-~]/g, "_").slice(0, 64);
  return name === "" || /^\d+$/.test(name) ? "terminal" : `terminal:${name}`;
}

/** Empty if the machine has no name for this user. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "";
  }
}

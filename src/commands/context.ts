import type { Transaction } from "kysely";
import type { operatorAccount as ofOperator } from "../access/accounts/operator-account.ts";
import type { PricedAccounts } from "../catalogue/commands/priced-room.ts";
import { identitySettingsOf } from "../config/identity-settings-of.ts";
import type { Config } from "../config/read-config.ts";
import type { Command, Role } from "../declare/command.ts";
import type { Keyring } from "../keyring/keyring.ts";
import type { WithAccounts } from "../ledger/commands/with-accounts.ts";
import type { Story, TellStory, WithStory } from "../ledger/commands/with-story.ts";
import type { IdentitySettings } from "../ledger/identity-settings.ts";
import type { ledgerAuditEvents } from "../ledger/journal/follow-journal.ts";
import type { comparedSums } from "../ledger/journal/recounted-sums.ts";
import type { WithManualCredit } from "../ledger/manual-credit.ts";
import type { timeOfReference } from "../ledger/reference.ts";
import type { NearlySpentAccount } from "../ledger/spending/spending-watch.ts";
import type { Log } from "../runtime/log.ts";
import type { Audited, WithClock } from "../storage/audited.ts";
import { piecesOf } from "../storage/queries/pieces.ts";
import type { KeptTimes } from "../storage/tables/declared-table.ts";
import type { Tables } from "../storage/tables.ts";
import type { StartService } from "../terminal/io.ts";
import type { OpenAlarms, TellHealth } from "./alarm.ts";

/** Loads the commands of one family, or of all. */
export type EveryCommand = (family?: string) => Promise<readonly Command<CommandContext>[]>;

/** Opened by the service and by the terminal alike. Commands, the console and features use it. */
export interface Core {
  config: Config;
  log: Log;
  commands: EveryCommand;
  /** Functions by which each feature adds its part to the story of a verification. */
  stories: readonly TellStory[];
  /** The origin at which browsers reach the console; undefined if there is none. */
  consoleOrigin: string | undefined;
  /** Returns the health of each feature. */
  health: readonly TellHealth[];
  openAlarms: OpenAlarms;
  /** The configured retention times. */
  keptTimes: KeptTimes;
}

/** What a user interface opens before it runs a command. */
export interface CommandResources extends Core, Audited, WithClock {
  /** The role of the person who runs the command. */
  role: Role;
  /** Hash of the person's session in the console. A terminal has no session. */
  session?: string | undefined;
  /** Reports progress: `done` of `all` items, if the total is known. */
  progress: (done: number, all?: number) => void;
  /** Starts the service, and resolves when the service ends. Only a terminal can. */
  serve?: StartService | undefined;
  /** Reads the configuration from another environment than the shell's. Only a terminal can. */
  configOf?: (environment: Readonly<Record<string, string>>) => Config;
  /** Prints a line while the command runs. Only a terminal can. */
  say?: (line: string) => void;
  /** Whether the user interface can save more than one file of an answer. */
  savesSeveral: boolean;
  /** Receives the name of each account whose e-mail a command reads. */
  learnName?: (email: string, name: string) => void;
}

/** The second parameter of each command's `run`. It also connects folders that must not import each other. */
export interface CommandContext extends CommandResources, WithStory, WithManualCredit {
  accounts: WithAccounts["accounts"] & PricedAccounts["accounts"];
  /** The newest 100 entries of the audit trail about this reference, oldest first. */
  auditEntries(reference: string): Promise<Story["entries"]>;
  ledgerRows(snapshot: Audited["db"]): Promise<ReturnType<typeof ledgerAuditEvents>>;
  timesOfReferences(): Promise<typeof timeOfReference>;
  ledgerSums(snapshot: Audited["db"]): Promise<ReturnType<typeof comparedSums>>;
  /** The accounts that have used most of a cap or a balance, by account id. */
  nearlySpent(): Promise<ReadonlyMap<string, NearlySpentAccount>>;
  /** The actor that suspended an account at this time, read from the audit trail. */
  suspendedBy(id: string, at: number): Promise<string | undefined>;
  verificationSettings(): IdentitySettings;
  /** The account for verifications that operators make themselves, created on first use. */
  operatorAccount(trx: Transaction<Tables>): ReturnType<typeof ofOperator>;
  /** Whether the store accepts a write now. Each verification writes a row before we call a vendor. */
  takesWrites(): Promise<boolean>;
  /** Whether the store belongs to a service whose vendors are stand-ins. */
  isRehearsal(): Promise<boolean>;
  /** The key ring of the store. */
  keyring(): Promise<{ ring: Keyring; path: string }>;
}

/** Above this number of accounts, one query that reads all of them is faster than a query by id. */
const mostByName = 500;

/** `store`: the primary, if `context.db` is a read-only replica. */
export function contextOf(context: CommandResources, store = context.db): CommandContext {
  const { db, now, config } = context;
  const accounts = () => import("../access/accounts/accounts.ts");
  const auditEntries = async (reference: string) => {
    const { tail, withoutConfirmation } = await import("../audit/read.ts");
    return (await tail(db, { most: 100, reference })).map(withoutConfirmation);
  };
  const textOf = async (member: "name" | "email", ids?: readonly string[], from = db) => {
    const all = from.selectFrom("account").select(["id", "email", "name"]);
    const wanted = ids && [...new Set(ids)];
    const rows =
      wanted && wanted.length <= mostByName
        ? (await Promise.all(piecesOf(wanted).map((some) => all.where("id", "in", some).execute()))).flat()
        : await all.execute();
    for (const { email, name } of rows) context.learnName?.(email, name);
    const texts = new Map(rows.map((row) => [row.id, row[member]]));
    return (id: string) => texts.get(id) ?? id;
  };
  return {
    ...context,
    accounts: {
      find: async (idOrEmail) => (await accounts()).findAccount(db, idOrEmail),
      all: async () => (await accounts()).listAccounts(db),
      ids: async () => (await db.selectFrom("account").select("id").execute()).map(({ id }) => id),
      emails: (ids) => textOf("email", ids),
      names: (ids) => textOf("name", ids),
    },
    ledgerRows: async (snapshot) => (await import("../ledger/journal/follow-journal.ts")).ledgerAuditEvents(snapshot),
    timesOfReferences: async () => (await import("../ledger/reference.ts")).timeOfReference,
    ledgerSums: async (snapshot) =>
      (await import("../ledger/journal/recounted-sums.ts")).comparedSums(
        snapshot,
        now(),
        config.timeZone,
        // SQLite has one connection, and the snapshot holds it: so we read the e-mails in the snapshot.
        await textOf("email", undefined, snapshot),
      ),
    auditEntries,
    async storyOf(asked) {
      const told = await Promise.all(context.stories.map((story) => story(db, asked)));
      const entries = await auditEntries(asked.reference);
      return Object.assign({ entries, responses: [], events: [] }, ...told);
    },
    async suspendedBy(id, at) {
      const { tail } = await import("../audit/read.ts");
      const entries = await tail(db, { most: 100, kind: "account.suspended", since: at - 60_000 });
      return entries.find(({ facts }) => facts.startsWith(`{"account":"${id}"`))?.actor;
    },
    mayGive: async (trx, money, sure) =>
      (await import("../ledger/manual-credit.ts")).mayGive({ ...context, db: trx }, money, sure),
    async nearlySpent() {
      const { nearlySpentAccounts } = await import("../ledger/spending/spending-watch.ts");
      const spent = await nearlySpentAccounts(db, now(), identitySettingsOf(config));
      return new Map(spent.map((one) => [one.account, one]));
    },
    verificationSettings: () => identitySettingsOf(config),
    operatorAccount: async (trx) =>
      (await import("../access/accounts/operator-account.ts")).operatorAccount({ ...context, db: trx }, now()),
    takesWrites: async () => (await import("../storage/takes-writes.ts")).takesWritesNow(store),
    isRehearsal: async () => (await import("../verification/stand-in-store.ts")).isRehearsal(db),
    async keyring() {
      const { keyringPath, readKeyring } = await import("../keyring/file.ts");
      const { matchKeyring } = await import("../keyring/keyring.ts");
      const path = keyringPath(config);
      const ring = await readKeyring(path);
      await matchKeyring(store, ring, now());
      return { ring, path };
    },
  };
}

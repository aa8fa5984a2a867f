import type { Transaction } from "kysely";
import type { operatorAccount as ofOperator } from "../access/accounts/operator-account.ts";
import type { PricedAccounts } from "../catalogue/commands/prices/priced-room.ts";
import { identitySettingsOf } from "../config/identity-settings-of.ts";
import type { Config } from "../config/read-config.ts";
import type { WithLooseMoney } from "../identity/books/loose-money.ts";
import type { WithAccounts } from "../identity/commands/with-accounts.ts";
import type { WithAuditEntries } from "../identity/commands/with-audit-entries.ts";
import type { IdentitySettings } from "../identity/identity-settings.ts";
import type { ledgerAuditEvents } from "../identity/ledger/journal/follow-journal.ts";
import type { comparedSums } from "../identity/ledger/journal/recounted-sums.ts";
import type { Keyring } from "../keyring/keyring.ts";
import type { Command, Role } from "../operation/command.ts";
import type { Log } from "../runtime/log.ts";
import type { Audited, WithClock } from "../storage/audited.ts";
import type { RetentionRule } from "../storage/retention/retention-rule.ts";
import type { Tables } from "../storage/tables.ts";
import type { ofBackup, ofRestore } from "./backups.ts";

/** Every command of every room, or those of one family, which loads then. */
export type EveryCommand = (family?: string) => Promise<readonly Command<CommandContext>[]>;

/** Resolves to the exit code. */
export type StartService = (config: Config, commands: EveryCommand) => Promise<number>;

/** What a user interface opens for a command. */
export interface CommandResources extends Audited, WithClock {
  config: Config;
  /** Of whoever runs the command. */
  role: Role;
  /** The hash of the session of whoever runs it. A terminal has none. */
  session?: string | undefined;
  /** Reports how much is done, of how much in all if that is known. */
  progress: (done: number, all?: number) => void;
  log: Log;
  commands: EveryCommand;
  /** Starts the service, and ends with it. Only a terminal can. */
  serve?: StartService | undefined;
  /** Prints a line while the command runs. Only a terminal can. */
  say?: (line: string) => void;
  /** How long everything is kept. Only a terminal tells. */
  retention?: () => Promise<readonly RetentionRule[]>;
  /** Whether the user interface can save several files of one answer. */
  savesSeveral: boolean;
}

/** What a user interface hands to a command: what one room needs of another is a member here. */
export interface CommandContext extends CommandResources, WithAuditEntries, WithLooseMoney {
  accounts: WithAccounts["accounts"] & PricedAccounts["accounts"];
  ledgerRows(snapshot: Audited["db"]): Promise<ReturnType<typeof ledgerAuditEvents>>;
  ledgerSums(snapshot: Audited["db"]): Promise<ReturnType<typeof comparedSums>>;
  backups: {
    ofBackup: () => ReturnType<typeof ofBackup>;
    ofRestore: (isRingLost: boolean) => ReturnType<typeof ofRestore>;
  };
  /** The ids of the accounts that have used most of a cap or a balance. */
  nearlySpent(): Promise<ReadonlySet<string>>;
  /** The actor who suspended an account at this time, as the audit trail says. */
  suspendedBy(id: string, at: number): Promise<string | undefined>;
  /** The settings of verifications. */
  verificationSettings(): IdentitySettings;
  /** The account of what operators verify themselves. The first use makes it. */
  operatorAccount(trx: Transaction<Tables>): ReturnType<typeof ofOperator>;
  /** Whether the store is of stand-ins. */
  isRehearsal(): Promise<boolean>;
  /** The key ring, which belongs to the store. */
  keyring(): Promise<{ ring: Keyring; path: string }>;
}

/** `store`: the store itself, where `db` may be a replica, which takes no writes. */
export function contextOf(context: CommandResources, store = context.db): CommandContext {
  const { db, now, config } = context;
  const accounts = () => import("../access/accounts/accounts.ts");
  const textOf = async (member: "name" | "email", from = db) => {
    const rows = await from
      .selectFrom("account")
      .select(["id", `${member} as text`])
      .execute();
    const texts = new Map(rows.map(({ id, text }) => [id, text]));
    return (id: string) => texts.get(id) ?? id;
  };
  return {
    ...context,
    accounts: {
      find: async (idOrEmail) => (await accounts()).findAccount(db, idOrEmail),
      all: async () => (await accounts()).listAccounts(db),
      ids: async () => (await db.selectFrom("account").select("id").execute()).map(({ id }) => id),
      emails: () => textOf("email"),
      names: () => textOf("name"),
    },
    ledgerRows: async (snapshot) =>
      (await import("../identity/ledger/journal/follow-journal.ts")).ledgerAuditEvents(snapshot),
    ledgerSums: async (snapshot) =>
      (await import("../identity/ledger/journal/recounted-sums.ts")).comparedSums(
        snapshot,
        now(),
        config.timeZone,
        // SQLite has one connection, and the snapshot has it.
        await textOf("email", snapshot),
      ),
    async auditEntries(reference) {
      const { tail, withoutConfirmation } = await import("../audit/read.ts");
      return (await tail(db, { most: 100, reference })).map(withoutConfirmation);
    },
    async suspendedBy(id, at) {
      const { tail } = await import("../audit/read.ts");
      const entries = await tail(db, { most: 100, kind: "account.suspended", since: at - 60_000 });
      return entries.find(({ facts }) => facts.startsWith(`{"account":"${id}"`))?.actor;
    },
    mayGive: async (trx, money, sure) =>
      (await import("../identity/books/loose-money.ts")).mayGive({ ...context, db: trx }, money, sure),
    responsesAbout: async (caller, asked) =>
      (await import("../requests/read-requests.ts")).responsesAbout(db, caller, asked),
    eventsAbout: async (reference) => (await import("../events/deliveries.ts")).eventsAbout(db, reference),
    async nearlySpent() {
      const { nearlySpentAccounts } = await import("../identity/spending/spending-watch.ts");
      const spent = await nearlySpentAccounts(db, now(), identitySettingsOf(config));
      return new Set(spent.map(({ account }) => account));
    },
    verificationSettings: () => identitySettingsOf(config),
    operatorAccount: async (trx) =>
      (await import("../access/accounts/operator-account.ts")).operatorAccount({ ...context, db: trx }, now()),
    isRehearsal: async () => (await import("../identity/stand-in-store.ts")).isRehearsal(db),
    backups: {
      ofBackup: async () => (await import("./backups.ts")).ofBackup(config),
      ofRestore: async (isRingLost) => (await import("./backups.ts")).ofRestore(config, isRingLost),
    },
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

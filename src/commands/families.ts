import { catalogueCommands as catalogue } from "../catalogue/commands.ts";
import { identityCommands as identity } from "../identity/commands.ts";
import type { Command } from "../operation/command.ts";
import type { CommandContext } from "./context.ts";

/** Commands that share the first word of their names. They load when somebody needs them. */
export interface Family {
  name: string;
  about: string;
  load: () => Promise<readonly Command<CommandContext>[]>;
}

const serve = async () => [(await import("./serve-command.ts")).serveCommand];
const status = async () => [(await import("./status-command.ts")).statusCommand];
const find = async () => [(await import("./records/find-command.ts")).findCommand];
const alarms = async () => (await import("./alarm-commands.ts")).alarmCommands;
const standIn = async () => [(await import("./stand-in/stand-in-command.ts")).standInCommand];
const doctor = async () => [(await import("./doctor-command.ts")).doctorCommand];
const evidence = async () => [(await import("./evidence/evidence-command.ts")).evidenceCommand];
const check = async () => [(await import("./check-command.ts")).checkCommand];
const access = async () => (await import("../access/commands.ts")).accessCommands;

const events = async () => (await import("../events/commands.ts")).eventCommands;
const requests = async () => (await import("../requests/commands.ts")).requestCommands;
const audit = async () => (await import("../audit/commands.ts")).auditCommands;
const keyring = async () => (await import("../keyring/commands.ts")).keyringCommands;
const migrate = async () => [(await import("../storage/migrations/migrate-command.ts")).migrateStore];
const clock = async () => [(await import("../storage/retention/clock-command.ts")).clockCommand];
const backup = async () => (await import("../storage/backup/commands.ts")).backupCommands;

/** Every command of every room, by family. */
export const families: readonly Family[] = [
  { name: "serve", about: "Start the service. It reads its settings from environment variables.", load: serve },
  { name: "status", about: "Show how the service is, on one screen.", load: status },
  {
    name: "find",
    about:
      "Find what a text names: a verification, a request, an account, a key, a person, a vendor, an event, an endpoint, a revision or an entry of the catalogue.",
    load: find,
  },
  { name: "alarms", about: "Show what needs a hand, and say who works on it.", load: alarms },
  { name: "doctor", about: "Check this machine before live keys use it.", load: doctor },
  {
    name: "evidence",
    about: "Write what an auditor of data protection works from, as a folder of tables.",
    load: evidence,
  },
  { name: "check", about: "Check whether a server keeps the interface, point by point.", load: check },
  { name: "accounts", about: "Manage the accounts of your customers.", load: access },
  { name: "keys", about: "Manage API keys.", load: access },
  { name: "people", about: "Manage the people who may use the operators' console.", load: access },
  {
    name: "catalogue",
    about: "Manage the catalogue of products. The service may run meanwhile. It serves a new revision within a second.",
    load: catalogue.catalogue,
  },
  {
    name: "prices",
    about:
      "Manage the special prices of accounts. Each change makes a new revision of the catalogue. `duba catalogue history` shows it, and " +
      "`duba catalogue revert` undoes it.",
    load: catalogue.prices,
  },
  { name: "sources", about: "Manage the source from which Duba updates the catalogue.", load: catalogue.sources },
  {
    name: "ledger",
    about: "Read the ledger of verifications and charges, and settle what has no outcome.",
    load: identity.ledger,
  },
  { name: "requests", about: "Show how requests of integrators were answered.", load: requests },
  { name: "books", about: "Write statements, correct them, and check the invoices of vendors.", load: identity.books },
  { name: "upstreams", about: "Show and test the identity vendors of live keys.", load: identity.upstreams },
  {
    name: "routes",
    about: "Show how the identity vendors did and what they cost, and pause one.",
    load: identity.routes,
  },
  {
    name: "stand-in",
    about: "Speak the wire of an identity vendor or a catalogue source, until a signal ends it.",
    load: standIn,
  },
  {
    name: "events",
    about: "Manage the endpoints that get events as webhooks, and see what was delivered.",
    load: events,
  },
  { name: "keyring", about: "Manage the keys that seal records and hash BVNs.", load: keyring },
  { name: "subjects", about: "Export or erase the data of one person.", load: identity.subjects },
  { name: "migrate", about: "Bring the store to the tables of this version.", load: migrate },
  {
    name: "clock",
    about: "Say that the clock is right, after it jumped or the service was stopped for days.",
    load: clock,
  },
  { name: "backup", about: "Write the store to a file, without identity records.", load: backup },
  { name: "restore", about: "Restore a backup into an empty store.", load: backup },
  { name: "audit", about: "Read and check the audit trail.", load: audit },
];

/** The commands of a family. */
export async function commandsOf({ name, load }: Family): Promise<readonly Command<CommandContext>[]> {
  return (await load()).filter(({ id }) => id.split(".")[0] === name);
}

/** Every command of every room, and those about the own sign-in, which no terminal has; or those of one family. */
export async function everyCommand(only?: string): Promise<readonly Command<CommandContext>[]> {
  if (only !== undefined) return commandsOf(families.find(({ name }) => name === only)!);
  const { ownCommands } = await import("../access/people/own-commands.ts");
  return [...(await Promise.all(families.map(commandsOf))).flat(), ...ownCommands];
}

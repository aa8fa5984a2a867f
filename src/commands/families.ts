import type { Family } from "./feature.ts";

const catalogue = async () => [
  ...(await import("../catalogue/commands/file-commands.ts")).fileCommands,
  ...(await import("../catalogue/commands/revision-commands.ts")).revisionCommands,
];
const access = async () => (await import("../access/commands.ts")).accessCommands;
const ledger = async () => (await import("../ledger/commands/settle-commands.ts")).settleCommands;
const upstreams = async () => (await import("../verification/commands/upstream-commands.ts")).upstreamCommands;
const keyring = async () => [(await import("../keyring/new-keyring-command.ts")).newKeyring];
const migrate = async () => [(await import("../storage/migrations/migrate-command.ts")).migrateStore];
const clock = async () => [(await import("../storage/retention/clock-command.ts")).clockCommand];

/** The command families of the core. */
export const coreFamilies: readonly Family[] = [
  {
    name: "serve",
    group: "Serve",
    about: "Start the service. It reads its settings from environment variables.",
    load: async (all) => [(await import("./serve-command.ts")).serveCommand(await all.settings())],
  },
  { name: "accounts", group: "Clients", about: "The accounts of your customers.", load: access },
  { name: "keys", group: "Clients", about: "API keys.", load: access },
  {
    name: "catalogue",
    group: "Catalogue",
    about: "The catalogue of products. The service may run meanwhile. It serves a new revision within a second.",
    load: catalogue,
  },
  {
    name: "ledger",
    group: "Verifications and money",
    about: "Read the ledger of verifications and charges, and settle what has no outcome.",
    load: ledger,
  },
  { name: "upstreams", group: "Vendors", about: "Show and test the identity vendors of live keys.", load: upstreams },
  { name: "keyring", group: "Store", about: "The keys that seal records and hash BVNs.", load: keyring },
  { name: "migrate", group: "Store", about: "Bring the store to the tables of this version.", load: migrate },
  {
    name: "clock",
    group: "Store",
    about: "Say that the clock is right, after it jumped or the service was stopped for days.",
    load: clock,
  },
];

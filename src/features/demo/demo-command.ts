import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandContext, type CommandResources, contextOf } from "../../commands/context.ts";
import { formed } from "../../declare/command/read-texts.ts";
import { accept, answered, command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import { count } from "../../declare/setting.ts";
import { keepCalling } from "./callers.ts";
import { fillMonth } from "./fill-month.ts";
import { invoiceOf } from "./invoice.ts";
import { monthOf } from "./month.ts";
import { clients, type Deed, deeds, suspended } from "./reseller.ts";
import { startVendors } from "./start-vendors.ts";

export const demoCommand = command({
  id: "demo",
  title: "Demonstration",
  summary: "Show the service with an invented reseller and a month of traffic, until a signal ends it.",
  description:
    "It needs no settings, and reads none. Stand-ins of three vendors, twelve clients, a price change that waits, " +
    "a paused vendor, an unknown outcome and an invoice to check are in a temporary folder, which goes at the end. " +
    "All people and businesses are invented.",
  role: "officer",
  kind: "read",
  only: "terminal",
  store: "none",
  input: Type.Object({
    verifications: formed(count, {
      description: "Verifications of the two months.",
      placeholder: "number",
      default: "30000",
    }),
  }),
  answer: Type.Object({ exit_code: Type.Integer() }),
  view: () => [],
  isWell: ({ exit_code }) => exit_code === 0,
  examples: [{}, { verifications: "2000" }],
  run: async ({ verifications }, room: CommandResources) => {
    const folder = mkdtempSync(join(tmpdir(), "duba-demo-"));
    const { say = () => {}, serve, configOf } = room;
    const calling = new AbortController();
    await using vendors = await startVendors();
    try {
      const own = { ...vendors.settings, ...(await settingsFor(folder)) };
      const config = configOf!(own);
      const file = join(folder, "demo.env");
      writeFileSync(
        file,
        Object.entries(own)
          .map(([name, value]) => `${name}=${value}\n`)
          .join(""),
        { mode: 0o600 },
      );
      const greet = async (url: string) => {
        say(`Making ${verifications.toLocaleString("en")} verifications of last month and this one…`);
        const { keys, invoice } = await fillStore({ ...room, config }, verifications, folder);
        say(welcome(url, file, invoice, keys[0]!));
        await keepCalling(url, keys, calling.signal);
      };
      const serving = serve!(
        config,
        (url) => void greet(url).catch((problem) => calling.signal.aborted || say(String(problem))),
      );
      return { exit_code: await serving };
    } finally {
      calling.abort();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

async function settingsFor(folder: string): Promise<Record<string, string>> {
  return {
    DUBA_DATA: join(folder, "data"),
    PORT: String(await freePort(8080)),
    DUBA_CONSOLE: `127.0.0.1:${await freePort(8090)}`,
    DUBA_LOG_LEVEL: "warn",
  };
}

/** This port, or another one on which nobody listens. */
async function freePort(wanted: number): Promise<number> {
  for (const port of [wanted, 0]) {
    const server = createServer().listen(port, "127.0.0.1");
    const found = await once(server, "listening").then(
      () => (server.address() as { port: number }).port,
      () => undefined,
    );
    server.close();
    if (found !== undefined) return found;
  }
  throw new Error("This machine has no free port");
}

/** Makes the accounts and their month beside the running service, and writes an invoice of the first vendor. */
async function fillStore(room: CommandResources, verifications: number, folder: string) {
  const { config } = room;
  const { dataDirectory, databaseUrl } = config;
  const { openStore } = await import("../../storage/store.ts");
  await using opened = new AsyncDisposableStack();
  const store = await openStore({ dataDirectory, databaseUrl, serving: false, untimed: true });
  opened.defer(() => store.close());
  const context = contextOf({ ...room, db: store.db, now: store.now });
  const accounts: { id: string; key: string; share: number }[] = [];
  const keys: string[] = [];
  for (const { name, email, share } of clients) {
    const { id } = await done(context, "accounts.create", { name, email });
    const live = await done(context, "keys.create", { account: email, mode: "live", label: "Checkout" });
    await done(context, "keys.create", { account: email, mode: "test", label: "Staging" });
    accounts.push({ id: id!, key: live.id!, share });
    if (email !== suspended) keys.push(live.key!);
  }
  const zone = config.timeZone;
  const { fees } = context.verificationSettings();
  const traffic = { accounts, fees, prices: config.vendorPrices, zone, now: store.now() };
  const month = [...monthOf(verifications, traffic)];
  await fillMonth(context, month, zone);
  for (const deed of deeds) await done(context, ...deed);
  const vendor = config.upstreams![0]!;
  const billed = zone.monthOf(zone.startOfMonth(zone.monthOf(store.now())) - 1);
  const invoice = join(folder, `invoice-${vendor}-${billed}.csv`);
  writeFileSync(invoice, invoiceOf(vendor, billed, month, zone), { mode: 0o600 });
  return { keys, invoice };
}

/** Runs a command, and says what it answered; nothing if this build has no such command. */
async function done(context: CommandContext, ...[id, texts]: Deed): Promise<Readonly<Record<string, string>>> {
  const found = (await context.commands(id.split(".")[0])).find((each) => each.id === id);
  if (!found) return {};
  const input = accept(found, context.role, texts, context.config.timeZone);
  return (await answered(found, input, context)) as Readonly<Record<string, string>>;
}

function welcome(url: string, file: string, invoice: string, key: string): string {
  return `
This is a demonstration: all people, businesses and prices are invented, and no vendor is called.

  Service     ${url} (reference: ${url}/docs)
  Console     open the link "Register as the first officer" above in a browser of this machine, and make a passkey
  Invoice     ${invoice}
  Commands    in a shell that has its settings: set -a; . ${file}; set +a

Verify somebody with a live key, as its client does:

  curl -s ${url}/api/v2/kyc/verify-bvn -H 'Authorization: Bearer ${key}' \\
    -H 'Content-Type: application/json' -H 'Idempotency-Key: order-1001' \\
    -d '{"bvn":"22000000017","phone":"08000000017","amount":"100"}'

Ctrl-C ends it, and removes all of it.
`;
}

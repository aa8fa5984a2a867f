import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandResources, contextOf } from "../../commands/context.ts";
import { formed } from "../../declare/command/read-texts.ts";
import { command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import { count } from "../../declare/setting.ts";
import { keepCalling } from "./callers.ts";
import { fillReseller } from "./fill-reseller.ts";
import { invoiceOf } from "./invoice.ts";
import { suspended } from "./reseller.ts";
import { startVendors } from "./start-vendors.ts";

export const demoCommand = command({
  id: "demo",
  title: "Demonstration",
  summary: "Show the service with an invented reseller and two months of traffic, until a signal ends it.",
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
        const texts = keys.map(({ key }) => key);
        say(welcome(url, file, invoice, texts[0]!));
        await keepCalling(url, texts, calling.signal);
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

/** Returns this port if it is free, and otherwise another free port. */
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

/** Fills the store of the running service, and writes an invoice of the first vendor. */
async function fillStore(room: CommandResources, verifications: number, folder: string) {
  const { dataDirectory, databaseUrl, upstreams, timeZone: zone } = room.config;
  const { openStore } = await import("../../storage/store.ts");
  await using opened = new AsyncDisposableStack();
  const store = await openStore({ dataDirectory, databaseUrl, serving: false, untimed: true });
  opened.defer(() => store.close());
  const billed = zone.monthOf(zone.startOfMonth(zone.monthOf(store.now())) - 1);
  const traffic = { verifications, since: zone.startOfMonth(billed) };
  const { keys, month } = await fillReseller(contextOf({ ...room, db: store.db, now: store.now }), traffic);
  const vendor = upstreams[0]!;
  const invoice = join(folder, `invoice-${vendor}-${billed}.csv`);
  writeFileSync(invoice, invoiceOf(vendor, billed, month, zone), { mode: 0o600 });
  return { keys: keys.filter(({ email, mode }) => mode === "live" && email !== suspended), invoice };
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

import pg from "pg";
import { type Engine, engines, type Fresh, type FreshSettings } from "../test/support/engines.ts";
import { type Child, startChild } from "./child.ts";
import { Client } from "./client.ts";
import { benchSettings } from "./settings.ts";

/** The service, without its command line, in a process of its own. */
export interface Service extends AsyncDisposable {
  /** What its figures are printed under. */
  name: string;
  duba: Child;
  client: Client;
  store: FreshSettings;
}

/** Disposing of the service removes the store as well. `core`: the processor core of the service, where possible. */
export async function startService(
  store: Fresh,
  environment: Record<string, string> = {},
  core?: number,
): Promise<Service> {
  await using begun = new AsyncDisposableStack();
  begun.defer(() => store.dispose());
  const { settings } = store;
  const duba = begun.use(await startChild("duba.ts", { ...benchSettings(settings), ...environment }, "", core));
  const client = begun.adopt(new Client(duba.url), (one) => one.close());
  const name = settings.databaseUrl === undefined ? "SQLite" : "PostgreSQL";
  const running = begun.move();
  return { name, duba, client, store: settings, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Starts the service on SQLite and, where available, on PostgreSQL. `owner` ends both. */
export async function startOnEachEngine(
  owner: AsyncDisposableStack,
  environment: Record<string, string>,
): Promise<Service[]> {
  const services: Service[] = [];
  for (const engine of engines) {
    const store = await storeOf(engine);
    if (store) services.push(owner.use(await startService(store, environment)));
  }
  return services;
}

/** A fresh store. Undefined, after a sentence with the reason, on a machine without such an engine. */
export async function storeOf(engine: Engine): Promise<Fresh | undefined> {
  try {
    const store = await engine.fresh();
    const { databaseUrl } = store.settings;
    if (databaseUrl !== undefined && !(await isDurable(databaseUrl)))
      console.log("  PostgreSQL does not sync here: its writes are not durable, and cost less than they should.\n");
    return store;
  } catch (error) {
    if (engine.name === "sqlite") throw error;
    console.log(`  PostgreSQL is left out: ${(error as Error).message}\n`);
    return undefined;
  }
}

async function isDurable(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query(
    "select current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as durable",
  );
  await client.end();
  return rows[0].durable;
}

/** A response of the bare server: flat header pairs and a body. */
export interface BareResponse {
  headers: string[];
  body: string;
}

/** Headers that Node itself adds to the responses of both servers. */
const ofNode = ["Date", "Connection", "Keep-Alive"];

/** The service's responses to these paths, as JSON for a bare server that sends exactly these responses. */
export async function answersOf({ client }: Service, paths: readonly string[]): Promise<string> {
  const responses: Record<string, BareResponse> = {};
  for (const path of paths) {
    const { rawHeaders, body } = await client.get(path);
    const headers: string[] = [];
    for (let at = 0; at < rawHeaders.length; at += 2)
      if (!ofNode.includes(rawHeaders[at]!)) headers.push(rawHeaders[at]!, rawHeaders[at + 1]!);
    responses[path] = { headers, body: body.toString() };
  }
  return JSON.stringify(responses);
}

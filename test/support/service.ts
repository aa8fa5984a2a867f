import { rmSync } from "node:fs";
import { type IncomingHttpHeaders, type RequestOptions, request } from "node:http";
import { connect } from "node:net";
import { after, before } from "node:test";
import { recorded } from "../../src/access/access.fixture.ts";
import { createAccount } from "../../src/access/accounts/accounts.ts";
import { createKey, type KeyRequest } from "../../src/access/keys/keys.ts";
import type { FixedValues } from "../../src/config/fixed-values.ts";
import { readConfig } from "../../src/config/read-config.ts";
import { features } from "../../src/features.ts";
import { type RecordedLine, RecordedLog } from "../../src/runtime/recorded-log.fixture.ts";
import { openStore, type Store } from "../../src/storage/store.ts";
import { commandTimeouts } from "../../src/storage/timeouts.ts";
import type { upstreamPauses } from "../../src/vendors/upstream-settings.ts";
import { wire } from "../../src/wire/wire.ts";
import { type Engine, engines } from "./engines.ts";

/** The credential of the sandbox account in every test service. */
export const sandboxKey = "a-known-sandbox-key-for-tests";

export interface TestService {
  /** `http://127.0.0.1:<port>` */
  url: string;
  port: number;
  /** Starts the metrics server on a free port. Undefined if the settings turn metrics off. */
  metrics: { listen(): Promise<number> } | undefined;
  /** The console's origin, and the invitation link of the first officer. */
  console: { origin: string; firstLink: string | undefined } | undefined;
  settings: { dataDirectory: string; databaseUrl?: string | undefined };
  lines: RecordedLine[];
  ask(path: string, options?: AskOptions): Promise<ServiceResponse>;
  /** Verifies the sandbox's usual person, or another one. */
  verify(options?: VerifyOptions): Promise<ServiceResponse>;
  /** Sends raw bytes. Resolves with all bytes that arrived until the service closed the connection. */
  send(bytes: string | Buffer): Promise<string>;
  /** Opens a second connection to the service's store, as another process would. Closed with the service. */
  store(): Promise<Store>;
  /** Creates a key. Default: in test mode, with all scopes, for the sandbox account. */
  newKey(request?: Partial<KeyRequest>): Promise<{ text: string; id: string }>;
  /** Creates an account, and returns its e-mail. */
  newAccount(name: string): Promise<string>;
  /** Begins a graceful stop: requests in flight continue, new requests are refused. */
  refuseNewWork(): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface AskOptions {
  method?: string;
  headers?: Record<string, string | string[]>;
  /** A string or bytes are sent unchanged, an object as JSON. */
  body?: string | Buffer | object;
  /** False: no `Authorization` header. Text: this credential. Default: the sandbox key. */
  credential?: string | false;
  agent?: RequestOptions["agent"];
}

export interface VerifyOptions extends AskOptions {
  bvn?: string;
  /** The idempotency key. Default: none. */
  key?: string | undefined;
}

export interface ServiceResponse {
  status: number;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  bytes: Buffer;
  text: string;
  /** The parsed body. Throws if the body is not JSON. */
  readonly json: ReturnType<typeof JSON.parse>;
}

interface ServiceOptions {
  hurries?: boolean;
  /** Values in place of constants that no setting changes. */
  fixed?: Partial<FixedValues> & { upstream?: Partial<ReturnType<typeof upstreamPauses>> };
}

/**
 * Starts a service on a free port with a fresh store. The service waits for the store as long as a command does, so
 * that a busy machine changes no response; with `hurries`, as briefly as a real service.
 */
export async function startService(
  environment: Record<string, string> = {},
  engine: Engine = engines[0]!,
  { hurries = false, fixed = {} }: ServiceOptions = {},
): Promise<TestService> {
  const fresh = await engine.ready();
  const log = new RecordedLog();
  const { dataDirectory, databaseUrl } = fresh.settings;
  const config = readConfig(
    {
      DUBA_DATA: dataDirectory,
      DUBA_DATABASE_URL: databaseUrl,
      DUBA_BOOTSTRAP_KEY: sandboxKey,
      ...environment,
    },
    features,
  );
  const service = await wire(
    {
      ...config,
      ...(hurries ? {} : { storeTimeouts: commandTimeouts }),
      ...fixed,
      upstream: { ...config.upstream, ...fixed.upstream },
    },
    log,
  );
  const port = await service.app.listen({ host: "127.0.0.1", port: 0 });
  const operators = await service.servers.find(({ name }) => name === "console")?.listen();
  const metrics = service.servers.find(({ name }) => name === "metrics");
  let beside: Promise<Store> | undefined;
  const store = () => {
    beside ??= openStore({ ...fresh.settings, serving: false });
    return beside;
  };
  const close = async () => {
    await (await beside)?.close();
    service.refuseNewWork();
    service.app.server.closeAllConnections();
    await service.app.close();
    await service.close(1000);
    for (const file of [".keyring", ".keyring.anchor"]) rmSync(`${dataDirectory}${file}`, { force: true });
    await fresh.dispose();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    metrics: metrics && { listen: async () => Number(new URL((await metrics.listen()).url).port) },
    console: operators && { origin: operators.url, firstLink: /https?:\/\/\S+/.exec(operators.says ?? "")?.[0] },
    settings: fresh.settings,
    lines: log.lines,
    ask: (path, options) => ask(port, path, options),
    verify: (options) => verifyAt(port, options),
    send: (bytes) => send(port, bytes),
    store,
    async newKey(request = {}) {
      const { db } = await store();
      const { key, text } = await createKey(recorded(db), {
        account: "sandbox@example.com",
        mode: "test",
        label: "test",
        ...request,
      });
      return { text, id: key.id };
    },
    async newAccount(name) {
      const { db } = await store();
      return (await createAccount(recorded(db), { name, email: `${name.toLowerCase()}@example.com` })).email;
    },
    refuseNewWork: () => service.refuseNewWork(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Registers the hooks of a suite that run a service, as `startService` does. At the top level of a file, no other hook
 * may use the service: there Node runs all hooks at once.
 */
export function suiteService(...options: Parameters<typeof startService>): TestService {
  let running: TestService | undefined;
  before(async () => {
    running = await startService(...options);
  });
  after(() => running?.close());
  return new Proxy({} as TestService, { get: (_, name) => Reflect.get(running!, name) });
}

export function ask(port: number, path: string, options: AskOptions = {}): Promise<ServiceResponse> {
  const { method = "GET", body, credential = sandboxKey, agent, headers = {} } = options;
  const payload = body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const sent: Record<string, string | string[] | number> = { ...headers };
  if (credential !== false && !("Authorization" in headers)) sent.Authorization = `Bearer ${credential}`;
  if (payload !== undefined) {
    if (!("Transfer-Encoding" in headers)) sent["Content-Length"] ??= Buffer.byteLength(payload);
    if (typeof body === "object" && !Buffer.isBuffer(body)) sent["Content-Type"] ??= "application/json";
  }
  return new Promise((resolve, reject) => {
    const asking = request(
      { host: "127.0.0.1", port, path, method, headers: sent, agent: agent ?? false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const bytes = Buffer.concat(chunks);
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            rawHeaders: response.rawHeaders,
            bytes,
            text: bytes.toString(),
            get json() {
              return JSON.parse(bytes.toString());
            },
          });
        });
      },
    );
    asking.on("error", reject);
    asking.end(payload);
  });
}

/** Verifies the sandbox's usual person, or another one, on this port. */
export function verifyAt(port: number, options: VerifyOptions = {}): Promise<ServiceResponse> {
  const { bvn = "22000000017", key, headers, ...more } = options;
  const body = { bvn, phone: "08000000017", amount: "100" };
  const keyed = key === undefined ? {} : { "Idempotency-Key": key };
  return ask(port, "/api/v2/kyc/verify-bvn", { method: "POST", body, ...more, headers: { ...keyed, ...headers } });
}

function send(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNRESET" ? undefined : reject(error)));
    socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
  });
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { recorded } from "../../src/access/access.fixture.ts";
import { createAccount, findAccount } from "../../src/access/accounts/accounts.ts";
import { changeTerms, topUp } from "../../src/access/accounts/terms.ts";
import { createKey } from "../../src/access/keys/keys.ts";
import { feesOf } from "../../src/checks/kinds.fixture.ts";
import { forEachKind } from "../../src/declare/check-kind.ts";
import { TimeZone } from "../../src/runtime/time-zone.ts";
import { openStore, type Store } from "../../src/storage/store.ts";
import type { Engine, FreshSettings } from "../support/engines.ts";
import { nodeEnvironment } from "../support/process.ts";
import type { VendorProcess } from "../support/vendor.ts";

/** The fees of the service under test, in kobo. */
export const fees = feesOf(6_789, { bvn: 12_345 });

/** A store with a live key of each of its accounts, for services that buy at one vendor. */
export interface LiveStore {
  settings: FreshSettings;
  /** Settings of a service on this store, with limits off. */
  environment: Record<string, string>;
  /** Live keys, each of another account. */
  keys: string[];
  /** A connection to the store beside the services, to read their rows. */
  store: Store;
  dispose(): Promise<void>;
}

export async function liveStore(
  engine: Engine,
  vendor: Pick<VendorProcess, "environment">,
  accounts = 1,
): Promise<LiveStore> {
  const fresh = await engine.ready();
  const folder = mkdtempSync(join(tmpdir(), "duba-live-"));
  const store = await openStore({ ...fresh.settings, serving: false });
  const keys: string[] = [];
  for (let n = 1; n <= accounts; n += 1) {
    const account = `shop${n}@example.com`;
    await createAccount(recorded(store.db), { name: `Shop ${n}`, email: account });
    keys.push((await createKey(recorded(store.db), { account, mode: "live", label: "" })).text);
  }
  return {
    settings: fresh.settings,
    environment: {
      ...nodeEnvironment,
      HOST: "127.0.0.1",
      PORT: "0",
      DUBA_DATA: fresh.settings.dataDirectory,
      DUBA_DATABASE_URL: fresh.settings.databaseUrl ?? "",
      DUBA_KEYRING: join(folder, "keyring"),
      DUBA_BOOTSTRAP_KEY: "a-known-sandbox-key-for-crashes",
      DUBA_LIMITS: "off",
      ...forEachKind(
        (kind) => `DUBA_${kind.toUpperCase()}_FEE`,
        (kind) => String(fees[kind] / 100),
      ),
      ...vendor.environment,
      // The breaker must not stop calls to a vendor that fails often, because the trial counts the vendor's calls.
      DUBA_UPSTREAM_BREAKER_FAILURES: "1000000",
    },
    keys,
    store,
    async dispose() {
      await store.close();
      await fresh.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const zone = new TimeZone("Africa/Lagos");

/** Raises the cap of the second account, and tops up the balance of the third: each may verify so many people more. */
export async function payMore({ db }: Store, verifications: number): Promise<void> {
  const store = recorded(db);
  const [capped, prepaid] = ["shop2@example.com", "shop3@example.com"];
  const { terms } = await findAccount(db, capped);
  await changeTerms(store, capped, { capCount: (terms.capCount ?? 0) + verifications }, zone);
  await changeTerms(store, prepaid, { prepaid: true }, zone);
  await topUp(store, prepaid, { kobo: verifications * fees.bvn, reason: "transfer" });
}

/** `duba serve` in a process of its own, which can be killed at any moment. */
export class ServiceProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #ready: Promise<number>;
  /** All lines of the output except log lines of level `info`. */
  readonly alarms: string[] = [];

  constructor(environment: Record<string, string>) {
    this.#child = spawn(process.execPath, [process.env.DUBA_TEST_MAIN ?? "src/main.ts", "serve"], { env: environment });
    this.#ended = once(this.#child, "close");
    // If the run is broken off, the service ends as well.
    const end = () => this.#child.kill("SIGKILL");
    process.once("exit", end);
    void this.#ended.then(() => process.off("exit", end));
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#ready = promise;
    // If the service is killed while it starts, nobody awaits this promise, so its rejection is caught here.
    promise.catch(() => undefined);
    const onLine = (line: string) => {
      const port = /"url":"http:\/\/127\.0\.0\.1:(\d+)".*"msg":"ready"/.exec(line)?.[1];
      if (port) resolve(Number(port));
      else if (!line.startsWith('{"level":30')) this.alarms.push(line);
    };
    createInterface({ input: this.#child.stdout! }).on("line", onLine);
    createInterface({ input: this.#child.stderr! }).on("line", onLine);
    void this.#ended.then(() => reject(new Error(`The service ended before it was ready: ${this.alarms.join("\n")}`)));
  }

  /** Resolves to the port when the service is ready. Rejects if the service ends first. */
  get ready(): Promise<number> {
    return this.#ready;
  }

  /** `kill -9`; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /** SIGTERM; resolves with its exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    await this.#ended;
    return this.#child.exitCode;
  }
}

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { openStore } from "../../src/storage/store.ts";
import type { FreshSettings } from "../support/engines.ts";
import { type ServedProcess, serveInProcess } from "../support/process.ts";
import { type ServiceResponse, verifyAt } from "../support/service.ts";
import { type LookUps, lookUps } from "./bystander.ts";

const bootstrap = "a-known-sandbox-key-for-faults";

/** The duration of a number of verifications in milliseconds, and the count of each status. */
export interface Taken {
  p50: number;
  longest: number;
  statuses: Record<string, number>;
}

/** Services on one store, and one caller who sends each verification with a new key. */
export class Caller implements AsyncDisposable {
  readonly services: readonly ServedProcess[];
  readonly #settings: FreshSettings;
  /** References by key; undefined where no response named one. */
  readonly #keys = new Map<string, string | undefined>();

  private constructor(services: readonly ServedProcess[], settings: FreshSettings) {
    this.services = services;
    this.#settings = settings;
  }

  /** `environments`: the settings of each service in addition to the common settings. */
  static async start(settings: FreshSettings, environments: readonly Record<string, string>[] = [{}]): Promise<Caller> {
    const services: ServedProcess[] = [];
    for (const environment of environments)
      services.push(
        await serveInProcess({
          DUBA_DATA: settings.dataDirectory,
          DUBA_DATABASE_URL: settings.databaseUrl ?? "",
          DUBA_KEYRING: `${settings.dataDirectory}.keyring`,
          DUBA_BOOTSTRAP_KEY: bootstrap,
          DUBA_LIMITS: "off",
          ...environment,
        }),
      );
    return new Caller(services, settings);
  }

  /** Verifies this many people, one after another, at the services in turn. */
  async verifications(count: number): Promise<Taken> {
    const times: number[] = [];
    const statuses: Record<string, number> = {};
    for (let n = 0; n < count; n += 1) {
      const begun = performance.now();
      const { status } = await this.#verify(`key-${this.#keys.size}`);
      times.push(Math.round(performance.now() - begun));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    times.sort((one, other) => one - other);
    return { p50: times[Math.floor(times.length / 2)]!, longest: times.at(-1)!, statuses };
  }

  /** Look-ups at the first service: each must be answered. */
  lookUps(): Promise<LookUps> {
    return lookUps(this.services[0]!.port, bootstrap);
  }

  /** Milliseconds until a verification is answered again. */
  async resumes(): Promise<number> {
    const begun = performance.now();
    while ((await this.verifications(1)).statuses[200] === undefined) {
      assert.ok(performance.now() - begun < 60_000, "verifications did not resume");
      await pause(100);
    }
    return Math.round(performance.now() - begun);
  }

  /**
   * Repeats every key at every service until the response is a record. Each key must have one row, one charge and one
   * reference.
   */
  async settled(): Promise<number> {
    for (const key of this.#keys.keys())
      for (const at of this.services.keys()) {
        const begun = performance.now();
        while ((await this.#verify(key, at)).status !== 200) {
          assert.ok(performance.now() - begun < 30_000, `${key} is stuck`);
          await pause(50);
        }
      }
    const store = await openStore({ ...this.#settings, serving: false });
    try {
      const rows = await store.db.selectFrom("verification").select(["reference", "charged", "state"]).execute();
      assert.deepEqual(rows.map(({ reference }) => reference).sort(), [...this.#keys.values()].sort());
      assert.ok(rows.every(({ charged, state }) => charged === 1 && state === "verified"));
      return rows.length;
    } finally {
      await store.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const service of this.services) await service.end("SIGTERM");
    for (const end of ["", ".anchor"]) rmSync(`${this.#settings.dataDirectory}.keyring${end}`, { force: true });
  }

  async #verify(key: string, at = this.#keys.size % this.services.length): Promise<ServiceResponse> {
    const response = await verifyAt(this.services[at]!.port, { credential: bootstrap, key });
    const { data, error } = response.json;
    const reference = data?.request_reference ?? error?.request_reference ?? undefined;
    const known = this.#keys.get(key);
    if (known !== undefined && reference !== undefined) assert.equal(reference, known, `${key}: ${response.text}`);
    this.#keys.set(key, known ?? reference);
    return response;
  }
}

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { engines } from "../support/engines.ts";
import { type ServedProcess, serveInProcess } from "../support/process.ts";
import { ask } from "../support/service.ts";
import { until } from "../support/until.ts";

const bootstrap = "a-known-sandbox-key-for-crowds";

/** The look-up that crowds ask for. */
export const path = "/api/v2/internet/data/lookup";

/** A service on SQLite, crowds of hostile connections, and one caller with look-ups. */
export class Besieged implements AsyncDisposable {
  readonly service: ServedProcess;
  readonly sockets = new Set<Socket>();
  /** The look-ups of the caller, by the attack during which they ran. */
  readonly table: Record<string, LookUps> = {};
  readonly #dispose: () => Promise<void>;

  private constructor(service: ServedProcess, dispose: () => Promise<void>) {
    this.service = service;
    this.#dispose = dispose;
  }

  static async start(environment: Record<string, string> = {}): Promise<Besieged> {
    const { settings, dispose } = await engines[0]!.ready();
    const service = await serveInProcess({
      DUBA_DATA: settings.dataDirectory,
      DUBA_BOOTSTRAP_KEY: bootstrap,
      DUBA_LIMITS: "off",
      DUBA_MAX_CONNECTIONS: "6000",
      DUBA_REQUEST_TIMEOUT: "2s",
      ...environment,
    });
    const besieged = new Besieged(service, async () => {
      await service.end("SIGTERM");
      await dispose();
      for (const file of [".keyring", ".keyring.anchor"]) rmSync(`${settings.dataDirectory}${file}`, { force: true });
    });
    await besieged.measure("nobody else");
    return besieged;
  }

  /** Opens connections that send `text` and read responses only if `reads` is true. */
  async crowd(count: number, text: string, reads: boolean): Promise<void> {
    const made = Array.from({ length: count }, () => {
      const socket = connect(this.service.port, "127.0.0.1");
      this.sockets.add(socket.on("error", () => undefined));
      socket.once("close", () => this.sockets.delete(socket));
      socket.write(text);
      if (reads) socket.resume();
      else socket.pause();
      return socket;
    });
    await until(() => made.every(({ connecting }) => !connecting), 60_000);
  }

  async leave(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await pause(200);
  }

  /** Look-ups of the caller: each must be answered. */
  async measure(name: string): Promise<LookUps> {
    const seen = { ...(await lookUps(this.service.port, bootstrap)), "memory, MB": this.service.memory() };
    this.table[name] = seen;
    return seen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await this.#dispose();
  }
}

/** The durations of one caller's look-ups, in milliseconds. */
export interface LookUps {
  p50: number;
  p99: number;
  longest: number;
}

/** Look-ups of one caller: each must be answered. */
export async function lookUps(port: number, credential: string): Promise<LookUps> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let n = 0; n < 300; n += 1) {
    const begun = performance.now();
    const { status } = await ask(port, "/api/v2/corporate-data/list", { credential, agent });
    assert.equal(status, 200);
    times.push(performance.now() - begun);
    await pause(2);
  }
  agent.destroy();
  times.sort((one, other) => one - other);
  const round = (part: number) => Math.round(times[Math.floor(times.length * part)]! * 10) / 10;
  return { p50: round(0.5), p99: round(0.99), longest: round(0.999) };
}

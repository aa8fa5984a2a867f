import { duplexPair } from "node:stream";
import { readConfig } from "../../src/config/read-config.ts";
import { features } from "../../src/features.ts";
import { silent } from "../../src/runtime/log.ts";
import { type Service, wire } from "../../src/wire/wire.ts";
import type { Owner, VirtualTime } from "./virtual-time.ts";

/** A response as a caller reads it. */
export interface Heard {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Json;
}

/** The members of a response body that the simulation reads. */
export interface Json {
  data?: Record<string, unknown> | null;
  error?: { code: string; charged?: boolean; request_reference?: string | null; retryable?: boolean };
}

/** A caller's connection. */
interface Line {
  breakOff: () => void;
}

/** One process of the service: all that `duba serve` opens, but without a port and without a Node process. */
export class SimulatedService implements Owner {
  readonly name: string;
  isDead = false;
  clockOffset = 0;
  frozenUntil = 0;
  heldUpUntil = 0;
  slept = 0;
  /** Warnings and errors of the log. */
  readonly alarms: string[] = [];
  /** The time of death, in milliseconds since the start of the simulation. */
  livedFor = Number.POSITIVE_INFINITY;
  /** The process ended by a graceful stop, after all writes to the store. */
  leftInOrder = false;
  readonly #time: VirtualTime;
  readonly #lines = new Set<Line>();
  #service: Service | undefined;
  #isStopping = false;

  constructor(name: string, time: VirtualTime, environment: Record<string, string>) {
    this.name = name;
    this.#time = time;
    const note = (fields: object, message: string) => void this.alarms.push(`${message} ${JSON.stringify(fields)}`);
    const log = { ...silent, warn: note, error: note };
    time.as(this, () => {
      wire(readConfig(environment, features), log).then(
        (service) => {
          this.#service = service;
        },
        (error) => {
          // If the store is unavailable at the start, the process ends and is started again.
          this.alarms.push(`It did not start: ${error}`);
          if (!this.isDead) this.failedToStart = true;
        },
      );
    });
  }

  failedToStart = false;

  get isReady(): boolean {
    return this.#service !== undefined && !this.isDead && !this.#isStopping;
  }

  get isFrozen(): boolean {
    return this.frozenUntil > this.#time.elapsed;
  }

  /** Plays `kill -9`: the process stops, and its connections break. */
  die(): void {
    this.isDead = true;
    this.livedFor = this.#time.elapsed;
    for (const line of [...this.#lines]) line.breakOff();
    // Release the service: long runs have hundreds of dead processes.
    this.#service = undefined;
  }

  /** Plays SIGTERM. */
  async stop(): Promise<void> {
    const service = this.#service!;
    this.#isStopping = true;
    await this.#time.as(this, async () => {
      service.leave();
      service.refuseNewWork();
      await service.close(10_000);
    });
    this.leftInOrder = !this.isDead && !this.alarms.some((line) => line.startsWith("At the stop"));
    this.die();
  }

  /**
   * Sends a request. Resolves with the complete response, or with undefined if the connection broke. `patience`:
   * milliseconds until the caller hangs up.
   */
  ask(
    { method, path, headers, body }: { method: string; path: string; headers: Record<string, string>; body?: object },
    patience: number,
  ): Promise<Heard | undefined> {
    const [near, far] = duplexPair();
    const text = body === undefined ? "" : JSON.stringify(body);
    return new Promise((resolve) => {
      let received = "";
      const end = (heard: Heard | undefined) => {
        this.#lines.delete(line);
        giveUp.close();
        resolve(heard);
        near.destroy();
        far.destroy();
      };
      const line: Line = { breakOff: () => end(undefined) };
      this.#lines.add(line);
      const giveUp = setTimeout(() => end(undefined), patience) as unknown as { close(): void };
      near.on("error", () => end(undefined));
      near.on("close", () => end(undefined));
      near.on("data", (chunk: Buffer) => {
        received += chunk;
        const heard = heardIn(received);
        if (!heard) return;
        resolve(heard);
        // With a duplex pair, a close by the caller would discard bytes that the service has written. So the caller
        // closes last.
        near.once("end", () => end(heard));
      });
      const open = () => {
        if (near.destroyed) return;
        const socket = Object.assign(far, {
          remoteAddress: "127.0.0.1",
          setTimeout: () => far,
          setNoDelay: () => far,
          setKeepAlive: () => far,
          destroySoon: () => far.end(),
        });
        far.on("error", () => undefined);
        this.#service!.app.server.emit("connection", socket);
        const lines = Object.entries({ host: "duba.example", connection: "close", ...headers });
        if (body !== undefined)
          lines.push(["content-type", "application/json"], ["content-length", String(Buffer.byteLength(text))]);
        near.write(
          `${method} ${path} HTTP/1.1\r\n${lines.map((pair) => `${pair.join(": ")}\r\n`).join("")}\r\n${text}`,
        );
      };
      // The kernel accepts a connection even if the process is frozen.
      this.#time.as(this, () => (this.isFrozen ? this.#time.plan(0, open) : open()));
    });
  }
}

/** Parses a response, or returns undefined while it is incomplete. */
function heardIn(received: string): Heard | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first, ...lines] = received.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const body = received.slice(end + 4);
  if (Buffer.byteLength(body) < Number(headers["content-length"] ?? 0)) return undefined;
  return { status: Number(first!.split(" ")[1]), headers, body: body === "" ? {} : JSON.parse(body) };
}

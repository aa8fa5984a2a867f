import type { Failure, FailureCode } from "../declare/failures.ts";
import type { LogFields } from "../runtime/log.ts";
import { subscriberOf } from "../runtime/network/address.ts";
import type { HttpDependencies } from "./dependencies.ts";
import type { ErrorFields } from "./failure-response.ts";

/** Statuses of refusals that a broken or hostile client causes by the thousand. */
const floodStatuses: ReadonlySet<number> = new Set([401, 404, 429]);
/**
 * The most log lines of one caller for such refusals. Further refusals are only counted, until a minute passes without
 * one.
 */
const linesOfFlood = 10;
const mostCallers = 1000;
/** Replaces the address of a caller when too many callers are counted already. */
const others = "others";
const minute = 60_000;
const outageEvery = 10_000;

/** Refusals of one key at one address, or without a key. */
interface Flood {
  /** What the lines say of the caller. */
  caller: LogFields;
  lines: number;
  /** Refusals of the current minute without a line, by failure code. */
  codes: Record<string, number>;
}

/** Requests that fail for one reason before any work was done, because the store or every vendor is away. */
interface Outage {
  /** What the log lines say about the outage. */
  what: LogFields;
  /** How many requests were refused since the last line. */
  refused: number;
}

/**
 * Writes a line for each request that `DUBA_ACCESS_LOG` names. Sums up floods of refusals once a minute, and the
 * refusals of an outage every ten seconds.
 */
export class AccessLog {
  readonly #deps: Pick<HttpDependencies, "log" | "accessLog">;
  readonly #floods = new Map<string, Flood>();
  readonly #outages = new Map<string, Outage>();
  readonly #timers = [
    setInterval(() => this.sumUp(), minute).unref(),
    setInterval(() => this.sumUpOutages(), outageEvery).unref(),
  ];

  constructor(deps: Pick<HttpDependencies, "log" | "accessLog">) {
    this.#deps = deps;
  }

  answered(status: number, fields: LogFields): void {
    this.#deps.log.info({ status, ...fields }, "answered");
  }

  /**
   * Logs a refusal. `error`: where an error of our own happened. Such a refusal gets a line, unless an outage goes on.
   */
  refused({ status, code, detail }: Failure, fields: LogFields, address: string, error?: ErrorFields): void {
    const { log, accessLog } = this.#deps;
    if (accessLog === "off" && !error) return;
    const reference = detail.facts?.request_reference;
    const line: LogFields = {
      status,
      code,
      ...fields,
      ...(reference ? { reference } : {}),
      ...detail.logged,
      ...error,
    };
    // Without a key, only the address identifies the caller.
    if (line.key === undefined || code === "address_not_allowed") line.address = address;
    if (isOutage({ status, code }, reference, error) && !this.#beginsOutage(line)) return;
    if (error) log.error(line, "error");
    // A request with a test key chose this failure of the sandbox, so it is not logged as an error.
    else if (status >= 500)
      log[line.mode === "test" && (code !== "internal_error" || detail.rehearsed) ? "info" : "error"](line, "failed");
    // A request with a row on the ledger always has a line.
    else if (reference || !floodStatuses.has(status) || this.#isNews(line, address)) log.info(line, "refused");
  }

  /** Writes one line for each flood of the last minute. */
  sumUp(): void {
    for (const [who, flood] of this.#floods) {
      const refused = Object.values(flood.codes).reduce((sum, count) => sum + count, 0);
      if (refused === 0) this.#floods.delete(who);
      else this.#deps.log.warn({ ...flood.caller, refused, codes: flood.codes }, "refused more of the same, summed up");
      flood.codes = {};
    }
  }

  /** Writes one line for each outage of the last ten seconds. */
  sumUpOutages(): void {
    for (const [key, { what, refused }] of this.#outages) {
      if (refused === 0) {
        this.#outages.delete(key);
        continue;
      }
      this.#deps.log.warn({ ...what, refused }, "failed more of the same, summed up");
      this.#outages.set(key, { what, refused: 0 });
    }
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.sumUp();
    this.sumUpOutages();
  }

  /** Whether this failure is the first of its outage. A later one is counted. */
  #beginsOutage({ status, code, reason, mode }: LogFields): boolean {
    const key = [mode, code, reason].join(" ");
    const known = this.#outages.get(key);
    if (known) known.refused += 1;
    else this.#outages.set(key, { what: { status, code, reason, mode }, refused: 0 });
    return known === undefined;
  }

  /** Whether this refusal gets a line of its own. A refusal without a line is counted. */
  #isNews(line: LogFields, address: string): boolean {
    const flood = this.#floodOf(line, subscriberOf(address));
    if (flood.lines < linesOfFlood) {
      flood.lines += 1;
      return true;
    }
    const code = String(line.code);
    flood.codes[code] = (flood.codes[code] ?? 0) + 1;
    return false;
  }

  #floodOf({ account, key, mode }: LogFields, address: string): Flood {
    const isKeyed = key !== undefined;
    const who = isKeyed ? `${address} ${key}` : address;
    const known = this.#floods.get(who);
    if (known) return known;
    if (this.#floods.size >= mostCallers && who !== others) return this.#floodOf({}, others);
    const flood = { caller: isKeyed ? { address, account, key, mode } : { address }, lines: 0, codes: {} };
    this.#floods.set(who, flood);
    return flood;
  }
}

/**
 * Whether a failure may be part of an outage. A request with a row on the ledger has its own line, and so has an error
 * of Duba itself.
 */
function isOutage(
  { status, code }: { status: number; code: FailureCode },
  reference: unknown,
  error: ErrorFields | undefined,
): boolean {
  if (status < 500 || reference) return false;
  return error ? error.kind === "StoreAway" : code === "upstream_unavailable";
}

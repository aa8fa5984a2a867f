import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type CheckKind, numberMember } from "../../src/declare/check-kind.ts";
import { ask, type ServiceResponse } from "../support/service.ts";
import { draw } from "../support/vendor-draw.ts";
import type { TrialVendor } from "./vendors.ts";

/** A response that named Duba's reference. */
interface NamedResponse {
  /** ISO 8601. */
  at: string;
  /** The port of the process that answered. */
  port: number;
  status: number;
  /** The code of a failure. */
  code: string | undefined;
  requestId: string;
  reference: string;
  /** False: the response said that no vendor was asked. */
  upstreamCalled: boolean;
}

/**
 * A key no longer has the reference that a response named: its row was lost, or the reference was shown before the row
 * was durable.
 */
export class LostReferenceError extends Error {
  readonly references: string[];

  constructor(what: string, { key, sent, lost, named }: Wanted) {
    super(`${what}: ${JSON.stringify({ key, sent, lost, named }, undefined, 2)}`);
    this.references = [...new Set(named.map(({ reference }) => reference))];
  }
}

/** One verification, with the data that its client has. */
export interface Wanted {
  key: string;
  kind: CheckKind;
  number: string;
  /** Requests so far. */
  sent: number;
  /** Requests with an unknown result: broken off, hung up on, or answered 500. */
  lost: number;
  /** Duba's reference, from the first response with a reference. */
  reference?: string;
  /** Each response with a reference, oldest first. */
  named: NamedResponse[];
  /** The verification was refused with 402: its account had reached its cap, or had spent its balance. */
  refused?: boolean;
  /** The final response: a record, a negative result, or a failure that no retry helps. */
  end?: ServiceResponse;
}

/**
 * Whether the key has used its attempts without an outcome. A late response, or an attempt that was never sent, may
 * still bring an outcome.
 */
export const isGivenUp = ({ end }: Wanted): boolean => end !== undefined && end.status >= 500;

/** The W3C trace of a request. The vendor's calls contain the trace, by which each call is found in the ledger. */
export const traceOf = (requestId: string): string => createHash("sha256").update(requestId).digest("hex").slice(0, 32);

/** One process of the service, from ready to killed. */
export class Life {
  readonly port: number;
  readonly readyAt = performance.now();
  /** Clients send no more requests once this is set. */
  isOver = false;
  storeWasAway = false;
  /** A response said that the store took longer than Duba waits. The store may have done the work all the same. */
  storeWasSlow = false;
  /**
   * Verifications that earlier processes left without an end. The first request about a verification in this process
   * that does not end with 409 removes it.
   */
  readonly leftBehind: Set<Wanted>;
  /** Verifications that may be running although no client waits for them. */
  readonly unattended = new Set<Wanted>();
  /** Milliseconds from ready to the first response about a verification that an earlier process left unfinished. */
  firstResponse?: number;
  /** Milliseconds from ready to the last 409 about a verification that an earlier process left unfinished. */
  lastRefusal?: number;

  /** The number of responses with 402. */
  refusals = 0;
  /** Responses with 500 that blame the store although nothing disturbed the store. */
  blamed = 0;

  /** The port of another process on the same store, which is not killed. */
  readonly portBeside: number | undefined;

  constructor(port: number, leftBehind: Iterable<Wanted>, portBeside?: number) {
    this.port = port;
    this.portBeside = portBeside;
    this.leftBehind = new Set(leftBehind);
  }
}

export interface World {
  seed: string;
  vendor: Pick<TrialVendor, "kinds" | "endings" | "phoneOf" | "endsOf">;
  /** Whether a dead process counts as alive until its lease ends. */
  hasLeases: boolean;
}

const retryPause = 50;
/** Milliseconds after which a key without an end counts as stuck: far longer than a lease and a few slow responses. */
const longestRetry = 30_000;

/** Error codes of a request that ends because the service dies or is dead, or because the client hangs up. */
const brokenOff: readonly unknown[] = ["ECONNRESET", "ECONNREFUSED", "EPIPE"];

/**
 * A client with one connection. It sends verifications one after another, and retries those without a final response.
 */
export class Client {
  readonly wanted: Wanted[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #world: World;
  readonly #name: string;
  readonly #prefix: string;
  readonly #apiKey: string;

  /** `nth` is below 100 and unique to this client, so the numbers of its verifications are unique as well. */
  constructor(world: World, nth: number, apiKey: string) {
    this.#world = world;
    this.#prefix = `22${String(nth).padStart(2, "0")}`;
    this.#name = `client-${nth}`;
    this.#apiKey = apiKey;
  }

  get unsettled(): Wanted[] {
    return this.wanted.filter(({ end }) => !end);
  }

  /** Sends new verifications until `life.isOver`, and sometimes repeats an earlier verification. */
  async load(life: Life): Promise<void> {
    while (!life.isOver) {
      const nth = this.wanted.length;
      const earlier = this.wanted[this.#draw(`asks ${nth} again`, nth * 5 + 1)];
      const wanted = earlier ?? this.#next();
      await this.#request(life, wanted);
      if (earlier && !life.isOver) await this.#request(life, this.#next());
      if (wanted.refused) await pause(retryPause);
    }
  }

  /**
   * Retries each verification without an end until its end, a refusal, or `life.isOver`. If `isPaid`, refused
   * verifications are retried as well, and given-up ones are tried once more.
   */
  async retry(life: Life, isPaid = false): Promise<void> {
    for (const wanted of this.wanted.filter((one) => !one.end || (isPaid && isGivenUp(one)))) {
      wanted.refused = false;
      delete wanted.end;
      const begun = performance.now();
      while (!wanted.end && !life.isOver) {
        assert.ok(performance.now() - begun < longestRetry, `${wanted.key} is stuck`);
        await this.#request(life, wanted);
        if (wanted.refused && !isPaid) break;
        if (!wanted.end) await pause(retryPause);
      }
    }
  }

  /** Repeats every verification that ended: each must get an equal response. */
  async repeat(life: Life): Promise<void> {
    for (const wanted of this.wanted) {
      const wasGivenUp = isGivenUp(wanted);
      const response = await this.#request(life, wanted);
      assert.ok(response && wanted.end, wanted.key);
      // A given-up verification still has no outcome, or has a late response of the vendor. In the second case the
      // caller now gets the record for the first time.
      const isFirst = wasGivenUp && (response.status >= 500 || response.status === 200);
      const said = `${wanted.key}: ${response.status}`;
      assert.equal(response.headers["idempotency-replayed"], isFirst ? undefined : "true", said);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #next(): Wanted {
    const nth = this.wanted.length;
    const { kinds, endings } = this.#world.vendor;
    const ending = endings[this.#draw(`ending ${nth}`, endings.length)]!;
    const number = `${this.#prefix}${String(nth).padStart(5, "0")}${ending}`;
    const kind = kinds[this.#draw(`kind ${nth}`, kinds.length)]!;
    const next = { key: `${this.#name}-${nth}`, kind, number, sent: 0, lost: 0, named: [] };
    this.wanted.push(next);
    return next;
  }

  async #request(life: Life, wanted: Wanted): Promise<ServiceResponse | undefined> {
    wanted.sent += 1;
    try {
      const asksBeside = this.#draw(`${wanted.key} asks beside ${wanted.sent}`, 2) === 0;
      const port = (asksBeside ? life.portBeside : undefined) ?? life.port;
      const response = await this.#asked(life, wanted, port);
      this.#hear(life, wanted, response, port);
      return response;
    } catch (error) {
      if (!brokenOff.includes((error as NodeJS.ErrnoException).code)) throw error;
      wanted.lost += 1;
      life.unattended.add(wanted);
      life.leftBehind.delete(wanted);
      return undefined;
    }
  }

  /** Hangs up one request in twenty before its response, or one in three if the store was away. */
  async #asked(life: Life, { key, kind, number, sent, end }: Wanted, port: number): Promise<ServiceResponse> {
    const hangsUp = !end && this.#draw(`${key} hangs up ${sent}`, life.storeWasAway ? 3 : 20) === 0;
    const patience = hangsUp ? this.#draw(`${key} waits ${sent}`, 100) : longestRetry;
    const timer = setTimeout(() => this.#agent.destroy(), patience);
    const requestId = `${key}.${sent}`;
    try {
      return await ask(port, `/api/v2/kyc/verify-${kind}`, {
        method: "POST",
        agent: this.#agent,
        credential: this.#apiKey,
        headers: {
          "Idempotency-Key": key,
          "X-Request-Id": requestId,
          traceparent: `00-${traceOf(requestId)}-0000000000000001-00`,
        },
        body: { [kind]: number, phone: this.#world.vendor.phoneOf(number), amount: "100" },
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Checks a response against the documentation. */
  #hear(life: Life, wanted: Wanted, response: ServiceResponse, port: number): void {
    const { status, text, json } = response;
    const said = `${wanted.key}: ${status} ${text}`;
    const reference = json.data?.request_reference ?? json.error?.request_reference;
    if (reference) {
      const [at, code] = [new Date().toISOString(), json.error?.code];
      const requestId = response.headers["x-request-id"] as string;
      const upstreamCalled: boolean = json.error?.upstream_called ?? true;
      wanted.named.push({ at, port, status, code, requestId, reference, upstreamCalled });
      wanted.reference ??= reference;
      if (reference !== wanted.reference)
        throw new LostReferenceError("A key was answered with two references", wanted);
    }
    if (status === 500) {
      if (!life.storeWasAway) {
        // A busy machine may cause this 500. Any other 500 is a fault.
        assert.match(json.message, /The store .* does not work|could not be recorded yet/, said);
        life.storeWasSlow = true;
        life.blamed += 1;
      }
      wanted.lost += 1;
      life.leftBehind.delete(wanted);
      return;
    }
    const since = performance.now() - life.readyAt;
    const isLeftBehind = life.leftBehind.has(wanted);
    // Also expected for a key with an end, because a broken-off request with the key may still run in another process.
    if (json.error?.code === "request_in_progress") {
      if (isLeftBehind) life.lastRefusal = since;
      const mayRun = life.unattended.has(wanted) || life.storeWasAway || life.storeWasSlow;
      assert.ok(isLeftBehind ? this.#world.hasLeases : mayRun, `Nobody works on it: ${said}`);
      return;
    }
    if (isGivenUp(wanted)) delete wanted.end;
    if (wanted.end) {
      assert.equal(withoutRequestId(text), withoutRequestId(wanted.end.text), said);
      return;
    }
    // The service may write the outcome, or the vendor's late response, while the client sends its retry.
    if (status >= 500) life.unattended.add(wanted);
    if (isLeftBehind) life.firstResponse ??= since;
    life.leftBehind.delete(wanted);
    if (status === 402) {
      assert.equal(json.error.charged, false, said);
      wanted.refused = true;
      life.refusals += 1;
    } else if (status > 500) {
      const { code, charged, retryable } = json.error;
      assert.ok(["upstream_bad_response", "upstream_unavailable", "upstream_timeout"].includes(code), said);
      assert.equal(charged, false, said);
      if (!retryable) wanted.end = response;
    } else {
      const { kind, number } = wanted;
      const ends = this.#world.vendor.endsOf(kind, number);
      assert.ok(ends.includes([status, json.error?.code].filter(Boolean).join(" ")), said);
      if (status === 200) assert.equal(json.data?.[numberMember(kind)], number, said);
      wanted.end = response;
    }
  }

  #draw(trait: string, below: number): number {
    return draw(this.#world.seed, `${this.#name} ${trait}`, below);
  }
}

/** The part of a response that is equal in all responses of a verification. */
function withoutRequestId(text: string): string {
  return text.replace(/"request_id":"[^"]*"/, "");
}

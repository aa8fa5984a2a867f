import { hash } from "node:crypto";
import { phoneOfNumber } from "../../stand-ins/numbers.ts";
import type { Seed } from "./seed.ts";
import type { Heard, SimulatedService } from "./service.ts";
import { truthOf } from "./vendors.ts";
import type { VirtualTime } from "./virtual-time.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** An account, and the key that its callers use. */
export interface Client {
  email: string;
  /** `plain`: pays later, without a cap. */
  pays: "plain" | "capped" | "prepaid";
  /** The text of the current key. Operators replace the key at times. */
  apiKey: string;
  isSuspended: boolean;
  /** A second key, which expires. */
  passing?: { apiKey: string; endsAt: number };
}

/** One request of a caller, and the response. */
export interface Try {
  requestId: string;
  at: number;
  endedAt: number;
  /**
   * `endedAt` as milliseconds since the start of the simulation, a clock that stands still while the machine sleeps.
   */
  heardAfter: number;
  service: SimulatedService;
  /** Undefined: the connection broke, or the caller hung up. */
  heard: Heard | undefined;
  hungUp: boolean;
}

/** A verification that a caller wants: all requests with one idempotency key, or one request without a key. */
export interface Wanted {
  nth: number;
  client: Client;
  /** The idempotency key; undefined for a verification without a key. */
  key: string | undefined;
  kind: "bvn" | "nin";
  number: string;
  begunAt: number;
  tries: Try[];
  /** Whether the person was erased during the verification or later. `erasedAt`: the start of a completed erasure. */
  isErased: boolean;
  erasedAt?: number;
}

/** The trace id of a request, which Duba passes on to vendors. */
export const traceOf = (requestId: string): string => hash("sha256", requestId).slice(0, 32);

/** Whether a repetition of the request would get the same response. */
const isFinal = ({ status, body }: Heard) =>
  status === 200 ||
  status === 404 ||
  status === 410 ||
  (status === 422 && body.error?.code !== "idempotency_key_reused");

/** The callers of a run. */
export class Callers {
  readonly wanted: Wanted[] = [];
  readonly #time: VirtualTime;
  readonly #seed: Seed;
  readonly #clients: readonly Client[];
  readonly #services: () => readonly SimulatedService[];
  /** How often a verification has no key (one in …). Null: in this run, all callers send a key. */
  readonly #keylessOneIn: number | null;
  /** The number of callers that are in the middle of a verification. */
  busy = 0;
  /** Callers that wait before a retry, each with a function that ends the wait. */
  readonly #waiting = new Map<Wanted, () => void>();

  constructor(time: VirtualTime, seed: Seed, clients: readonly Client[], services: () => readonly SimulatedService[]) {
    this.#time = time;
    this.#seed = seed;
    this.#clients = clients;
    this.#services = services;
    this.#keylessOneIn = seed.pick([null, null, 5, 5, 20]);
  }

  /** Starts a verification in `after` milliseconds. `keylessOneIn`: one in so many has no key, unless all have one. */
  begin(after: number, keylessOneIn = this.#keylessOneIn): void {
    this.#time.plan(after, () => {
      const seed = this.#seed;
      const earlier = this.wanted.length > 10 && seed.oneIn(12) ? seed.pick(this.wanted) : undefined;
      const nth = this.wanted.length;
      const wanted: Wanted = {
        nth,
        client: earlier?.client ?? seed.pick(this.#clients),
        key: this.#keylessOneIn && seed.oneIn(keylessOneIn!) ? undefined : `order-${nth}`,
        kind: earlier?.kind ?? (seed.oneIn(4) ? "nin" : "bvn"),
        number: earlier?.number ?? `22${String(seed.below(10_000)).padStart(4, "0")}${String(nth).padStart(5, "0")}`,
        begunAt: this.#time.now,
        tries: [],
        isErased: false,
      };
      this.wanted.push(wanted);
      void this.#pursue(wanted).catch((error) => this.#time.fail(error));
    });
  }

  /** Repeats the request until it has a final response or the caller gives up. Some callers repeat it again later. */
  async #pursue(wanted: Wanted): Promise<void> {
    const seed = this.#seed;
    this.busy += 1;
    for (let left = wanted.key === undefined ? 1 : seed.pick([6, 6, 12]); left > 0; left -= 1) {
      const heard = await this.#ask(wanted);
      if (wanted.tries.at(-1)?.hungUp && seed.oneIn(3)) break;
      if (heard && isFinal(heard)) {
        if (wanted.key === undefined || !seed.oneIn(4)) break;
        left = Math.min(left, 2);
      }
      if (left > 1)
        await this.#wait(
          wanted,
          seed.oneIn(4)
            ? seed.pick([5 * minute, 3 * hour, 23 * hour, 26 * hour, 75 * hour])
            : seed.between(1, 8) * second,
        );
    }
    this.busy -= 1;
  }

  /** Lets callers that began in the last two minutes retry within a second. */
  comeBack(): void {
    const soon = this.#time.now - 2 * minute;
    for (const [{ begunAt }, end] of this.#waiting) if (begunAt > soon) this.#time.plan(this.#seed.below(second), end);
  }

  /** A caller that waits for more than a minute does not count as busy. */
  async #wait(wanted: Wanted, milliseconds: number): Promise<void> {
    const isLong = milliseconds > minute;
    if (isLong) this.busy -= 1;
    await new Promise<void>((resolve) => {
      this.#waiting.set(wanted, resolve);
      this.#time.plan(milliseconds, resolve);
    });
    this.#waiting.delete(wanted);
    if (isLong) this.busy += 1;
  }

  async #ask(wanted: Wanted): Promise<Heard | undefined> {
    const { client, key, kind, number, tries, nth } = wanted;
    const services = this.#services().filter(({ isReady }) => isReady);
    if (services.length === 0) return undefined;
    const seed = this.#seed;
    const service = seed.pick(services);
    const hangsUp = seed.oneIn(14);
    const passing = seed.oneIn(4) ? client.passing : undefined;
    const requestId = `want-${nth}.${tries.length}`;
    const attempt: Try = {
      requestId,
      at: this.#time.now,
      endedAt: 0,
      heardAfter: 0,
      service,
      heard: undefined,
      hungUp: false,
    };
    tries.push(attempt);
    const heard = await service.ask(
      {
        method: "POST",
        path: `/api/v2/kyc/verify-${kind}`,
        headers: {
          authorization: `Bearer ${(passing ?? client).apiKey}`,
          "x-request-id": requestId,
          traceparent: `00-${traceOf(requestId)}-0000000000000001-00`,
          ...(key !== undefined && { "idempotency-key": key }),
        },
        body: { [kind]: number, phone: `0${phoneOfNumber(number)}`, amount: "100" },
      },
      hangsUp ? seed.between(20, 6_000) : 60 * second,
    );
    const { now: endedAt, elapsed: heardAfter } = this.#time;
    Object.assign(attempt, { heard, endedAt, heardAfter, hungUp: heard === undefined && !service.isDead });
    if (heard) check(wanted, heard);
    if (heard && passing && attempt.at > passing.endsAt + 2 * minute) {
      if (heard.status !== 401 && heard.status < 500)
        throw new Error(`${requestId} came with a key that has ended, and was told ${heard.status}`);
      delete client.passing;
    }
    return heard;
  }
}

/** Throws if no caller may get this response, whatever fails. */
function check({ number, kind, nth }: Wanted, { status, body }: Heard): void {
  const truth = truthOf(number);
  const code = body.error?.code;
  const told = `want-${nth} was told ${status} ${code ?? ""}`;
  const isTrue =
    (status === 200 && truth === "found") ||
    (status === 404 && truth === "not_found" && code === `${kind}_not_found`) ||
    (status === 422 && (truth === "other_phone" ? code === "phone_mismatch" : code === "idempotency_key_reused")) ||
    [401, 402, 403, 409, 410, 429, 500, 502, 503, 504].includes(status);
  if (!isTrue) throw new Error(`${told}, and the truth is ${truth}`);
  if (status === 401 || status === 403) return;
  if ([402, 404, 422, 502, 503, 504].includes(status) && body.error?.charged === true)
    throw new Error(`${told}, and that it was charged`);
}

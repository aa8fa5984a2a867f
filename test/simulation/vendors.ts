import { inventedPerson } from "../../src/checks/invented-person.ts";
import type { OutgoingRequest } from "../../src/runtime/network/http-client.ts";
import { otherPhoneOfNumber, phoneOfNumber } from "../../stand-ins/numbers.ts";
import type { Kind, StandInFailure } from "../../stand-ins/stand-in.ts";
import { standIns } from "../../stand-ins/stand-ins.ts";
import type { Played } from "./played-network.ts";
import type { Seed } from "./seed.ts";
import type { Owner, VirtualTime } from "./virtual-time.ts";

/** The vendor's result of a look-up: `found` and `nobody` are billed, `nothing` is not. */
export type Did = "found" | "nobody" | "nothing";

/** A look-up that reached a vendor. */
export interface VendorCall {
  vendor: string;
  kind: Kind;
  number: string;
  /** Trace id of the caller's request. */
  trace: string | undefined;
  at: number;
  from: Owner;
  did: Did;
  /** Whether the response arrived whole and valid. */
  isTold: boolean;
}

/** One call of a process to a vendor, as the process saw it. */
interface Contact {
  vendor: string;
  from: Owner;
  begunAt: number;
  /** When the response arrived, or the connection broke. */
  endedAt: number;
  isGood: boolean;
}

/** The current state of a vendor. */
export type Mood = "well" | "slow" | "late" | "cut off" | "away" | "unreachable" | "wrong" | "empty wallet";
const moods: readonly Mood[] = ["well", "well", "well", "slow", "away", "unreachable", "wrong", "empty wallet"];

const photo = Buffer.from("photo").toString("base64");
const second = 1_000;
const hour = 3_600 * second;
/** Longest time that a process avoids a vendor after a failure, with a clock that is ahead. */
const longestWait = 40 * 60 * second;

/**
 * The correct outcome for a number, the same at every vendor. Of the numbers that end in 0, half are unknown, and the
 * others have another phone.
 */
export function truthOf(number: string): "found" | "not_found" | "other_phone" {
  if (!number.endsWith("0")) return "found";
  return Number(number.at(-2)) % 2 === 0 ? "not_found" : "other_phone";
}

/** The vendors of a run. Each speaks the API of a real vendor, with invented people. */
export class Vendors {
  readonly calls: VendorCall[] = [];
  /** Times when a vendor failed or was slow: for a while, other vendors may be asked first. */
  readonly troubles: number[] = [];
  readonly names: readonly string[];
  readonly #contacts: Contact[] = [];
  readonly #time: VirtualTime;
  readonly #seed: Seed;
  readonly #moods = new Map<string, Mood>();
  /** Responses of `peer` by idempotency key, which it repeats for free. */
  readonly #repeats = new Map<string, Played["response"]>();

  constructor(time: VirtualTime, seed: Seed) {
    this.#time = time;
    this.#seed = seed;
    const drawn = ["prembly", "dojah", "peer"].map((name) => ({ name, place: seed.below(1_000) }));
    this.names = drawn
      .toSorted((one, other) => one.place - other.place)
      .map(({ name }) => name)
      .slice(0, 2 + seed.below(2));
  }

  /** Settings of a service that uses the vendors. */
  get environment(): Record<string, string> {
    return {
      DUBA_UPSTREAMS: this.names.join(),
      DUBA_PREMBLY_URL: "https://prembly.example",
      DUBA_PREMBLY_KEY: "any",
      DUBA_DOJAH_URL: "https://dojah.example",
      DUBA_DOJAH_APP_ID: "any",
      DUBA_DOJAH_KEY: "any",
      DUBA_PEER_URL: "https://peer.example",
      DUBA_PEER_EMAIL: "shop@example.com",
      DUBA_PEER_KEY: "any-key-of-the-peer",
      DUBA_UPSTREAM_PRICES: "prembly=60,prembly.bvn.not_found=10,dojah=55,peer=70",
    };
  }

  /** Draws a new state for one vendor. */
  change(): string {
    return this.become(this.#seed.pick(moods), [this.#seed.pick(this.names)]);
  }

  /** Sets the state of vendors; by default of all. */
  become(mood: Mood, names = this.names): string {
    for (const name of names) this.#moods.set(name, mood);
    this.troubles.push(this.#time.now);
    return `${names.join(" and ")}: ${mood}`;
  }

  /**
   * Whether a process saw no failure of a vendor before `at`, or a good response to a request that it sent more than
   * `longestWait` after the last failure. Otherwise the process may still avoid the vendor.
   */
  seemsWell(vendor: string, from: Owner, at: number): boolean {
    const before = this.#contacts.filter((one) => one.vendor === vendor && one.from === from && one.endedAt < at);
    const lastBad = Math.max(...before.filter(({ isGood }) => !isGood).map(({ endedAt }) => endedAt));
    return lastBad < 0 || before.some(({ isGood, begunAt }) => isGood && begunAt > lastBad + longestWait);
  }

  /** A frozen process misses the responses that arrive meanwhile. */
  noteFrozen(from: Owner, milliseconds: number): void {
    const { now } = this.#time;
    const wakesAt = now + milliseconds;
    this.troubles.push(now, wakesAt);
    for (const one of this.#contacts)
      if (one.from === from && one.endedAt > now) Object.assign(one, { isGood: false, endedAt: wakesAt });
  }

  allWell(): void {
    this.#moods.clear();
  }

  /** Returns the host's reaction to a request; undefined if no vendor has this host. */
  host(hostname: string): ((request: OutgoingRequest, from: Owner) => Played) | undefined {
    const name = this.names.find((vendor) => hostname === `${vendor}.example`);
    if (name === "peer") return (request, from) => this.#peer(request, from);
    return name === undefined ? undefined : (request, from) => this.#standIn(name, request, from);
  }

  #standIn(name: string, { method, url, headers, body }: OutgoingRequest, from: Owner): Played {
    const wire = standIns[name]!;
    const request = {
      method,
      path: url.pathname,
      query: url.searchParams,
      headers,
      body: body ? JSON.parse(body) : {},
    };
    const looked = wire.asked(request)!;
    const asked = { ...looked, reference: `${name}-${this.calls.length}` };
    const failed = (failure: StandInFailure) => wire.failures[failure]!(asked);
    const phone =
      truthOf(asked.number) === "other_phone" ? otherPhoneOfNumber(asked.number) : phoneOfNumber(asked.number);
    const truth = () =>
      truthOf(asked.number) === "not_found"
        ? failed("not_found")
        : { status: 200, body: wire.found(inventedPerson(asked.kind as "bvn", asked.number, phone), asked, photo) };
    return this.#answer({ name, ...asked, from, trace: headers.traceparent?.slice(3, 35) }, truth, failed);
  }

  #peer({ method, url, headers, body: sent }: OutgoingRequest, from: Owner): Played {
    const reply = (body: object, status = 200): Played => ({ after: 50, response: { status, body } });
    if (url.pathname.endsWith("/merchant/authorization")) {
      const expires = new Date(this.#time.now + 24 * hour).toISOString().slice(0, 19).replace("T", " ");
      return reply({
        success: true,
        data: {
          business_name: "Shop",
          token: { access_token: "duba_at_any", token_type: "Bearer", expires_at: expires },
        },
      });
    }
    const key = headers["idempotency-key"]!;
    const known = this.#repeats.get(key);
    const failure = (status: number, code: string) => ({
      status,
      body: {
        success: false,
        status: "failed",
        message: code,
        error: { code, retryable: false, request_id: "any", charged: false },
      },
    });
    if (method === "GET") {
      if (!known) return { after: 50, response: failure(404, "verification_not_found") };
      const { error } = known.body as { error?: { code: string } };
      return reply({ success: true, data: { state: error ? "not_found" : "verified", charged: !error } });
    }
    if (known) return { after: 80, response: known };
    const kind = url.pathname.endsWith("nin") ? "nin" : "bvn";
    const number: string = JSON.parse(sent!)[kind];
    const phone = truthOf(number) === "other_phone" ? otherPhoneOfNumber(number) : phoneOfNumber(number);
    const truth = () => {
      const record = { request_reference: key, ...inventedPerson(kind, number, phone) };
      return truthOf(number) === "not_found"
        ? failure(404, `${kind}_not_found`)
        : { status: 200, body: { success: true, message: "done", data: record } };
    };
    const failed = (why: StandInFailure) =>
      why === "no_money" ? failure(402, "balance_too_low") : failure(503, "upstream_unavailable");
    return this.#answer(
      { name: "peer", kind, number, from, trace: headers.traceparent?.slice(3, 35) },
      truth,
      failed,
      (response) => this.#repeats.set(key, response),
    );
  }

  /** Draws the result of a look-up, and notes it. */
  #answer(
    { name, ...call }: Pick<VendorCall, "kind" | "number" | "from" | "trace"> & { name: string },
    truth: () => { status: number; body: object },
    failed: (failure: StandInFailure) => { status: number; body: object },
    remember: (response: { status: number; body: object }) => void = () => {},
  ): Played {
    const seed = this.#seed;
    const mood = this.#moods.get(name) ?? "well";
    const note = (did: Did, isTold: boolean) => {
      this.calls.push({ vendor: name, ...call, at: this.#time.now, did, isTold });
      if (did === "nothing" || !isTold) this.troubles.push(this.#time.now);
    };
    const works = (after: number, isTold = true): Played => {
      const response = truth();
      remember(response);
      if (after > 5 * second) this.troubles.push(this.#time.now);
      contact(after, isTold && after < 5 * second);
      note(truthOf(call.number) === "not_found" ? "nobody" : "found", isTold);
      return { after, response: isTold ? response : undefined };
    };
    const refuses = (failure: StandInFailure): Played => {
      contact(100, false);
      note("nothing", true);
      return { after: 100, response: failed(failure) };
    };
    const contact = (after: number, isGood: boolean) => {
      const begunAt = this.#time.now;
      this.#contacts.push({ vendor: name, from: call.from, begunAt, endedAt: begunAt + after, isGood });
    };
    const chance = seed.below(100);
    if (mood === "away" && chance < 80) return refuses("too_many_requests");
    if (mood === "unreachable" && chance < 80) {
      this.troubles.push(this.#time.now);
      contact(0, false);
      return { after: seed.pick([5, 300, 2_500]), refuses: true };
    }
    if (mood === "late" && chance < 85) return works(seed.between(17, 34) * second + seed.below(second));
    // The vendor does the work, but the response is lost.
    if (mood === "cut off" && chance < 85) return works(seed.between(60, 900), false);
    if (mood === "empty wallet" && chance < 90) return refuses("no_money");
    // The vendor does the work, but answers with something else.
    if (mood === "wrong" && chance < 60)
      return { ...works(200, false), response: { status: 200, body: { something: "else" } } };
    if (mood === "slow" && chance < 60) return works(seed.between(5, 40) * second);
    if (chance < 3) return works(seed.between(200, 9_000), false);
    if (chance < 6) return works(seed.between(14, 25) * second);
    if (chance < 8) return works(seed.between(1, 5) * hour);
    return works(seed.between(60, 900));
  }
}

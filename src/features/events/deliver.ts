import type { BlockList } from "node:net";
import { type Kysely, sql } from "kysely";
import { modeHeader, standInMode } from "../../declare/operation.ts";
import type { CurrentKeyring } from "../../keyring/keyring.ts";
import type { Log } from "../../runtime/log.ts";
import { type Sent, sendDelivery, sendTimeout } from "../../runtime/network/send-delivery.ts";
import { signedHeaders } from "../../runtime/network/signature.ts";
import type { Audit } from "../../storage/audited.ts";
import { codeOf } from "../../storage/errors.ts";
import { eventBodyOf } from "../../storage/events/event-body.ts";
import { isServedEndpoint } from "../../storage/events/served-endpoints.ts";
import type { EventEndpointRow, EventRow, Tables } from "../../storage/tables.ts";
import { signingSecrets, switchOff } from "./endpoints.ts";

export interface DeliveryParts {
  db: Kysely<Tables>;
  keyring: CurrentKeyring;
  /** The name of this process. */
  instance: string;
  /** Private networks that endpoints may be in. */
  networks: BlockList | null;
  /** Milliseconds since 1970. */
  now: () => number;
  log: Log;
  audit: Audit;
  /** Milliseconds for one delivery. */
  timeout?: number;
  /**
   * Whether stand-ins answer live verifications, with invented people. A header of live events then says so. Default:
   * false.
   */
  standIns?: boolean;
}

/** An event with the current secrets of its endpoint, which somebody may roll during a turn. */
type Queued = Pick<Tables["event_delivery"], "number" | "attempts" | "give_up_at"> &
  Pick<EventEndpointRow, "secret" | "former_secret" | "former_ends_at"> &
  EventRow;

/** A literal: the planner uses the partial index of waiting deliveries only for a literal, not for a parameter. */
const isWaiting = sql.lit("waiting" as const);

/**
 * The most endpoints to which this process sends at one time. A slow endpoint occupies one place, and all further
 * endpoints take turns.
 */
const mostAtOnce = 100;
/** At most this many of those endpoints may belong to one account. */
const mostOfOne = 10;
/** Milliseconds after which a turn of one endpoint ends. */
const turnTime = 5_000;
/**
 * Milliseconds for which no other process may send to an endpoint. The lease is renewed before its rest is too short
 * for a delivery.
 */
const leaseTime = 30_000;
const leaseReserve = sendTimeout + 5_000;

const firstPause = 5_000;
const longestPause = 3_600_000;

/**
 * Milliseconds until the next attempt, after so many failures: 5 s, 20 s, 80 s … at most an hour, plus up to 20 %
 * jitter.
 */
export function backOff(failures: number, random: () => number = Math.random): number {
  return Math.round(Math.min(longestPause, firstPause * 4 ** (failures - 1)) * (1 + random() / 5));
}

/**
 * Sends waiting events. Each endpoint has a queue: an event is sent once the previous one is delivered or dead. A
 * process leases an endpoint for a turn, so that no two processes send to it at one time. If a process dies while it
 * sends, the event is sent again, with the same id.
 */
export class Deliverer {
  /** Deliveries of this process by outcome. */
  readonly counts = { delivered: 0, failed: 0, dead: 0 };
  readonly #parts: DeliveryParts;
  /** The turns in progress, each with the audience of its endpoint: an account, or the operators. */
  readonly #turns = new Map<Promise<void>, string>();
  readonly #stopping = new AbortController();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /**
   * Begins turns of due endpoints, within the limits above, and does not wait for them. Rejects if the store is away.
   */
  async begin(): Promise<void> {
    const { now } = this.#parts;
    const at = now();
    for (const { id, audience } of await this.#due(at)) {
      if (this.#stopping.signal.aborted || this.#turns.size >= mostAtOnce) return;
      if (this.#placesOf(audience) >= mostOfOne) continue;
      const endpoint = await this.#lease(id, at);
      if (!endpoint) continue;
      const turn = this.#turn(endpoint)
        .catch((error: unknown) =>
          this.#parts.log.warn(
            { endpoint: id, code: codeOf(error) },
            "A delivery of events broke off and is tried again",
          ),
        )
        .finally(() => this.#turns.delete(turn));
      this.#turns.set(turn, audience);
    }
  }

  /**
   * Selects due endpoints: the first of each account, then the second of each, and so on. An account that already has
   * the most turns waits.
   */
  #due(at: number) {
    const full = [...new Set(this.#turns.values())].filter((audience) => this.#placesOf(audience) >= mostOfOne);
    const { db } = this.#parts;
    const due = db
      .selectFrom("event_endpoint as endpoint")
      .select(["endpoint.id", "endpoint.audience", "endpoint.next_at"])
      .select(sql<number>`row_number() over (partition by endpoint.audience order by endpoint.next_at)`.as("turn"))
      .where("endpoint.next_at", "<=", at)
      .where("endpoint.leased_until", "<=", at)
      .where(isServedEndpoint("endpoint"))
      .where("endpoint.id", "in", (query) =>
        query.selectFrom("event_delivery").select("endpoint_id").where("state", "=", isWaiting),
      )
      .$if(full.length > 0, (query) => query.where("endpoint.audience", "not in", full));
    return db
      .selectFrom(due.as("due"))
      .select(["id", "audience"])
      .where("turn", "<=", mostOfOne)
      .orderBy("turn")
      .orderBy("next_at")
      .limit(mostAtOnce)
      .execute();
  }

  #placesOf(audience: string): number {
    return [...this.#turns.values()].filter((holder) => holder === audience).length;
  }

  /** Resolves when no turn is in progress. */
  async idle(): Promise<void> {
    while (this.#turns.size > 0) await Promise.all(this.#turns.keys());
  }

  /** Aborts deliveries in progress. Aborted deliveries count as not tried. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.idle();
  }

  async #turn(leased: EventEndpointRow): Promise<void> {
    const { db, now } = this.#parts;
    let endpoint = leased;
    const begun = performance.now();
    let leasedAt = begun;
    /** When the next turn may begin. */
    let nextAt = now();
    try {
      for (;;) {
        const event = await this.#next(endpoint.id);
        if (!event) return;
        if (performance.now() - leasedAt > leaseTime - leaseReserve) {
          const renewed = await this.#lease(endpoint.id, now(), this.#parts.instance);
          if (!renewed) return;
          endpoint = renewed;
          leasedAt = performance.now();
        }
        const sent = await this.#send(endpoint, event);
        if (this.#stopping.signal.aborted && !sent.delivered) return;
        const pause = await this.#note(endpoint, event, sent);
        nextAt = now() + pause;
        if (pause > 0 || performance.now() - begun > turnTime) return;
      }
    } finally {
      await db
        .updateTable("event_endpoint")
        .set({ lease_owner: null, leased_until: 0, next_at: nextAt })
        .where("id", "=", endpoint.id)
        .where("lease_owner", "=", this.#parts.instance)
        .execute();
    }
  }

  /** Leases a free endpoint, or renews the lease of `owner`. Undefined if another process has the endpoint. */
  #lease(id: string, at: number, owner?: string): Promise<EventEndpointRow | undefined> {
    const leased = this.#parts.db
      .updateTable("event_endpoint")
      .set({ lease_owner: this.#parts.instance, leased_until: at + leaseTime })
      .where("id", "=", id)
      .returningAll();
    return (
      owner === undefined ? leased.where("leased_until", "<=", at) : leased.where("lease_owner", "=", owner)
    ).executeTakeFirst();
  }

  #next(id: string): Promise<Queued | undefined> {
    return this.#parts.db
      .selectFrom("event_delivery as delivery")
      .innerJoin("event", "event.number", "delivery.number")
      .innerJoin("event_endpoint as endpoint", "endpoint.id", "delivery.endpoint_id")
      .selectAll("event")
      .select(["delivery.attempts", "delivery.give_up_at"])
      .select(["endpoint.secret", "endpoint.former_secret", "endpoint.former_ends_at"])
      .where("delivery.endpoint_id", "=", id)
      .where("delivery.state", "=", isWaiting)
      .where(isServedEndpoint("endpoint"))
      .orderBy("delivery.place")
      .limit(1)
      .executeTakeFirst();
  }

  async #send(endpoint: EventEndpointRow, event: Queued): Promise<Sent> {
    const { keyring, networks, now, timeout, standIns, log } = this.#parts;
    const at = now();
    const { secret, former_secret, former_ends_at } = event;
    let secrets: string[];
    try {
      secrets = signingSecrets(keyring.current, { ...endpoint, secret, former_secret, former_ends_at }, at);
    } catch {
      log.error(
        { endpoint: endpoint.id },
        "The secret of an endpoint cannot be opened. Give it a new one: duba events endpoints roll",
      );
      return { delivered: false, outcome: "secret_unreadable" };
    }
    const body = JSON.stringify(eventBodyOf(event));
    const mode = standIns && event.mode === "live" ? { [modeHeader]: standInMode } : {};
    const headers = { ...signedHeaders({ id: event.id, body, at }, secrets), ...mode };
    const { url, audience: owner } = endpoint;
    const delivery = { url, owner, body, headers, allowsPlain: endpoint.mode === "test" };
    return sendDelivery(delivery, {
      networks,
      signal: this.#stopping.signal,
      ...(timeout !== undefined && { timeout }),
    });
  }

  /** Writes the outcome of a delivery, and returns the milliseconds until the next one. */
  async #note(endpoint: EventEndpointRow, event: Queued, { delivered, outcome }: Sent): Promise<number> {
    const { db, now, log, audit } = this.#parts;
    const at = now();
    const attempts = event.attempts + 1;
    const isGone = outcome === "410";
    const isDead = !delivered && (isGone || at >= event.give_up_at);
    const state = delivered ? "delivered" : isDead ? "dead" : "waiting";
    await db
      .updateTable("event_delivery")
      .set({ state, attempts, tried_at: at, outcome })
      .where("endpoint_id", "=", endpoint.id)
      .where("number", "=", event.number)
      .where("state", "=", "waiting")
      .execute();
    this.counts[state === "waiting" ? "failed" : state] += 1;
    if (delivered) return 0;
    const facts = { endpoint: endpoint.id, event: event.id, outcome, attempts };
    if (isGone) {
      if (await switchOff({ db, audit, actor: "system" }, endpoint, at))
        log.error(facts, "An endpoint answered 410 Gone, so Duba switched it off. To switch it on: duba events resend");
      return backOff(1);
    }
    if (isDead) {
      log.error(facts, "Duba gave up on an event for an endpoint. Send it again: duba events resend");
      return backOff(1);
    }
    if (attempts === 1) log.warn(facts, "An event was not delivered and is tried again");
    return Math.min(backOff(attempts), Math.max(0, event.give_up_at - at));
  }
}

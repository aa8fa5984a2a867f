import type { CheckKind } from "../../declare/check-kind.ts";
import { newReference } from "../../ledger/reference.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";
import { billOf, type PricesByVendor } from "../../vendors/vendor-prices.ts";

type AttemptRow = Tables["verification_attempt"];
type Ending = Pick<AttemptRow, "outcome" | "reason">;

/** A verification with its attempts, in the form of the ledger. */
export interface Verified {
  row: VerificationRow;
  attempts: AttemptRow[];
}

/** The accounts of the verifications, and their prices. */
export interface Traffic {
  /**
   * The accounts with their live keys. Each account's part of the traffic is its share divided by the sum of all
   * shares.
   */
  accounts: readonly { id: string; key: string; share: number }[];
  /** Kobo that a verification of a kind costs its account. */
  fees: Readonly<Record<CheckKind, number>>;
  prices: PricesByVendor;
  zone: TimeZone;
  /** Milliseconds since 1970. */
  since: number;
  now: number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The hours of an outage of the first vendor, on the day this many days ago. */
const outage = { daysAgo: 6, from: 13, to: 15 };

/** How busy each hour of a day is. */
const busyness = [3, 2, 1, 1, 1, 3, 8, 16, 30, 42, 48, 46, 40, 41, 45, 44, 40, 36, 30, 26, 22, 17, 11, 6];
/** How busy Saturday and Sunday are, compared with a working day. */
const ofWeekday: Readonly<Record<number, number>> = { 6: 0.6, 7: 0.35 };

const endings: readonly [parts: number, ending: Ending][] = [
  [884, { outcome: "verified", reason: null }],
  [72, { outcome: "negative", reason: "not_found" }],
  [30, { outcome: "negative", reason: "phone_mismatch" }],
  [14, { outcome: "failed", reason: "out_of_service" }],
];
const outOfService: Ending = { outcome: "failed", reason: "out_of_service" };

/** Returns a generator of numbers from 0 to below 1, the same ones in each run. */
export function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Yields this many invented verifications since that time, mostly in working hours and oldest first, and then two more
 * of the last two hours with an unknown outcome.
 */
export function* monthOf(count: number, traffic: Traffic): Generator<Verified> {
  const draw = draws(count);
  const { since, now, zone } = traffic;
  const hours = Array.from({ length: Math.floor((now - since) / hour) }, (_, at) => {
    const begins = since + at * hour;
    const { hour: local, dayOfWeek } = Temporal.Instant.fromEpochMilliseconds(begins).toZonedDateTimeISO(zone.name);
    return {
      begins,
      local,
      daysAgo: Math.floor((now - begins) / day),
      weight: busyness[local]! * (ofWeekday[dayOfWeek] ?? 1),
    };
  });
  const whole = hours.reduce((sum, { weight }) => sum + weight, 0);
  let due = 0;
  for (const { begins, local, daysAgo, weight } of hours) {
    due += (count * weight) / whole;
    const times = Array.from({ length: Math.floor(due) }, () => begins + Math.floor(draw() * hour)).sort(
      (one, other) => one - other,
    );
    due -= times.length;
    const isOut = daysAgo === outage.daysAgo && local >= outage.from && local < outage.to;
    for (const at of times) yield verified(at, traffic, draw, pick(endings, draw), isOut);
  }
  for (const ago of [95, 22])
    yield verified(now - ago * minute, traffic, draw, { outcome: "unknown", reason: "timed_out" }, false);
}

function verified(begun: number, traffic: Traffic, draw: () => number, ends: Ending, isOut: boolean): Verified {
  const { accounts, fees, prices } = traffic;
  const account = pick(
    accounts.map((each) => [each.share, each] as const),
    draw,
  );
  const kind: CheckKind = draw() < 0.76 ? "bvn" : "nin";
  const reference = newReference(begun);
  const request = `req-${reference}`;
  const first = pick(
    [
      [78, "dojah"],
      [20, "prembly"],
      [2, "youverify"],
    ] as const,
    draw,
  );
  const asked = isOut && first === "dojah" ? [first, "prembly"] : [first];
  let at = begun + 3;
  const attempts = asked.map((vendor, place): AttemptRow => {
    const { outcome, reason } = place === asked.length - 1 ? ends : outOfService;
    const isKnown = outcome !== "unknown";
    const started = at;
    at += 380 + Math.floor(900 * draw() ** 3);
    const price = prices[vendor]?.[kind] ?? null;
    const bill = billOf({ kind, price, outcome, reason, billed: null }, prices[vendor]);
    return {
      reference,
      number: place + 1,
      account_id: account.id,
      mode: "live",
      kind,
      vendor,
      started_at: started,
      answered_at: isKnown ? at : null,
      outcome,
      reason,
      http_status: !isKnown ? null : outcome === "failed" ? 503 : 200,
      vendor_reference: isKnown && outcome !== "failed" ? `${vendor}-${reference}` : null,
      price,
      billed: null,
      bill: bill.kobo,
      bill_certain: bill.isCertain ? 1 : 0,
      why: null,
      request_id: request,
    };
  });
  const ended = ends.outcome === "unknown" ? null : at + 2;
  const isCharged = ends.outcome === "verified";
  const row: VerificationRow = {
    reference,
    account_id: account.id,
    key_id: account.key,
    mode: "live",
    kind,
    state: ends.outcome,
    reason: ends.outcome === "negative" ? ends.reason : null,
    idempotency_hash: null,
    lasting_idempotency_hash: null,
    body_hash: null,
    subject_hash: `demo:${Math.floor(draw() * 1e9)}`,
    subject_last4: String(Math.floor(draw() * 10_000)).padStart(4, "0"),
    run: asked.length,
    amount: fees[kind],
    fee: fees[kind],
    charged: isCharged ? 1 : 0,
    charged_at: isCharged ? ended : null,
    charge_mark: "",
    amount_differs: 0,
    consent_reference: null,
    request_id: request,
    spends: null,
    sealed_record: null,
    owner: null,
    created_at: begun,
    started_at: attempts.at(-1)!.started_at,
    completed_at: ended,
  };
  return { row, attempts };
}

/** Picks one of these values at random, weighted by their parts. */
function pick<Value>(all: readonly (readonly [parts: number, value: Value])[], draw: () => number): Value {
  let left = draw() * all.reduce((sum, [parts]) => sum + parts, 0);
  for (const [parts, value] of all) {
    left -= parts;
    if (left < 0) return value;
  }
  return all[0]![1];
}

import type { SourceState } from "../../catalogue/sync/source-states.ts";
import type { PausedRoute } from "../../identity/routes/paused-routes.ts";
import { labelOf } from "../../operation/check-kind.ts";
import { bytesText, isoOf } from "../../operation/command/answer-schema.ts";
import type { HealthFacts } from "./health-facts.ts";

const minute = 60_000;
const hour = 60 * minute;

/** From here on an operator should look: the bounds of the rules in deploy/prometheus/alerts.yaml. Milliseconds, bytes, counts. */
export const bounds = {
  unknown: hour,
  unsealed: minute,
  backup: 26 * hour,
  clock: minute,
  room: 1024 ** 3,
  missedPulls: 3,
};

/** What an alarm hits: 1 stops the service, 2 costs money or evidence, 3 waits for somebody. */
export const ranks = { 1: "stops the service", 2: "costs money", 3: "waits for somebody" } as const;
export type Rank = keyof typeof ranks;

/** Something that needs a hand. */
export interface Alarm {
  /** What it is about, such as `vendor:dojah`: the same as long as it lasts. */
  name: string;
  rank: Rank;
  /** Says what is wrong, why, and what to do. */
  what: string;
  /** How many, where there may be several. */
  count: number | null;
  /** Since when, in milliseconds since 1970, where that is known. */
  since: number | null;
  /** What is about to happen, such as the end of a pause. It goes to everyone who got the alarm. */
  soon?: string | undefined;
  acknowledged: { by: string; until: number; note: string } | null;
}

/** A source whose first pull has not ended is not late, unless that takes as long as a late pull. */
function isLateSource({ stale, missed, result, begun_at, every }: SourceState, now: number): boolean {
  if (result === null) return (begun_at ?? 0) > 0 && now - begun_at! >= bounds.missedPulls * every;
  return stale || missed >= bounds.missedPulls;
}

function pauseText({ kind, by, why, until }: PausedRoute, at: (time: number) => string): string {
  const checks = kind === null ? "" : ` for ${labelOf(kind)}`;
  return `paused${checks} by ${by} because of ${why}, until ${until === null ? "somebody resumes it" : at(until)}`;
}

type Found = Omit<Alarm, "name" | "acknowledged">;

/** What needs a hand, by rank, the oldest of a rank first. `now` in milliseconds since 1970. `at`: a time for people. */
export function alarmsOf(facts: HealthFacts, now: number, at: (time: number) => string): Omit<Alarm, "acknowledged">[] {
  const { instances, sources, belowCost, held, unknown, unsealed, backupAt, dead } = facts;
  const isLate = (at: number | null, after: number) => at !== null && now - at > after;
  const one = (rank: Rank, what: string, since: number | null = null): Found => ({ rank, what, count: null, since });
  const alarms: [name: string, found: Found | false][] = [
    [
      "store",
      !facts.takesWrites &&
        one(
          1,
          "The store takes no writes, so each verification is answered 500. Make room on its disk, or see why: the log.",
        ),
    ],
    [
      "no-vendor",
      facts.withoutVendor.length > 0 &&
        one(
          1,
          `Live verifications have no vendor for ${facts.withoutVendor.map(labelOf).join(" and ")}, so each is answered 503. See why: duba routes show`,
          facts.withoutVendorSince,
        ),
    ],
    ...[...Map.groupBy(facts.pauses, ({ vendor }) => vendor)].map(([vendor, pauses]): [string, Found] => {
      const what = `The vendor ${vendor} is ${pauses.map((pause) => pauseText(pause, at)).join(", and ")}. End it: duba routes resume ${vendor}`;
      const ending = pauses.find(({ until }) => until !== null && until - now <= hour);
      const soon = ending && `The pause of the vendor ${vendor} ends at ${at(ending.until!)}: it gets attempts again.`;
      return [`paused:${vendor}`, { ...one(3, what, Math.min(...pauses.map(({ since }) => since))), soon }];
    }),
    [
      "room",
      facts.roomLeft !== null &&
        facts.roomLeft < bounds.room &&
        one(1, `The disk of the store has ${bytesText(facts.roomLeft)} left. Make room before it is full.`),
    ],
    [
      "clock",
      facts.clockBehind > bounds.clock &&
        one(
          1,
          `The clock is ${Math.round(facts.clockBehind / 1000)} seconds behind the newest entry of the audit trail. Synchronise it with NTP.`,
        ),
    ],
    [
      "retention",
      instances > 0 &&
        facts.clockDoubtedSince !== null &&
        one(
          3,
          `The clock may be WRONG: it says ${isoOf(now)}, and the last time that the store knew was ${isoOf(facts.clockDoubtedSince)}. Nothing old ` +
            "is removed meanwhile. If it is wrong, set it right. If it is right: duba clock accept",
        ),
    ],
    // A store that takes no writes renews no lease, so nobody knows who serves.
    [
      "no-instance",
      instances === 0 && facts.takesWrites && one(1, "No instance serves this store. Start one: duba serve"),
    ],
    ...held.map(({ draft, since }): [string, Found] => [
      `held:${draft}`,
      one(3, `The change ${draft} of the catalogue waits for approval. See it: duba catalogue show ${draft}`, since),
    ]),
    ...sources
      .filter((source) => isLateSource(source, now))
      .map(({ name, stale, missed, as_of, begun_at }): [string, Found] => [
        `source:${name}`,
        {
          ...one(
            2,
            as_of === null
              ? `The source ${name} has given no lists yet. See why: duba sources status`
              : `The catalogue ${stale ? "is stale" : `missed ${missed} pulls`}: ${name} gave nothing new in time. See why: duba sources status`,
            as_of ?? begun_at,
          ),
          count: missed || null,
        },
      ]),
    [
      "below-cost",
      belowCost.length > 0 && {
        rank: 2,
        what: `${belowCost.length === 1 ? "A price is" : `${belowCost.length} prices are`} below cost. ${belowCost[0]} See all: duba doctor`,
        count: belowCost.length,
        since: null,
      },
    ],
    ...facts.vendors
      .filter(({ ready, pause }) => !ready && !pause)
      .map(({ name, alarm, since }): [string, Found] => [
        `vendor:${name}`,
        one(
          2,
          `The vendor ${name} ${alarm === null ? "gets no calls for now: it failed too often, or asked Duba to wait" : `has the alarm ${alarm.replaceAll("_", " ")}`}. See more: duba upstreams status`,
          since,
        ),
      ]),
    ...facts.vendors
      // An empty wallet is one alarm, and a vendor that is paused waits for its person.
      .filter(({ alarm, pause }) => alarm !== "no_money" && !pause)
      .filter(({ attemptsLeft }) => attemptsLeft !== null && attemptsLeft < facts.fewestAttempts)
      .map(({ name, attemptsLeft }): [string, Found] => [
        `balance:${name}`,
        {
          rank: 2,
          what: `The balance at the vendor ${name} pays for ${attemptsLeft} more attempts. Top it up before it is empty. See it: duba routes show`,
          count: attemptsLeft,
          since: null,
        },
      ]),
    [
      "protection",
      facts.loosened !== undefined &&
        one(
          2,
          `A start made the service less strict: ${facts.loosened.what}. See when: duba audit tail --kind protection.loosened`,
          facts.loosened.at,
        ),
    ],
    [
      "unknown",
      isLate(unknown.since, bounds.unknown) && {
        rank: 2,
        what: "Live verifications have no known outcome for more than an hour. See them: duba ledger list --state unknown",
        count: Number(unknown.count),
        since: unknown.since,
      },
    ],
    [
      "unsealed",
      instances > 0 &&
        isLate(unsealed.oldest, bounds.unsealed) && {
          rank: 2,
          what: "Audit entries wait for their seal for more than a minute. Read the log of the service.",
          count: Number(unsealed.count),
          since: unsealed.oldest,
        },
    ],
    ...facts.jobs.map(({ name, code, since }): [string, Found] => [
      `job:${name.replaceAll(" ", "-")}`,
      one(2, `The job "${name}" fails with ${code} and is tried again. Read the log of the service.`, since),
    ]),
    [
      "dead-events",
      dead > 0 && {
        rank: 3,
        what: "Duba gave up on events for an endpoint. See them: duba events list --state dead. Send them again: duba events resend",
        count: dead,
        since: facts.oldestDead,
      },
    ],
    ...facts.endpoints.map(({ id, isOff, since, waiting }): [string, Found] => [
      `endpoint:${id}`,
      {
        rank: 3,
        what: isOff
          ? `The endpoint ${id} answered 410 Gone, so it gets no events. Remove it: duba events endpoints remove ${id}. If it is there again: duba events resend ${id}`
          : `The endpoint ${id} has taken no event for more than an hour. See why: duba events list --endpoint ${id}`,
        count: waiting || null,
        since,
      },
    ]),
    [
      "backup",
      facts.needsBackup &&
        (backupAt === null || isLate(backupAt, bounds.backup)) &&
        one(
          3,
          `${backupAt === null ? "There is no backup yet" : "The last backup is older than 26 hours"}. Make one: duba backup <file>`,
          backupAt,
        ),
    ],
    ...facts.ending.map(({ id, account, expires_at }): [string, Found] => [
      `key:${id}`,
      one(
        3,
        `The key ${id} of ${account} ends ${at(expires_at)}. Replace it: duba keys roll ${id}`,
        expires_at - 14 * 24 * hour,
      ),
    ]),
    ...facts.spent.map(({ account, email, isExhausted }): [string, Found] => [
      `spent:${account}`,
      one(
        3,
        isExhausted
          ? `${email} has used 100 % of its cap, or of its balance: its verifications are refused. See it: duba accounts show ${email}`
          : `${email} has used 80 % of its cap, or of its last top-up. See it: duba accounts show ${email}`,
      ),
    ]),
  ];
  const age = ({ since }: Found) => since ?? Number.POSITIVE_INFINITY;
  return alarms
    .flatMap(([name, found]) => (found === false ? [] : [{ name, ...found }]))
    .sort(
      (first, second) => first.rank - second.rank || (age(first) < age(second) ? -1 : Number(age(first) > age(second))),
    );
}

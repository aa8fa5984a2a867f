import type { SourceState } from "../../catalogue/sync/source-states.ts";
import { type PausedRoute, pauseReasons } from "../../identity/routes/paused-routes.ts";
import { labelOf } from "../../operation/check-kind.ts";
import { bytesText, isoOf } from "../../operation/command/answer-schema.ts";
import { alarmTexts, type VendorAlarm } from "../../upstreams/vendor-alarms.ts";
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
  return `paused${checks} by ${by} until ${until === null ? "somebody resumes it" : at(until)}, because ${pauseReasons[why]}`;
}

function troubleOf(alarm: string): string {
  // A newer version may have others.
  return alarmTexts[alarm as VendorAlarm] ?? `has the alarm ${alarm.replaceAll("_", " ")}`;
}

/** What needs a hand, by rank, the oldest of a rank first. `now` in milliseconds since 1970. `at`: a time for people. */
export function alarmsOf(facts: HealthFacts, now: number, at: (time: number) => string): Omit<Alarm, "acknowledged">[] {
  const { instances, belowCost, unknown, unsealed, backupAt } = facts;
  const isLate = (at: number | null, after: number) => at !== null && now - at > after;
  const alarms: Omit<Alarm, "acknowledged">[] = [];
  const add = (name: string, rank: Rank, what: string, more: Partial<Pick<Alarm, "count" | "since" | "soon">> = {}) =>
    void alarms.push({ name, rank, what, count: null, since: null, ...more });

  if (!facts.takesWrites)
    add(
      "store",
      1,
      "The store takes no writes, so each verification is answered 500. Make room on its disk, or see why: the log.",
      { since: facts.wroteAt },
    );
  if (facts.withoutVendor.length > 0) {
    const checks = facts.withoutVendor.map(labelOf).join(" and ");
    const isLost = (name: string) => facts.lost.some(({ vendor }) => vendor === name);
    const pauses = [...new Set(facts.lost.flatMap(({ pause }) => pause ?? []))];
    const ill = facts.vendors.filter(({ name, alarm, pause }) => alarm !== null && !pause && isLost(name));
    const why = [
      ...pauses.map((pause) => `The vendor ${pause.vendor} is ${pauseText(pause, at)}.`),
      ...ill.map(({ name, alarm }) => `The vendor ${name} ${troubleOf(alarm!)}.`),
    ];
    const [{ vendor } = { vendor: undefined }] = pauses;
    const mend = vendor === undefined ? "See why: duba routes show" : `Resume ${vendor}: duba routes resume ${vendor}`;
    const what = `Live verifications have no vendor for ${checks}, so each is answered 503.`;
    add("no-vendor", 1, [what, ...why, mend].join(" "), {
      since: Math.max(...facts.lost.map(({ since }) => since ?? 0)),
    });
  }
  for (const [vendor, pauses] of Map.groupBy(facts.pauses, ({ vendor }) => vendor)) {
    const what = `The vendor ${vendor} is ${pauses.map((pause) => pauseText(pause, at)).join(", and ")}. End it: duba routes resume ${vendor}`;
    const ending = pauses.find(({ until }) => until !== null && until - now <= hour);
    const soon = ending && `The pause of the vendor ${vendor} ends at ${at(ending.until!)}: it gets attempts again.`;
    add(`paused:${vendor}`, 3, what, { since: Math.min(...pauses.map(({ since }) => since)), soon });
  }
  if (facts.roomLeft !== null && facts.roomLeft < bounds.room)
    add("room", 1, `The disk of the store has ${bytesText(facts.roomLeft)} left. Make room before it is full.`);
  if (facts.clockBehind > bounds.clock) {
    const behind = `${Math.round(facts.clockBehind / 1000)} seconds behind the newest entry of the audit trail`;
    add("clock", 1, `The clock is ${behind}. Synchronise it with NTP.`);
  }
  if (instances > 0 && facts.clockDoubtedSince !== null)
    add(
      "retention",
      3,
      `The clock may be WRONG: it says ${isoOf(now)}, and the last time that the store knew was ${isoOf(facts.clockDoubtedSince)}. Nothing old ` +
        "is removed meanwhile. If it is wrong, set it right. If it is right: duba clock accept",
    );
  // A store that takes no writes renews no lease, so nobody knows who serves.
  if (instances === 0 && facts.takesWrites)
    add("no-instance", 1, "No instance serves this store. Start one: duba serve");
  for (const { draft, since, reasons } of facts.held) {
    const what = [`The change ${draft} of the catalogue waits for approval.`, ...reasons.slice(0, 1)].join(" ");
    add(`held:${draft}`, 3, `${what} See it: duba catalogue show ${draft}`, { since });
  }
  for (const { name, stale, missed, as_of, begun_at } of facts.sources.filter((source) => isLateSource(source, now))) {
    const late = `The catalogue ${stale ? "is stale" : `missed ${missed} pulls`}: ${name} gave nothing new in time.`;
    const what = as_of === null ? `The source ${name} has given no lists yet.` : late;
    const more = { since: as_of ?? begun_at, count: missed || null };
    add(`source:${name}`, 2, `${what} See why: duba sources status`, more);
  }
  if (belowCost.length > 0) {
    const prices = belowCost.length === 1 ? "A price is" : `${belowCost.length} prices are`;
    const count = belowCost.length;
    add("below-cost", 2, `${prices} below cost. ${belowCost[0]} See all: duba doctor`, { count });
  }
  for (const { name, ready, pause, alarm, since } of facts.vendors) {
    if (ready || pause) continue;
    const idle = "gets no calls for now: it failed too often, or asked Duba to wait";
    const why = alarm === null ? idle : troubleOf(alarm);
    add(`vendor:${name}`, 2, `The vendor ${name} ${why}. See more: duba upstreams status`, { since });
  }
  for (const { name, pause, alarm, attemptsLeft } of facts.vendors) {
    // An empty wallet is one alarm, and a vendor that is paused waits for its person.
    if (alarm === "no_money" || pause || attemptsLeft === null || attemptsLeft >= facts.fewestAttempts) continue;
    const what = `The balance at the vendor ${name} pays for ${attemptsLeft} more attempts. Top it up before it is empty. See it: duba routes show`;
    add(`balance:${name}`, 2, what, { count: attemptsLeft });
  }
  if (facts.loosened !== undefined) {
    const what = `A start made the service less strict: ${facts.loosened.what}. See when: duba audit tail --kind protection.loosened`;
    add("protection", 2, what, { since: facts.loosened.at });
  }
  if (isLate(unknown.since, bounds.unknown)) {
    const what =
      "Live verifications have no known outcome for more than an hour. See them: duba ledger list --state unknown";
    add("unknown", 2, what, { count: Number(unknown.count), since: unknown.since });
  }
  if (instances > 0 && isLate(unsealed.oldest, bounds.unsealed)) {
    const what = "Audit entries wait for their seal for more than a minute. Read the log of the service.";
    add("unsealed", 2, what, { count: Number(unsealed.count), since: unsealed.oldest });
  }
  for (const { name, code, since } of facts.jobs) {
    const what = `The job "${name}" fails with ${code} and is tried again. Read the log of the service.`;
    add(`job:${name.replaceAll(" ", "-")}`, 2, what, { since });
  }
  if (facts.dead > 0) {
    const what =
      "Duba gave up on events for an endpoint. See them: duba events list --state dead. Send them again: duba events resend";
    add("dead-events", 3, what, { count: facts.dead, since: facts.oldestDead });
  }
  for (const { id, isOff, since, waiting } of facts.endpoints) {
    const what = isOff
      ? `The endpoint ${id} answered 410 Gone, so it gets no events. Remove it: duba events endpoints remove ${id}. If it is there again: duba events resend ${id}`
      : `The endpoint ${id} has taken no event for more than an hour. See why: duba events list --endpoint ${id}`;
    add(`endpoint:${id}`, 3, what, { count: waiting || null, since });
  }
  if (facts.needsBackup && (backupAt === null || isLate(backupAt, bounds.backup))) {
    const what = backupAt === null ? "There is no backup yet" : "The last backup is older than 26 hours";
    add("backup", 3, `${what}. Make one: duba backup <file>`, { since: backupAt });
  }
  for (const { id, account, expires_at } of facts.ending) {
    const what = `The key ${id} of ${account} ends ${at(expires_at)}. Replace it: duba keys roll ${id}`;
    add(`key:${id}`, 3, what, { since: expires_at - 14 * 24 * hour });
  }
  for (const { account, email, isExhausted } of facts.spent) {
    const used = isExhausted
      ? "100 % of its cap, or of its balance: its verifications are refused"
      : "80 % of its cap, or of its last top-up";
    add(`spent:${account}`, 3, `${email} has used ${used}. See it: duba accounts show ${email}`);
  }
  const age = ({ since }: Pick<Alarm, "since">) => since ?? Number.POSITIVE_INFINITY;
  return alarms.sort(
    (one, other) => one.rank - other.rank || (age(one) < age(other) ? -1 : Number(age(one) > age(other))),
  );
}

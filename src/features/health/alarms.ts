import { newAlarm, type OpenAlarm } from "../../commands/alarm.ts";
import { warnedPercent } from "../../declare/account-terms.ts";
import { bytesText } from "../../declare/command/answer-schema.ts";
import { mend } from "../../declare/command/mend.ts";
import { joinTexts, type RichText, richText } from "../../declare/command/rich-text.ts";
import { alarmTexts, type VendorAlarm } from "../../vendors/out-of-order.ts";
import { type PausedRoute, type PauseReason, pauseReasons } from "../../verification/routes/paused-vendors.ts";
import type { HealthFacts } from "./health-facts.ts";

const minute = 60_000;
const hour = 60 * minute;

/**
 * Limits beyond which an operator should act, in milliseconds, bytes or counts. The rules in
 * deploy/prometheus/alerts.yaml have the same limits.
 */
export const bounds = {
  unknown: hour,
  unsealed: minute,
  backup: 26 * hour,
  clock: minute,
  room: 1024 ** 3,
};

/** In bytes. SQLite needs space for its journal beside the store. */
const fullDisk = 64 * 1024 ** 2;

/** Names the kind of check only if the vendor offers several. */
function pauseText({ vendor, kind, by, why, until }: PausedRoute, { pauses, vendors }: HealthFacts): RichText {
  const own = pauses.filter((pause) => pause.vendor === vendor);
  const isWhole = own.length === 1 && vendors.some(({ name, isPaused }) => name === vendor && isPaused);
  const checks = kind === null || isWhole ? [] : richText` for ${{ check: kind }}`;
  const end = until === null ? "somebody resumes it" : { time: until };
  return richText`paused${checks} by ${{ actor: by }} until ${end}, because ${pauseReasons[why]}`;
}

function troubleOf(alarm: string | null): string {
  if (alarm === null) return "gets no calls for now: it failed too often, or asked Duba to wait";
  // A newer version may have further alarms.
  return alarmTexts[alarm as VendorAlarm] ?? `has the alarm ${alarm.replaceAll("_", " ")}`;
}

/** Reasons of a pause, most harmless first: a vendor that was paused for its load most likely works again. */
const mildest: readonly PauseReason[] = ["load", "money", "key", "answers"];

const resumption = (vendor: string) => mend(richText`Resume ${{ vendor }}`, "routes.resume", { vendor });

/** Offers a trial call, which shows whether the problem is solved, for example by a top-up. */
const trial = (vendor: string) => mend(richText`Try ${{ vendor }}`, "upstreams.test", { name: vendor });

/** A trial of a stand-in always succeeds, so it proves nothing. */
const isTried = ({ alarm }: { alarm: string | null }) => alarm !== "answered_by_stand_in";

/** Advice about a store that refuses writes. `roomLeft`: free bytes; null: unknown. */
function storeText(roomLeft: number | null): string {
  if (roomLeft === null) return "See whether PostgreSQL answers, and has room; the log of the service says why.";
  if (roomLeft < fullDisk) return `Its disk is full: ${bytesText(roomLeft)} left. Make room.`;
  return `Read the log of the service. Its disk is not full: ${bytesText(roomLeft)} left.`;
}

/** Splits a text about a vendor into its first sentence, without the full stop, and the rest. */
const headOf = (trouble: string) => trouble.split(". ", 1)[0]!;
const restOf = (trouble: string) => (trouble.includes(". ") ? `${trouble.slice(trouble.indexOf(". ") + 2)}.` : "");

/** Alarms that stop all clients, most general first. */
const widest = ["store", "no-instance", "room", "clock", "no-vendor"];

function placeOf({ name }: Pick<OpenAlarm, "name">): number {
  return widest.includes(name) ? widest.indexOf(name) : widest.length;
}

/** Returns all alarms: by rank, then those that stop everybody, then the oldest. `now`: milliseconds since 1970. */
export function alarmsOf(facts: HealthFacts, now: number): OpenAlarm[] {
  const { instances, belowCost, unknown, unsealed, backupAt } = facts;
  const isLate = (at: number | null, after: number) => at !== null && now - at > after;
  const alarms: OpenAlarm[] = [...facts.ofFeatures];
  const add = (...alarm: Parameters<typeof newAlarm>) => void alarms.push(newAlarm(...alarm));

  if (!facts.takesWrites)
    add("store", 1, richText`The store takes no writes, so each verification is answered 500`, {
      detail: richText`${storeText(facts.roomLeft)} Figures and charts lack what happened since then, and perhaps the minute before.`,
      since: facts.wroteAt,
      covers: ["unsealed"],
    });
  if (facts.withoutVendor.length > 0) {
    const checks = joinTexts(
      facts.withoutVendor.map((check) => [{ check }]),
      " and ",
    );
    const isLost = (name: string) => facts.lost.some(({ vendor }) => vendor === name);
    const pauses = [...new Set(facts.lost.flatMap(({ pause }) => pause ?? []))];
    const ill = facts.vendors.filter(({ name, ill }) => ill && isLost(name));
    const why = [
      ...pauses.map((pause) => richText`The vendor ${{ vendor: pause.vendor }} is ${pauseText(pause, facts)}.`),
      ...ill.map(({ name, alarm }) => richText`The vendor ${{ vendor: name }} ${headOf(troubleOf(alarm))}.`),
      // Advice that applies to several vendors appears once.
      ...new Set(ill.map(({ alarm }) => restOf(troubleOf(alarm)))).values().map((rest) => [rest]),
    ].filter((text) => text.join("") !== "");
    const isSaid = ({ vendor, kind }: PausedRoute) => pauses.some((one) => one.vendor === vendor && one.kind === kind);
    const isWhole = ({ vendor }: PausedRoute) => facts.pauses.filter((one) => one.vendor === vendor).every(isSaid);
    // The pause with the most harmless reason comes first.
    pauses.sort((one, other) => mildest.indexOf(one.why) - mildest.indexOf(other.why));
    const [first] = pauses;
    // If the store refuses writes, verifications are answered 500 before any vendor matters.
    const answered = facts.takesWrites ? ", so each is answered 503" : "";
    add("no-vendor", 1, richText`Live verifications have no vendor for ${checks}${answered}`, {
      detail: joinTexts(why, " "),
      mends: [
        ...new Set(pauses.map(({ vendor }) => vendor)).values().map(resumption),
        ...(first === undefined ? ill.filter(isTried).map(({ name }) => trial(name)) : []),
        ...(first === undefined ? [mend("See why", "routes.show")] : []),
      ],
      since: Math.max(...facts.lost.map(({ since }) => since ?? 0)),
      covers: [
        ...new Set(pauses.filter(isWhole).map(({ vendor }) => `paused:${vendor}`)),
        ...ill.map(({ name }) => `vendor:${name}`),
      ],
      ...(first && { vendor: first.vendor, actor: first.by, until: first.until }),
    });
  }
  for (const [vendor, pauses] of Map.groupBy(facts.pauses, ({ vendor }) => vendor)) {
    const ending = pauses.find(({ until }) => until !== null && until - now <= hour);
    const texts = pauses.map((pause) => pauseText(pause, facts));
    add(`paused:${vendor}`, 3, richText`The vendor ${{ vendor }} is ${joinTexts(texts, ", and ")}`, {
      mends: [resumption(vendor)],
      since: Math.min(...pauses.map(({ since }) => since)),
      vendor,
      actor: pauses[0]!.by,
      until: pauses[0]!.until,
      endsByItself: pauses.every(({ until }) => until !== null),
      soon:
        ending &&
        richText`The pause of the vendor ${{ vendor }} ends at ${{ time: ending.until! }}: it gets attempts again.`,
    });
  }
  if (facts.roomLeft !== null && facts.roomLeft < bounds.room)
    add("room", 1, richText`The disk of the store has ${bytesText(facts.roomLeft)} left`, {
      detail: richText`Make room before it is full.`,
    });
  if (facts.clockBehind > bounds.clock) {
    const seconds = Math.round(facts.clockBehind / 1000);
    add("clock", 1, richText`The clock is ${seconds} seconds behind the newest entry of the audit trail`, {
      detail: richText`Synchronise it with NTP.`,
    });
  }
  if (instances > 0 && facts.clockDoubtedSince !== null)
    add("retention", 3, richText`The system clock jumped by ${jumpText(now - facts.clockDoubtedSince)}`, {
      detail: richText`It says ${{ time: now }}, and the last time that the store knew was ${{ time: facts.clockDoubtedSince }}. Nothing old is removed meanwhile.`,
      mends: [mend("If it is right now", "clock.accept")],
    });
  // A store that refuses writes cannot renew leases, so the number of serving processes is unknown.
  if (instances === 0 && facts.takesWrites)
    add("no-instance", 1, richText`No instance serves this store`, { mends: [mend("Start one", "serve")] });
  for (const { draft, since, reasons, what, changes, by } of facts.held)
    add(`held:${draft}`, 3, richText`${what}, by ${{ actor: by }}, ${changes === 1 ? "waits" : "wait"} for approval`, {
      detail: reasons[0] ?? [],
      mends: [mend("See it", "catalogue.show", { revision: draft })],
      since,
      actor: by,
    });
  if (belowCost.length > 0) {
    const count = belowCost.length;
    add("below-cost", 2, richText`${count === 1 ? "A price is" : `${count} prices are`} below cost`, {
      detail: belowCost.slice(0, 1),
      mends: [mend("See all", "doctor")],
      count,
    });
  }
  for (const { name: vendor, ill, alarm } of facts.vendors) {
    if (!ill) continue;
    const tried = isTried({ alarm }) ? [trial(vendor)] : [];
    const { since, notAskedSince } = ill;
    const trouble = troubleOf(alarm);
    const rest = restOf(trouble);
    add(`vendor:${vendor}`, 2, richText`The vendor ${{ vendor }} ${headOf(trouble)}`, {
      detail: joinTexts(
        [
          ...(rest === "" ? [] : [[rest]]),
          ...(notAskedSince === null ? [] : [richText`No call of a client asked it since ${{ time: notAskedSince }}.`]),
        ],
        " ",
      ),
      mends: [...tried, mend("See more", "upstreams.status")],
      since,
      vendor,
    });
  }
  for (const { name: vendor, isPaused, alarm, attemptsLeft } of facts.vendors) {
    // An empty wallet has its own alarm, and a paused vendor waits for a person.
    if (alarm === "no_money" || isPaused || attemptsLeft === null || attemptsLeft >= facts.fewestAttempts) continue;
    add(
      `balance:${vendor}`,
      2,
      richText`The balance at the vendor ${{ vendor }} pays for ${attemptsLeft} more attempts`,
      {
        detail: richText`Top it up before it is empty.`,
        mends: [mend("See it", "routes.show")],
        count: attemptsLeft,
        vendor,
      },
    );
  }
  if (facts.loosened !== undefined)
    add("protection", 2, richText`A start made the service less strict: ${facts.loosened.what}`, {
      mends: [mend("See when", "audit.tail", { kind: "protection.loosened" })],
      since: facts.loosened.at,
    });
  if (isLate(unknown.since, bounds.unknown))
    add(
      "unknown",
      2,
      richText`${some(Number(unknown.count), "live verification has", "live verifications have")} no outcome for more than an hour`,
      {
        mends: [mend("See them", "ledger.list", { state: "unknown" })],
        count: Number(unknown.count),
        since: unknown.since,
      },
    );
  if (instances > 0 && isLate(unsealed.oldest, bounds.unsealed))
    add(
      "unsealed",
      2,
      richText`${some(Number(unsealed.count), "audit entry waits", "audit entries wait")} to be sealed`,
      {
        detail: richText`Is the service running? Read its log.`,
        count: Number(unsealed.count),
        since: unsealed.oldest,
      },
    );
  for (const { name, code, since } of facts.jobs)
    add(`job:${name.replaceAll(" ", "-")}`, 2, richText`The job "${name}" fails with ${code} and is tried again`, {
      detail: richText`Read the log of the service.`,
      since,
    });
  if (facts.dead > 0)
    add("dead-events", 3, richText`Duba gave up on events for an endpoint`, {
      mends: [mend("See them", "events.list", { state: "dead" }), mend("Send them again", "events.resend-all")],
      count: facts.dead,
      since: facts.oldestDead,
    });
  for (const { id, isOff, since, waiting } of facts.endpoints)
    add(
      `endpoint:${id}`,
      3,
      isOff
        ? richText`The endpoint ${id} answered 410 Gone, so it gets no events`
        : richText`The endpoint ${id} has taken no event for more than an hour`,
      {
        mends: isOff
          ? [
              mend("Remove it", "events.endpoints.remove", { id }),
              mend("If it is there again", "events.resend", { endpoint: id }),
            ]
          : [mend("See why", "events.list", { endpoint: id })],
        count: waiting || null,
        since,
      },
    );
  if (facts.needsBackup && (backupAt === null || isLate(backupAt, bounds.backup)))
    add(
      "backup",
      3,
      richText`${backupAt === null ? "There is no backup yet" : "The last backup is older than 26 hours"}`,
      {
        mends: [mend("Make one", "backup")],
        since: backupAt,
      },
    );
  for (const { id, accountId, expires_at, near_since } of facts.ending)
    add(`key:${id}`, 3, richText`The key ${{ key: id }} of ${{ account: accountId }} ends ${{ time: expires_at }}`, {
      mends: [mend("Replace it", "keys.roll", { id })],
      since: near_since,
      until: expires_at,
      account: accountId,
      key: id,
    });
  for (const { account, kind, isExhausted, used, refusedSince } of facts.spent)
    add(
      `${isExhausted ? "refused" : "spent"}:${account}`,
      isExhausted ? 1 : 3,
      isExhausted
        ? richText`Verifications of ${{ account }} are refused`
        : richText`${{ account }} has used ${String(warnedPercent)} % of its ${kind === "cap" ? "cap" : "last top-up"}`,
      {
        detail: richText`${used}.`,
        mends: [
          kind === "cap"
            ? mend("Raise the cap", "accounts.change", { account })
            : mend("Top it up", "accounts.top-up", { account }),
        ],
        since: refusedSince,
        account,
      },
    );
  const age = ({ since }: Pick<OpenAlarm, "since">) => since ?? Number.POSITIVE_INFINITY;
  return alarms.sort(
    (one, other) =>
      one.rank - other.rank ||
      placeOf(one) - placeOf(other) ||
      (age(one) < age(other) ? -1 : Number(age(one) > age(other))),
  );
}

/** Formats a gap as "26 months", "9 days" or "52 hours". */
function jumpText(gap: number): string {
  const hours = Math.round(Math.abs(gap) / hour);
  if (hours < 72) return `${hours} hours`;
  const days = Math.round(hours / 24);
  return days < 90 ? `${days} days` : `${Math.round(days / 30.44)} months`;
}

/** Formats a count with its noun: "1 audit entry waits", "2 audit entries wait". */
function some(count: number, one: string, many: string): string {
  return count === 1 ? `1 ${one}` : `${count.toLocaleString("en")} ${many}`;
}

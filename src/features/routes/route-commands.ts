import { type CheckKind, checkKinds, labelOf } from "../../declare/check-kind.ts";
import { list, orNull, time } from "../../declare/command/answer-schema.ts";
import { flag, formed, InputError } from "../../declare/command/read-texts.ts";
import { richText } from "../../declare/command/rich-text.ts";
import { CommandError, command } from "../../declare/command.ts";
import { duration } from "../../declare/duration.ts";
import Type from "../../declare/schema/type.ts";
import type { RouteSettings } from "../../ledger/identity-settings.ts";
import { ledgerTrail } from "../../ledger/ledger-trail.ts";
import { type Audited, triedFirst, type WithClock } from "../../storage/audited.ts";
import type { VendorPrices } from "../../vendors/vendor-prices.ts";
import { pauseFacts, stateIn, vendorChoice } from "../../verification/commands/vendor-states.ts";
import { decidedOrder } from "../../verification/routes/decide-vendor-order.ts";
import { attemptsOfLastHour, checksWithoutVendor, liveVendors } from "../../verification/routes/live-vendors.ts";
import {
  type PauseReason,
  pausedRoutes,
  pauseReasons,
  pauseRoute,
  resumeRoute,
} from "../../verification/routes/paused-vendors.ts";
import { inDecidedOrder } from "../../verification/routes/route-cache.ts";
import { type FigureSpan, spans } from "../../verification/routes/vendor-figures.ts";
import { vendorStandings } from "../../verification/routes/vendor-standing.ts";
import { RouteRow, rounded, VendorRow, vendorRows } from "./vendor-rows.ts";

interface Configured {
  config: {
    vendorPrices: Readonly<Record<string, VendorPrices>>;
    upstreams: readonly string[];
    route: RouteSettings["policy"];
  };
}

const showRoutes = command({
  id: "routes.show",
  title: "Vendors",
  summary: "Show how each identity vendor did for live verifications, in the last 24 hours and 30 days.",
  description:
    "The figures come from the sums of hours and days, which follow the ledger within seconds. " +
    "Times are the bound of a bucket: half of the answers came within the median. " +
    "A vendor that nobody asked has no figures. " +
    "A vendor is judged by the people that it was asked about.",
  role: "viewer",
  kind: "read",
  shownAs: "table",
  reports: true,
  input: Type.Object({ hour: flag("Also the figures of this hour and the one before.", { folded: true }) }),
  answer: Type.Array(RouteRow),
  view: () => [list],
  onPage: (rows) => [
    {
      rows: vendorRows(rows),
      row: VendorRow,
      named: true,
      none: "No live verification asked a vendor in the last 30 days.",
    },
  ],
  figures: (rows) =>
    rows.length === 0 ? "" : "Asked from top to bottom, until one answers. Figures of the last 24 hours.",
  none: "No live verification asked a vendor in the last 30 days.",
  noneThen: { says: "Name vendors in the settings, and try each with its own test number.", by: "upstreams.test" },
  examples: [{}, { hour: true }],
  run: async (
    { hour: isHour },
    room: Pick<Audited, "db"> & WithClock & Configured & { takesWrites(): Promise<boolean> },
  ) => {
    const { db, now, config } = room;
    const takesWrites = await room.takesWrites();
    const decided = config.route === "cheapest" ? await decidedOrder(db) : undefined;
    const listed = config.upstreams.map((name) => ({ name }));
    const placeOf = ({ vendor, kind }: { vendor: string; kind: CheckKind }) =>
      inDecidedOrder(listed, decided?.kinds[kind] ?? []).findIndex(({ name }) => name === vendor) + 1 || null;
    const among = isHour ? (Object.keys(spans) as FigureSpan[]) : undefined;
    const standings = await vendorStandings(db, now(), config.vendorPrices, among);
    const live = await liveVendors(db, now());
    const unasked = (span: FigureSpan, counts: readonly FigureSpan[]) =>
      live.flatMap((one) => {
        const own = standings.filter(({ vendor, kind }) => one.vendor === vendor && one.kind === kind);
        return own.some((each) => counts.includes(each.span)) ? [] : [{ ...one, span }];
      });
    return [
      ...standings.map((one) => ({
        ...one,
        state: stateIn(takesWrites, one.state),
        ...pauseFacts(one.pause),
        place: placeOf(one),
        found_rate: rounded(one.foundRate),
        failures: rounded(one.failureShare),
        cost_per_found: one.costPerFound,
        attempts_left: one.attemptsLeft,
        days_left: rounded(one.daysLeft),
      })),
      // A vendor without attempts may be paused or failing, or may be the next to get one.
      ...[...unasked("24h", ["24h", "30d"]), ...(isHour ? unasked("2h", ["2h"]) : [])].map((one) => ({
        vendor: one.vendor,
        kind: one.kind,
        span: one.span,
        place: placeOf(one),
        state: stateIn(takesWrites, one.state),
        since: one.since,
        ...pauseFacts(one.pause),
        ...noFigures,
      })),
    ];
  },
});

/** The figures of a vendor without attempts: none. */
const noFigures = {
  attempts: 0,
  found_rate: null,
  failures: null,
  median: null,
  p95: null,
  cost: null,
  cost_per_found: null,
  balance: null,
  attempts_left: null,
  days_left: null,
};

const about = {
  vendor: vendorChoice("The identity vendor."),
  check: Type.Optional(
    Type.Enum([...checkKinds], { description: "Only this kind of check. Default: all.", of: "kind" }),
  ),
};

const pauseFor = {
  form: "a length of time, such as 30m or 2h",
  read: (text: string) => {
    const length = duration.read(text);
    return length !== undefined && length > 0 ? length : undefined;
  },
};

const reasons = Object.keys(pauseReasons) as PauseReason[];

const hour = 3_600_000;

/**
 * When the pause ends by itself, in milliseconds since 1970; null if it does not. Throws an `InputError` for a length
 * with a reason for which no pause ends by itself.
 */
function endOfPause({ why, for: length }: { why: PauseReason; for?: number }, now: number): number | null {
  if (why === "load" || why === "money") return now + (length ?? 8 * hour);
  if (length === undefined) return null;
  throw new InputError([
    { field: "for", message: "must be left out: only a pause for load or money ends by itself. You resume any other" },
  ]);
}

const pause = command({
  id: "routes.pause",
  title: "Pause…",
  summary: "Pause an identity vendor: it gets no new attempts, and the next vendor is asked instead.",
  description:
    "Every process obeys within 5 seconds. An attempt that is under way goes on. " +
    "A verification whose outcome at this vendor is unknown waits for the end of the pause, " +
    "because another vendor would be paid too. A pause for load or money ends by itself, " +
    "after 8 hours unless you say otherwise; any other lasts until you resume the vendor. " +
    "If no other vendor is left for a check, a person confirms it: verifications get 503 upstream_unavailable.",
  role: "operator",
  kind: "change",
  target: ["vendor"],
  input: Type.Object({
    ...about,
    why: Type.Enum(reasons, {
      description: `Why. ${reasons.map((reason) => `${reason}: ${pauseReasons[reason]}.`).join(" ")}`,
      default: "answers",
      areEqual: true,
      words: {
        load: "It is slow or has too much to do. Ends by itself after 8 hours.",
        money: "It costs too much or its wallet is empty. Ends by itself after 8 hours.",
        answers: "Its answers are wrong. Lasts until you resume it.",
        key: "Its key must not be used. Lasts until you resume it.",
      },
    }),
    for: Type.Optional(
      formed(pauseFor, {
        description: "How long a pause for load or money lasts, such as 30min or 2h. Default: 8h.",
        placeholder: "time",
        hint: "30min or 2h, for load or money",
        folded: true,
      }),
    ),
  }),
  answer: Type.Object({
    vendor: Type.String(),
    check: Type.String(),
    why: Type.Enum(reasons),
    until: orNull(time),
  }),
  view: ({ vendor, check, why, until }, { at }) => [
    {
      text: richText`${{ vendor }} is paused for ${check === "all" ? "all checks" : { check: check as CheckKind }}, until ${until === null ? "resumed" : at(until)}: ${pauseReasons[why]}.`,
    },
  ],
  fits: ({ state }) => state !== "paused",
  records: [ledgerTrail.routePaused],
  examples: [{ vendor: "prembly" }, { vendor: "dojah", check: "nin", why: "load", for: "2h" }],
  mayBeDanger: true,
  effect: async ({ vendor, check, ...given }, { db, now }: Audited & WithClock) => {
    const until = endOfPause(given, now());
    const live = await liveVendors(db, now());
    const before = checksWithoutVendor(live);
    const lost = checksWithoutVendor(live, { vendor, kind: check ?? null }).filter((kind) => !before.includes(kind));
    if (lost.length === 0) return { says: [] };
    const { count, most } = await attemptsOfLastHour(db, lost, now());
    const labels = lost.map(labelOf).join(" and ");
    return {
      isDanger: true,
      says: [
        richText`${{ vendor }} is the last vendor for ${labels}: live verifications get 503 upstream_unavailable at once, until ${until === null ? "you resume it" : { time: until }}.`,
        `Vendors were asked ${count === 1 ? "once" : `${count.toLocaleString("en")} times`} in the last hour.`,
        ...(most
          ? [richText`Most for ${{ account: most.email }}: ${most.count}, the last: ${{ time: most.last }}.`]
          : []),
      ],
    };
  },
  run: async ({ vendor, check, ...given }, room: Audited & WithClock) => {
    const until = endOfPause(given, room.now());
    const own = (await liveVendors(room.db, room.now())).filter((one) => one.vendor === vendor);
    if (check !== undefined && own.length > 0 && !own.some(({ kind }) => kind === check))
      throw new InputError([
        {
          field: "check",
          message: `must be one that ${vendor} does: ${own.map(({ kind }) => labelOf(kind)).join(", ")}`,
        },
      ]);
    await pauseRoute(room, { vendor, kind: check ?? null, why: given.why, until });
    return { vendor, check: check ?? "all", why: given.why, until };
  },
});

const resume = command({
  id: "routes.resume",
  title: "Resume…",
  summary: "End the pause of an identity vendor.",
  description: "Without a check, all of its pauses end.",
  role: "operator",
  kind: "change",
  gives: "protection",
  target: ["vendor"],
  input: Type.Object(about),
  answer: Type.Object({ vendor: Type.String(), check: Type.String() }),
  view: ({ vendor, check }) => [
    { text: richText`${{ vendor }} gets attempts again for ${check === "all" ? "all checks" : `the check ${check}`}.` },
  ],
  fits: ({ state }) => state === "paused",
  records: [ledgerTrail.routeResumed],
  examples: [{ vendor: "prembly" }],
  effect: (_, room: Audited & WithClock, run) => triedFirst(room, run),
  run: async ({ vendor, check }, room: Audited & WithClock) => {
    if (await resumeRoute(room, { vendor, kind: check ?? null })) return { vendor, check: check ?? "all" };
    const held = await pausedRoutes(room.db, room.now());
    const names = held.map(({ vendor, kind }) => (kind === null ? vendor : `${vendor} for ${labelOf(kind)}`));
    throw new CommandError(
      `There is no such pause. ${names.length === 0 ? "No vendor is paused" : `Paused: ${names.join(", ")}`}.`,
    );
  },
});

export const routeCommands = [showRoutes, pause, resume];

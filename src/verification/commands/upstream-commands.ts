import { checkKinds } from "../../declare/check-kind.ts";
import { list, naira, orNull, state, time } from "../../declare/command/answer-schema.ts";
import { CommandError, command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import type { Audited, WithClock } from "../../storage/audited.ts";
import { fileOf } from "../../vendors/files/file-vendor.ts";
import { missingOf, type Vendor, type VendorValues } from "../../vendors/ports/vendor.ts";
import { vendors } from "../../vendors/registry.ts";
import { liveVendors, pausesThatCount, vendorStates, worstOf } from "../routes/live-vendors.ts";
import { type PausedRoute, pausedRoutes, pauseOf } from "../routes/paused-vendors.ts";
import { type UpstreamStatus, upstreamStatus } from "../routes/upstream-status.ts";
import { askedText, CheckRow, checkRows, dayFacts, hoursChart, type VendorSettings, vendorDay } from "./vendor-day.ts";
import {
  pauseFacts,
  pauseMembers,
  stateIn,
  vendorChoice,
  vendorState,
  vendorStateTones,
  vendorStateWords,
} from "./vendor-states.ts";

interface ReadingRoom extends Pick<Audited, "db">, WithClock {
  takesWrites(): Promise<boolean>;
}

interface Room extends ReadingRoom {
  config: VendorSettings & { vendors: Readonly<Record<string, VendorValues>> };
}

const vendorFacts = {
  name: Type.String(),
  place: orNull(Type.Integer()),
  missing: Type.Array(Type.String(), { none: "nothing" }),
  settings: Type.Array(Type.String()),
  about: Type.String(),
};

function factsOf(vendor: Vendor, { upstreams, vendors }: Room["config"]) {
  return {
    name: vendor.name,
    place: upstreams.indexOf(vendor.name) + 1 || null,
    missing: missingOf(vendor, vendors[vendor.name]!),
    settings: Object.values(vendor.settings).map(({ name }) => name),
    about: vendor.about,
  };
}

const failureWords: Record<keyof UpstreamStatus["last_failures"] | NonNullable<UpstreamStatus["alarm"]>, string> = {
  no_money: "wallet is empty",
  bad_credentials: "vendor refused the credentials",
  bad_settings: "vendor refused the settings",
  refused: "vendor refused the attempt",
  rate_limited: "rate limit of the vendor",
  out_of_service: "vendor out of service",
  not_done: "vendor did not process the attempt",
  not_reached: "no connection",
  busy: "too many attempts at the same time",
  paused: "paused",
  answered_by_stand_in: "a stand-in answers in place of the vendor",
  finds_nobody: "vendor found nobody many times in a row",
  bad_response: "invalid response",
  unknown: "no response in time",
  error: "error in the adapter",
  unknown_bank: "bank that Duba's table does not know",
};

type FailureName = keyof typeof failureWords;

const ProcessFacts = Type.Object({
  upstream: Type.String(),
  instance: Type.String(),
  state: state(vendorStates, { words: vendorStateWords, tones: vendorStateTones }),
  ...pauseMembers,
  paused_checks: Type.Array(Type.Enum([...checkKinds])),
  alarm: orNull(state(Object.keys(failureWords) as FailureName[], { words: failureWords, tones: vendorStateTones })),
  last_answer_at: orNull(time),
  balance: orNull(naira),
  last_failures: { ...Type.Record(Type.String(), time), words: failureWords },
  noted_at: time,
});

const showStatus = command({
  id: "upstreams.status",
  title: "Each process",
  summary: "Show the identity vendors of each serving process: state, alarm, last response and last failures.",
  onTerminal: "The exit code is 1 if a vendor is not ready or has an alarm.",
  role: "viewer",
  kind: "read",
  answer: Type.Array(ProcessFacts),
  columns: [
    "upstream",
    { name: "process", of: ({ instance }) => instance.slice(0, 8) },
    ...(["state", "paused_by", "paused_until", "paused_checks", "alarm", "last_answer_at", "balance"] as const),
    "last_failures",
  ],
  none: "No running service has a live identity vendor.",
  noneThen: { says: "Name vendors in the settings, and start the service again." },
  isWell: (found) =>
    found.every((seen) => seen.state === "ready" && seen.alarm === null && seen.paused_checks.length === 0),
  run: async (_, room: ReadingRoom) => statusesOf(room),
});

/** The state of each vendor in each process. A vendor counts as paused if all its kinds of check are paused. */
async function statusesOf({ db, now, takesWrites }: ReadingRoom) {
  const [pauses, takes] = [await pausedRoutes(db, now()), await takesWrites()];
  return (await upstreamStatus(db, now())).map((seen) => statusOf(seen, pauses, takes));
}

function statusOf({ kinds, ...status }: UpstreamStatus, pauses: readonly PausedRoute[], takesWrites: boolean) {
  const checks = kinds.filter((kind) => pauseOf(pauses, status.upstream, kind));
  const [first] = checks;
  return {
    ...status,
    state:
      checks.length > 0 && checks.length === kinds.length ? ("paused" as const) : stateIn(takesWrites, status.state),
    ...pauseFacts(first && pauseOf(pauses, status.upstream, first)),
    paused_checks: checks,
  };
}

const { upstream: _, ...processFacts } = ProcessFacts.properties;

/** The schema of a serving process on the page of its vendor. */
const ProcessRow = Type.Object(
  Object.fromEntries(Object.entries(processFacts).filter(([name]) => !["alarm", "paused_why"].includes(name))),
);

const showUpstream = command({
  id: "upstreams.show",
  title: "Vendor",
  summary:
    "Show an identity vendor: its place in the order, its prices, its wallet, the last 24 hours, " +
    "the settings that are missing, and how each serving process sees it.",
  role: "viewer",
  kind: "read",
  reports: true,
  target: ["vendor"],
  input: Type.Object({
    vendor: vendorChoice("The identity vendor."),
  }),
  answer: Type.Object({
    ...vendorFacts,
    state: orNull(vendorState()),
    since: orNull(time),
    ...pauseMembers,
    /** The vendor's checks, each with its state. */
    kinds: Type.Array(Type.Record(Type.String(), Type.String())),
    /** When the vendor is asked, in words. */
    asked: Type.String(),
    ...dayFacts,
    processes: Type.Array(Type.Object(processFacts)),
  }),
  view: ({ processes: _, kinds: __, checks, hours: ___, ...facts }) => [
    { record: facts },
    "",
    { title: "Checks:", rows: checkRows(checks), row: CheckRow, whole: true },
    "",
    { title: "Serving processes:", list: "processes", none: "No running service asks this vendor." },
  ],
  onPage: ({ missing, settings, balance, days_left, attempts, cost, checks, hours, processes }) => [
    {
      record: {
        ...(balance !== null && { balance }),
        ...(days_left !== null && { days_left }),
        attempts,
        ...(cost !== null && { cost }),
      },
    },
    { chart: hoursChart(hours) },
    { title: "Checks:", rows: checkRows(checks), row: CheckRow, whole: true, named: true },
    {
      title: "Serving processes:",
      // Shows a process's alarm in place of its state, because the alarm says more, except for a pause.
      rows: processes.map(({ alarm, ...seen }) => ({
        ...seen,
        state: seen.state === "paused" ? seen.state : (alarm ?? seen.state),
      })),
      row: ProcessRow,
      none: "No running service asks this vendor.",
    },
    { record: { ...(missing.length > 0 && { missing }), settings } },
  ],
  examples: [{ vendor: "dojah" }],
  run: async ({ vendor: wanted }, room: Room) => {
    const { db, now, config } = room;
    const processes = (await statusesOf(room)).filter(({ upstream }) => upstream === wanted);
    const takesWrites = await room.takesWrites();
    const all = await liveVendors(db, now());
    const live = all.filter((one) => one.vendor === wanted);
    const worst = worstOf(live);
    const pauses = pausesThatCount(await pausedRoutes(db, now()), live);
    const pause = pauses.find(({ vendor }) => vendor === wanted);
    const day = await vendorDay(db, now(), { vendor: wanted, live: all, settings: config });
    return {
      ...factsOf(vendors.find(({ name }) => name === wanted)!, config),
      state: pause ? ("paused" as const) : stateIn(takesWrites, worst?.state ?? null),
      since: pause?.since ?? worst?.since ?? null,
      ...pauseFacts(pause),
      kinds: live.map(({ kind, state }) => ({ kind, state: stateIn(takesWrites, state) })),
      asked: askedText(day.checks, { live, takesWrites }),
      ...day,
      processes,
    };
  },
});

const checkFile = command({
  id: "upstreams.check",
  title: "Check a vendor file",
  summary: "Check a vendor file: its form, and what Duba makes of each of its samples.",
  description: "It sends nothing and needs no settings. docs/vendors.md says how to write a vendor file.",
  onTerminal: "The exit code is 1 if something is wrong.",
  role: "viewer",
  kind: "read",
  only: "terminal",
  store: "none",
  target: ["file"],
  input: Type.Object({ file: Type.String({ description: "The vendor file.", placeholder: "file" }) }),
  answer: Type.Object({
    name: orNull(Type.String()),
    samples: Type.Integer(),
    problems: Type.Array(Type.Object({ place: Type.String(), problem: Type.String(), cure: Type.String() })),
  }),
  columns: ["place", "problem", "cure"],
  view: ({ name, samples }) => [
    { note: name === null ? "It is no vendor file yet." : `${samples} samples of ${name} were tried.` },
    list,
  ],
  none: "Nothing is wrong.",
  isWell: ({ problems }) => problems.length === 0,
  examples: [{ file: "vendors/acme.json" }],
  run: async ({ file: path }) => {
    const { textAt } = await import("../../vendors/files/vendor-files.ts");
    const { readVendorFile } = await import("../../vendors/files/read-vendor-file.ts");
    const { runSamples } = await import("../../vendors/files/run-samples.ts");
    const found = textAt(path);
    if ("wrong" in found) throw new CommandError(`The vendor file ${path} ${found.wrong}.`);
    const read = readVendorFile(found.text);
    if ("problems" in read) return { name: null, samples: 0, problems: read.problems };
    const { name, samples } = read.file;
    return { name, samples: samples.length, problems: await runSamples(read.file) };
  },
});

const filed = vendors.filter(fileOf);

const showFile = command({
  id: "upstreams.file",
  title: "Vendor file",
  summary: "Print the vendor file of an identity vendor, to mend it or to begin another one from it.",
  description: "Vendors that are not named here are code.",
  role: "viewer",
  kind: "read",
  only: "terminal",
  store: "none",
  target: ["vendor"],
  input: Type.Object({
    vendor: Type.Enum(
      filed.map(({ name }) => name),
      { description: "The identity vendor." },
    ),
  }),
  answer: Type.Object({ text: Type.String() }),
  view: ({ text }) => [{ text }],
  examples: [{ vendor: "prembly" }],
  run: async ({ vendor: wanted }) => ({
    text: JSON.stringify(fileOf(filed.find(({ name }) => name === wanted)!), null, 2),
  }),
});

export const upstreamCommands = [showUpstream, showStatus, checkFile, showFile];

import { Argument, type Command, Option } from "commander";
import Type from "typebox";
import { readConfig } from "../../config/read-config.ts";
import { settings } from "../../config/settings.ts";
import { checks } from "../../identity/checks/index.ts";
import { type UpstreamStatus, upstreamStatus } from "../../identity/upstream-status.ts";
import { type CheckKind, checkKinds, labelOf } from "../../operation/check-kind.ts";
import { digitsOf, phoneField, phoneOf } from "../../operation/fields.ts";
import { inputReader } from "../../operation/validate-input.ts";
import { type Log, silent } from "../../runtime/log.ts";
import type { AskedPerson, IdentityOutcome } from "../../upstreams/ports/identity-upstream.ts";
import { missingOf } from "../../upstreams/ports/vendor.ts";
import { vendors } from "../../upstreams/registry.ts";
import { withStore } from "../store.ts";
import { examples, subcommand } from "../terminal/help.ts";
import { type Io, UsageFault } from "../terminal/io.ts";
import { settingOption } from "../terminal/options.ts";
import { painter, table, timeOf } from "../terminal/table.ts";
import { linesOf } from "./call/members.ts";

/** `duba upstreams`: the identity sources that live keys reach. */
export function addUpstreams(program: Command, io: Io, ended: (exitCode: number) => void): void {
  const upstreams = subcommand(program, "upstreams", "Identity sources that live keys reach: list, test, status.");
  addList(upstreams, io);
  addTest(upstreams, io, ended);
  addStatus(upstreams, io, ended);
  examples(upstreams, "duba upstreams list", "duba upstreams test dojah", "duba upstreams status");
}

function addList(upstreams: Command, io: Io): void {
  const command = subcommand(upstreams, "list", "List every identity source, whether it is set up, and what it needs.")
    .option("--json", "print them as JSON")
    .action(({ json }: { json?: true }) => {
      const config = readConfig(io.environment);
      const listed = vendors.map((vendor) => ({
        name: vendor.name,
        place: config.upstreams.indexOf(vendor.name) + 1 || null,
        missing: missingOf(vendor, config.vendors[vendor.name]!),
        settings: Object.values(vendor.settings).map(({ name }) => name),
        about: vendor.about,
      }));
      if (json) return io.out(`${JSON.stringify(listed, null, 2)}\n`);
      const rows = listed.map(({ name, place, missing, about }) => ({
        name,
        asked: place === null ? "-" : `no. ${place}`,
        state: missing.length === 0 ? "set up" : `needs ${missing.join(", ")}`,
        about,
      }));
      io.out(table(rows, painter(io.colours?.out)));
      io.err(`Live keys reach those of ${settings.upstreams.name}, in its order.\n`);
    });
  examples(command, "duba upstreams list");
}

function addTest(upstreams: Command, io: Io, ended: (exitCode: number) => void): void {
  const about =
    "Put one question to an identity source with the vendor's own published test number, and say what became of it. " +
    "Nothing of a record is shown or kept. The vendor may charge for it.";
  const command = subcommand(upstreams, "test", about)
    .addArgument(new Argument("<name>", "The identity source.").choices(vendors.map(({ name }) => name)))
    .option("--ask", "Ask for another person: BVN (or NIN) and phone number are read from standard input, a line each.")
    .addOption(new Option("--kind <kind>", "which number --ask reads").choices(checkKinds).default("bvn"))
    .action(async (name: string, { ask, kind }: { ask?: true; kind: CheckKind }) => {
      const vendor = vendors.find((vendor) => vendor.name === name)!;
      const config = readConfig(io.environment);
      const missing = missingOf(vendor, config.vendors[name]!);
      if (missing.length > 0) throw new UsageFault(`${name} is not set up: it needs ${missing.join(", ")}.`);
      const question = ask ? await readQuestion(io, kind) : vendor.testQuestion;
      if (!question)
        throw new UsageFault(`No test number of ${name} is known: use --ask, and a BVN that you may ask for.`);
      const { openLive } = await import("../../upstreams/open-upstreams.ts");
      const log = tellingOnce(io);
      const live = openLive([name], config.vendors, { ...config.upstream, timeouts: config.vendorTimeouts, log });
      const begun = performance.now();
      try {
        const reference = `dubatest${Date.now()}`;
        const signal = AbortSignal.timeout(config.vendorTimeouts[name]!);
        const outcome = await live.upstreams[0]!.verify({ ...question, reference, signal });
        const took = Math.round(performance.now() - begun);
        io.out(`${name}, after ${took} ms: ${meaningOf(outcome)}\n`);
        ended(["verified", "not_found", "phone_mismatch"].includes(outcome.kind) ? 0 : 1);
      } finally {
        await live.close();
      }
    });
  examples(command, "duba upstreams test dojah");
}

/** What the adapter notes: codes and shapes, nothing of the person. Each sentence is told once. */
function tellingOnce({ err }: Io): Log {
  const told = new Set<string>();
  const tell = (fields: object, message: string) => {
    if (told.has(message)) return;
    told.add(message);
    err(`${message} ${JSON.stringify(fields)}\n`);
  };
  return { ...silent, warn: tell, error: tell };
}

function addStatus(upstreams: Command, io: Io, ended: (exitCode: number) => void): void {
  const about =
    "Show how each serving process sees its identity sources: asked or paused, alarms, last answer and last failures. " +
    "Exit code 1 if one is not ready or stands under an alarm.";
  const command = subcommand(upstreams, "status", about)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print it as JSON")
    .action(async ({ data, json }: { data?: string; json?: true }) => {
      const found = await withStore(io, data, ({ db }) => upstreamStatus(db));
      ended(found.every(({ state, alarm }) => state === "ready" && alarm === null) ? 0 : 1);
      if (json) return io.out(`${JSON.stringify(found.map(facts), null, 2)}\n`);
      if (found.length === 0) return io.out("No process that serves now has a live identity source.\n");
      const rows = found.map((status) => ({
        upstream: status.name,
        process: status.instance.slice(0, 8),
        state: stateWords[status.state],
        alarm: status.alarm === null ? "-" : failureWords[status.alarm],
        "last answer": timeOf(status.lastAnswerAt),
        "last failures":
          Object.entries(status.lastFailures)
            .map(([kind, at]) => `${failureWords[kind as keyof typeof failureWords]} (${timeOf(at)})`)
            .join(", ") || "-",
      }));
      io.out(table(rows, painter(io.colours?.out)));
    });
  examples(command, "duba upstreams status", "duba upstreams status --json");
}

const stateWords: Record<UpstreamStatus["state"], string> = {
  ready: "asked",
  open: "paused after failures",
  half_open: "trying one question after a pause",
};

const failureWords: Record<keyof UpstreamStatus["lastFailures"], string> = {
  no_money: "no money left at the vendor",
  bad_credentials: "credentials refused by the vendor",
  bad_settings: "settings do not fit the vendor",
  refused: "questions refused",
  rate_limited: "rate limit of the vendor",
  out_of_service: "vendor out of service",
  not_done: "vendor did no work",
  not_reached: "no connection",
  busy: "too many questions at once",
  paused: "paused",
  bad_response: "answers that cannot be trusted",
  unavailable: "vendor unavailable",
  unknown: "no answer in time",
  fault: "fault in the adapter",
};

/** A command line is seen by other users of the machine, so numbers are never arguments. */
async function readQuestion({ stdin, err }: Io, kind: CheckKind): Promise<AskedPerson> {
  const readPerson = inputReader(Type.Object({ [kind]: checks[kind].field, phone: phoneField }));
  const lines = linesOf(stdin);
  const next = async (name: string) => {
    if (stdin.isTTY) err(`${name}: `);
    return (await lines.next()).value ?? "";
  };
  const given: Record<string, string> = { [kind]: await next(labelOf(kind)), phone: await next("phone") };
  await lines.return(undefined);
  const { faults } = readPerson(given);
  if (faults.length > 0) throw new UsageFault(faults.map(({ message }) => message).join(" "));
  return { kind, number: digitsOf(given[kind]!), phone: phoneOf(given.phone!) };
}

/** An outcome in a sentence, with nothing of the person. */
function meaningOf(outcome: IdentityOutcome): string {
  switch (outcome.kind) {
    case "verified":
      return "verified. It works.";
    case "not_found":
      return "it knows no such number. It works.";
    case "phone_mismatch":
      return "the phone is not the person's. It works.";
    case "unavailable":
      return `no work was done (${outcome.reason ?? "no reason given"}).`;
    case "bad_response":
      return "an answer that cannot be trusted.";
    case "unknown":
      return "nobody can tell what became of the question.";
  }
}

function facts({ instance, name, state, alarm, lastAnswerAt, lastFailures, notedAt }: UpstreamStatus) {
  const iso = (milliseconds: number | null) => milliseconds && new Date(milliseconds).toISOString();
  return {
    upstream: name,
    instance,
    state,
    alarm,
    last_answer_at: iso(lastAnswerAt),
    last_failures: Object.fromEntries(Object.entries(lastFailures).map(([kind, at]) => [kind, iso(at)])),
    noted_at: iso(notedAt),
  };
}

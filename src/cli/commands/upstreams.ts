import { Argument, type Command, Option } from "commander";
import Type from "typebox";
import { readConfig } from "../../config/read-config.ts";
import { settings } from "../../config/settings.ts";
import { checks } from "../../identity/checks/index.ts";
import { type UpstreamStatus, upstreamStatus } from "../../identity/upstream-status.ts";
import { anyLabel, type CheckKind, checkKinds, labelOf } from "../../operation/check-kind.ts";
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

/** `duba upstreams`: the identity vendors of live keys. */
export function addUpstreams(program: Command, io: Io, setExitCode: (exitCode: number) => void): void {
  const upstreams = subcommand(
    program,
    "upstreams",
    "Show and test the identity vendors of live keys: list, test, status.",
  );
  addList(upstreams, io);
  addTest(upstreams, io, setExitCode);
  addStatus(upstreams, io, setExitCode);
  examples(upstreams, "duba upstreams list", "duba upstreams test dojah", "duba upstreams status");
}

function addList(upstreams: Command, io: Io): void {
  const command = subcommand(
    upstreams,
    "list",
    "List all identity vendors, their order, and the settings that are missing.",
  )
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
      io.err(`${settings.upstreams.name} selects the vendors of live keys, and their order.\n`);
    });
  examples(command, "duba upstreams list");
}

function addTest(upstreams: Command, io: Io, setExitCode: (exitCode: number) => void): void {
  const about =
    "Call an identity vendor once, with the test number that the vendor published, and print the outcome. " +
    "Duba neither prints nor stores the record. The vendor may charge you.";
  const command = subcommand(upstreams, "test", about)
    .addArgument(new Argument("<name>", "The identity vendor.").choices(vendors.map(({ name }) => name)))
    .option(
      "--ask",
      `Use another person: Duba reads the ${anyLabel} and the phone number from standard input, one on each line.`,
    )
    .addOption(new Option("--kind <kind>", "which number --ask reads").choices(checkKinds).default("bvn"))
    .action(async (name: string, { ask, kind }: { ask?: true; kind: CheckKind }) => {
      const vendor = vendors.find((vendor) => vendor.name === name)!;
      const config = readConfig(io.environment);
      const missing = missingOf(vendor, config.vendors[name]!);
      if (missing.length > 0) throw new UsageFault(`${name} is not set up. Set ${missing.join(", ")}.`);
      const question = ask ? await readQuestion(io, kind) : vendor.testQuestion;
      if (!question)
        throw new UsageFault(`${name} has no published test number. Use --ask with a number that you may verify.`);
      const { openLive } = await import("../../upstreams/open-upstreams.ts");
      const log = logEachOnce(io);
      const live = openLive([name], config.vendors, { ...config.upstream, timeouts: config.vendorTimeouts, log });
      const begun = performance.now();
      try {
        if (!live.upstreams[0]!.kinds.includes(question.kind))
          throw new UsageFault(`${name} does not verify a ${labelOf(question.kind)}.`);
        const reference = `dubatest${Date.now()}`;
        const signal = AbortSignal.timeout(config.vendorTimeouts[name]!);
        const outcome = await live.upstreams[0]!.verify({ ...question, reference, signal });
        const took = Math.round(performance.now() - begun);
        io.out(`${name}, after ${took} ms: ${meaningOf(outcome)}\n`);
        setExitCode(["verified", "not_found", "phone_mismatch"].includes(outcome.kind) ? 0 : 1);
      } finally {
        await live.close();
      }
    });
  examples(command, "duba upstreams test dojah");
}

/** Prints each log line of the adapter once. Adapters log codes and shapes, never personal data. */
function logEachOnce({ err }: Io): Log {
  const told = new Set<string>();
  const print = (fields: object, message: string) => {
    if (told.has(message)) return;
    told.add(message);
    err(`${message} ${JSON.stringify(fields)}\n`);
  };
  return { ...silent, warn: print, error: print };
}

function addStatus(upstreams: Command, io: Io, setExitCode: (exitCode: number) => void): void {
  const about =
    "Show the identity vendors of each serving process: state, alarm, last response and last failures. " +
    "The exit code is 1 if a vendor is not ready or has an alarm.";
  const command = subcommand(upstreams, "status", about)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print it as JSON")
    .action(async ({ data, json }: { data?: string; json?: true }) => {
      const found = await withStore(io, data, ({ db }) => upstreamStatus(db));
      setExitCode(found.every(({ state, alarm }) => state === "ready" && alarm === null) ? 0 : 1);
      if (json) return io.out(`${JSON.stringify(found.map(facts), null, 2)}\n`);
      if (found.length === 0) return io.out("No running service has a live identity vendor.\n");
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
  ready: "ready",
  open: "paused after failures",
  half_open: "trying one call after a pause",
};

const failureWords: Record<keyof UpstreamStatus["lastFailures"], string> = {
  no_money: "balance at the vendor is empty",
  bad_credentials: "vendor refused the credentials",
  bad_settings: "vendor refused the settings",
  refused: "vendor refused the call",
  rate_limited: "rate limit of the vendor",
  out_of_service: "vendor out of service",
  not_done: "vendor did not process the call",
  not_reached: "no connection",
  busy: "too many calls at the same time",
  paused: "paused",
  bad_response: "invalid response",
  unavailable: "vendor unavailable",
  unknown: "no response in time",
  fault: "fault in the adapter",
};

/** Other users of the machine can see a command line, so numbers are never arguments. */
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

/** An outcome as a sentence, without personal data. */
function meaningOf(outcome: IdentityOutcome): string {
  switch (outcome.kind) {
    case "verified":
      return "verified. It works.";
    case "not_found":
      return "the vendor does not know the number. It works.";
    case "phone_mismatch":
      return "the phone number is not in the record. It works.";
    case "unavailable":
      return `the vendor did not process the call (${outcome.reason ?? "no reason"}).`;
    case "bad_response":
      return "the response was invalid.";
    case "unknown":
      return "the outcome is unknown.";
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

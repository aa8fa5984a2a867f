import { Argument, type Command, Option } from "commander";
import type { WordGiven } from "../../commands/feature.ts";
import { secretOf } from "../../config/read-config.ts";
import { settings } from "../../config/settings.ts";
import { type CheckKind, labelOf } from "../../declare/check-kind.ts";
import { InputError } from "../../declare/command/read-texts.ts";
import { type Operation, pathMembers, withoutPrefix } from "../../declare/operation.ts";
import { version } from "../../runtime/version.ts";
import { examples, section, subcommand } from "../../terminal/help.ts";
import { type Io, zoneIn } from "../../terminal/io.ts";
import { settingOption } from "../../terminal/options.ts";
import { painter } from "../../terminal/table.ts";
import { beginning, beginningForm, followFeed } from "./follow-feed.ts";
import { forwarding } from "./forward-events.ts";
import { privateMembers, readMembers } from "./members.ts";
import { parseJsonObject, renderFailure, renderResponse, rowsRenderer } from "./render.ts";
import { type CallRequest, type CallResponse, NoAnswerError, sendCall } from "./send-call.ts";

interface CallOptions {
  url?: string;
  key?: string;
  json?: true;
  follow?: true;
  since?: string;
  forwardTo?: string;
  secret?: string;
}

/** Adds a sub-command for each operation to `duba call`. */
export async function addOperations(call: Command, { io, operations, words, setExitCode }: WordGiven): Promise<void> {
  call.usage("<operation> [name=value …] [options]");
  for (const operation of await operations()) addOperation(call, { io, words, setExitCode }, operation);
  examples(call, "duba call lookupDataBundles provider=MTNDATA", "duba call lookupDataBundles --help");
}

function addOperation(
  call: Command,
  { io, words, setExitCode }: Omit<WordGiven, "operations">,
  operation: Operation<never>,
): void {
  const headers = headerOptions(operation);
  const command = subcommand(call, operation.id, operation.description)
    .summary(operation.summary)
    .helpGroup(`${operation.group}:`)
    .usage(Object.keys(operation.input.properties).length > 0 ? "[name=value …] [options]" : "[options]")
    .argument("[members...]")
    .configureHelp({ ...call.configureHelp(), visibleArguments: () => memberArguments(operation) });
  for (const option of headers) command.addOption(option);
  command.addOption(settingOption("--url <url>", settings.callUrl));
  if (operation.access !== "own") {
    const { about, name } = settings.callKey;
    command.option("--key <api key>", `${about} Other users of the machine can see the option, so prefer ${name}.`);
  }
  const isFeed = "after" in operation.input.properties;
  if (isFeed) command.option("--follow", "print what comes as it comes, until Ctrl-C; with --json one entry a line");
  // Only an event can be sent on as a webhook.
  if (isFeed && operation.group === "Events")
    for (const [flags, about] of followingOptions)
      command.addOption(new Option(flags, about).implies({ follow: true }));
  command
    .option("--json", "print the response body unchanged")
    .action(async (given: string[], options: CallOptions) => {
      try {
        const { url, prefix } = withoutPrefix(urlOf(io, options));
        const members = await membersOf(operation, given, io);
        const begin = beginning(operation, members, options.since, zoneIn(io.environment));
        const request = {
          operation,
          members: begin.members,
          headers: headersOf(command, headers),
          url,
          prefix,
          key: operation.access === "own" ? "" : keyOf(io, options),
          userAgent: `duba/${version}`,
        };
        const short = words.find(({ calls }) => calls?.([])[0] === operation.id)?.name;
        const response = options.follow
          ? await follow({ request, io, options, short }, begin.from)
          : await sendCall(request);
        if (response) setExitCode(show(response, url, redactingMembers(members, io), options.json === true));
        if (response?.status === 401 && request.key === "" && operation.access !== "own")
          io.err(`Give the key in ${settings.callKey.name} or with --key.\n`);
      } catch (problem) {
        if (problem instanceof InputError) command.error(problem.message, { exitCode: problem.exitCode });
        throw problem;
      }
    });
  addWarning(command, operation);
  examples(command, exampleOf(operation));
}

/** Options that need `--follow`, and therefore switch it on. */
const followingOptions = [
  ["--since <time or next>", `follow from there: ${beginningForm}`],
  ["--forward-to <url>", "follow, and send each event there once, signed as its webhook is"],
  ["--secret <whsec_…>", "secret that signs them; unless you give one, Duba makes one and prints it"],
] as const;

function memberArguments({ input }: Operation<never>): Argument[] {
  const required = new Set<string>((input as { required?: readonly string[] }).required ?? []);
  return Object.entries(input.properties).map(([name, property]) => {
    const { description = "" } = property as { description?: string };
    return new Argument(`${name}=<text>`, required.has(name) ? `${description} Required.` : description);
  });
}

function headerOptions({ headers }: Operation<never>): Option[] {
  return Object.entries(headers?.properties ?? {}).map(([name, property]) => {
    const { description = "" } = property as { description?: string };
    return new Option(`--${name} <text>`, description);
  });
}

function addWarning(command: Command, { input }: Operation<never>): void {
  const names = Object.keys(input.properties);
  const exposed = names
    .filter((name) => privateMembers.has(name))
    .map((name) => (name === "password" ? name : labelOf(name as CheckKind)));
  const items: [string, string][] = [];
  if (names.length > 0)
    items.push(["name=-", "Duba reads the value from standard input, one line for each such member."]);
  if (exposed.length > 0) {
    items.push([
      "Beware",
      `A ${exposed.join(" or ")} on a command line is visible to other users of the machine and stays in the shell's history. Write ${names.find((name) => privateMembers.has(name))}=- instead.`,
    ]);
  }
  if (items.length > 0) section(command, "Values:", items);
}

function exampleOf({ id, examples: [first] }: Operation<never>): string {
  const members = Object.entries(first?.input ?? {}).map(([name, value]) => {
    const text = privateMembers.has(name) ? "-" : value;
    return `${name}=${/^[\w.@+:/-]*$/.test(text) ? text : `'${text}'`}`;
  });
  return ["duba call", id, ...members].join(" ");
}

function urlOf({ environment }: Io, { url }: CallOptions): string {
  const read = settings.callUrl.read(url ?? (environment.DUBA_URL || settings.callUrl.default));
  if (read === undefined) throw new InputError(`DUBA_URL must be ${settings.callUrl.form}.`);
  return read;
}

function keyOf({ environment }: Io, options: CallOptions): string {
  const problems: string[] = [];
  const key = (options.key ?? secretOf(settings.callKey.name, environment, problems) ?? "").trim();
  if (problems[0]) throw new InputError(problems[0]);
  if (!/^[!-~]*$/.test(key)) throw new InputError("The API key must be visible ASCII text without spaces.");
  return key;
}

function headersOf(command: Command, options: readonly Option[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const option of options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (typeof value !== "string") continue;
    if (!/^[ -~]*$/.test(value)) throw new InputError(`--${option.name()} must be visible ASCII text.`);
    headers[option.name()] = value;
  }
  return headers;
}

async function membersOf(operation: Operation<never>, given: string[], io: Io): Promise<Map<string, string>> {
  const members = await readMembers(operation, given, io);
  const lacking = pathMembers(operation).find((name) => !members.get(name));
  if (lacking !== undefined)
    throw new InputError(`${operation.id} needs ${lacking}=…, because it is part of the path.`);
  return members;
}

/** Redacts private members in failures, because any server may answer at the address. */
function redactingMembers(members: ReadonlyMap<string, string>, io: Io): Io {
  const secrets = [...members].flatMap(([name, value]) =>
    privateMembers.has(name) && value.length > 4 ? [value, value.replaceAll(" ", "")] : [],
  );
  return { ...io, err: (text) => io.err(secrets.reduce((left, secret) => left.replaceAll(secret, "…"), text)) };
}

/**
 * Prints a feed until it is stopped or a response ends it, and then how to continue. `short`: a shorter name of the
 * feed.
 */
async function follow(
  { request, io, options, short }: { request: CallRequest; io: Io; options: CallOptions; short: string | undefined },
  from = 0,
): Promise<CallResponse | undefined> {
  const { json, forwardTo, secret } = options;
  if (secret !== undefined && forwardTo === undefined)
    throw new InputError("--secret signs what --forward-to sends: give both.");
  const forwards = forwardTo === undefined ? undefined : forwarding({ to: forwardTo, secret });
  if (forwards) io.err(`Events go to ${forwards.address}, signed with ${forwards.secret}\n`);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  // A reader that goes away closes the pipe.
  process.once("SIGINT", stop).once("SIGTERM", stop).stdout.once("close", stop);
  const { eventTypeNames } = await import("../../declare/event.ts");
  // Events arrive one by one, so the longest possible values decide the widths of columns.
  const widths = new Map(Object.entries({ type: longestOf(eventTypeNames), outcome: "ECONNREFUSED".length }));
  const render = rowsRenderer(painter(io.colours?.out), widths);
  const { next, last } = await followFeed({
    call: (after) =>
      sendCall({
        ...request,
        members: after === undefined ? request.members : new Map([...request.members, ["after", after]]),
      }),
    print: async (came) => {
      const entries = from === 0 ? came : came.filter(({ timestamp }) => Date.parse(String(timestamp)) >= from);
      if (entries.length === 0) return;
      const print = (rows: readonly Record<string, unknown>[]) => {
        const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
        io.out(json ? lines : render(rows));
      };
      if (!forwards) return print(entries);
      for (const event of entries) print([await forwards.forward(event)]);
    },
    note: (sentence) => io.err(`${sentence}\n`),
    stop: stopping.signal,
  });
  process.off("SIGINT", stop).off("SIGTERM", stop).stdout.off("close", stop);
  const forwarded = forwards ? ` --forward-to ${forwards.address} --secret ${forwards.secret}` : "";
  const { id } = request.operation;
  const again = short === undefined ? `call ${id} after=${next} --follow` : `${short} --since ${next}`;
  // A person copies this line, so it is only printed if it cannot contain a command that a server made up.
  if (next !== undefined && /^[\w.-]+$/.test(next)) io.err(`To go on from here: duba ${again}${forwarded}\n`);
  if (last?.status === 200)
    throw new NoAnswerError(
      "The response (HTTP 200) is not a page of entries. Check that Duba listens at this address.",
    );
  return last;
}

function longestOf(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}

/** Prints a response or a failure, and returns the exit code. */
function show({ status, text }: CallResponse, url: string, io: Io, json: boolean): number {
  const body = parseJsonObject(text);
  const good = status >= 200 && status < 300 && body !== undefined && body.success !== false;
  if (json && body !== undefined) io.out(text.endsWith("\n") ? text : `${text}\n`);
  else if (good) io.out(renderResponse(body, painter(io.colours?.out)));
  else if (body !== undefined) io.err(renderFailure(status, body, url, painter(io.colours?.err)));
  else io.err(`The response (HTTP ${status}) is not a JSON object. Check that Duba listens at this address.\n`);
  return good ? 0 : 1;
}

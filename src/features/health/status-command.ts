import { StatusFacts } from "../../commands/alarm.ts";
import type { CommandContext } from "../../commands/context.ts";
import { labelOf } from "../../declare/check-kind.ts";
import { bytesText, type Viewing } from "../../declare/command/answer-schema.ts";
import { command } from "../../declare/command.ts";
import { vendorTitle } from "../../vendors/registry.ts";
import { vendorStateWords } from "../../verification/commands/vendor-states.ts";

export const statusCommand = command({
  id: "status",
  title: "Status",
  summary: "Show how the service is, on one screen.",
  description: "It says what needs a hand, and what to do.",
  onTerminal: "The exit code is 1 if something does.",
  role: "viewer",
  kind: "read",
  shownAs: "state",
  answer: StatusFacts,
  view: (status, viewing) => [
    { record: factsOf(status, viewing) },
    "",
    ...(status.needs.length === 0 ? ["Nothing needs a hand."] : needsOf(status, viewing)),
  ],
  onPage: (status, viewing) => [
    { title: "Needs a hand:", list: "alarms", areAlarms: true, none: "Nothing needs a hand." },
    { record: factsOf(status, viewing, { vendor: vendorTitle, actor: atTerminal }) },
  ],
  isWell: ({ needs }) => needs.length === 0,
  run: async (_, room: Pick<CommandContext, "db" | "now" | "config" | "health" | "accounts" | "commands">) =>
    (await import("./read-status.ts")).readStatus(room),
});

/** An actor such as `terminal:ada` as people say it. */
const atTerminal = (actor: string) => actor.replace(/^terminal:(.+)$/, "$1 at the terminal");

/** Lists the problems, each with its start below. Those of rank 1 have their runbook section as well. */
function needsOf({ needs, alarms }: StatusFacts, { at }: Viewing): string[] {
  return needs.flatMap((need) => {
    const { rank, since, runbook } = alarms.find(({ state, what }) => state === "open" && what === need) ?? {};
    const facts = [...(since ? [`since ${at(since)}`] : []), ...(rank === 1 && runbook ? [`runbook: ${runbook}`] : [])];
    return facts.length === 0 ? [need] : [need, `  ${facts.join("; ")}`];
  });
}

const asItIs = (name: string) => name;

/** The facts of the status, without the problems. */
function factsOf({ sources, ...facts }: StatusFacts, { at }: Viewing, called = { vendor: asItIs, actor: asItIs }) {
  return {
    version: facts.version,
    node: facts.node,
    store: `${facts.store}${facts.takes_writes ? "" : " (takes no writes)"}`,
    ...(facts.rehearsal && {
      "live verifications": "a rehearsal, of people that stand-ins of vendors invented",
    }),
    ...(facts.room_left !== null && { "room left": bytesText(facts.room_left) }),
    "serving instances": facts.instances,
    catalogue: facts.revision === null ? "no revision" : `revision ${facts.revision} of ${at(facts.published_at)}`,
    ...Object.fromEntries(
      sources.flatMap(({ name, as_of, stale, held, remarks }) => [
        [
          `source ${called.vendor(name)}`,
          [
            `as of ${as_of === null ? "never" : at(as_of)}${stale ? " (stale)" : ""}`,
            ...(held === null ? [] : [`${held} waits`]),
            ...(remarks === 0 ? [] : [`${remarks} remarks`]),
          ].join(", "),
        ],
      ]),
    ),
    "held changes": listText(facts.held),
    "scheduled changes": facts.scheduled,
    vendors: listText(
      facts.vendors.map(({ name, ready, state, since, paused_by, paused_until, paused, paused_checks }) => {
        if (paused_by === null && ready) return called.vendor(name);
        if (paused_by === null)
          return `${called.vendor(name)} (${vendorStateWords[state]}${since === null ? "" : ` since ${at(since)}`})`;
        const checks = paused ? "" : ` for ${paused_checks.map(labelOf).join(" and ")}`;
        return `${called.vendor(name)} (paused${checks} by ${called.actor(paused_by)}${paused_until === null ? "" : ` until ${at(paused_until)}`})`;
      }),
    ),
    "unknown verifications":
      facts.oldest_unknown_at === null
        ? facts.unknown_verifications
        : `${facts.unknown_verifications}, the oldest of ${at(facts.oldest_unknown_at)}`,
    "unsealed audit entries": facts.unsealed_entries,
    "dead deliveries of events": facts.dead_deliveries,
    "last backup": facts.last_backup_at === null ? "never" : at(facts.last_backup_at),
    "keys that end within 14 days": facts.expiring_keys.length,
    ...(facts.acknowledged.length > 0 && { "acknowledged alarms": listText(facts.acknowledged) }),
  };
}

function listText(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}

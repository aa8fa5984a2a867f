import { type Command, InvalidArgumentError, Option } from "commander";
import type { KeptHead } from "../../../audit/chain/chain.ts";
import { kinds } from "../../../audit/event-types.ts";
import type { Entry } from "../../../audit/tail.ts";
import type { ChainFault, ChainVerification } from "../../../audit/verify-chain.ts";
import { settings } from "../../../config/settings.ts";
import { dayOf } from "../../../operation/command/forms.ts";
import { duration } from "../../../operation/setting.ts";

import { examples, section, subcommand } from "../../terminal/help.ts";
import type { Io } from "../../terminal/io.ts";
import { settingOption } from "../../terminal/options.ts";
import { parseJsonObject } from "../../terminal/render.ts";
import { painter, shown, table } from "../../terminal/table.ts";
import { withStore } from "../../with-store.ts";
import { addReconcile } from "./reconcile.ts";

interface AuditParts {
  /** Reads the key of the seals and the path of the anchor, from the key ring of this data directory. */
  trail(data: string | undefined): Promise<{ sealKey: Buffer; anchor: string }>;
  setExitCode(exitCode: number): void;
}

interface TailOptions {
  lines: number;
  since?: number;
  until?: number;
  kind?: string;
  data?: string;
  json?: true;
}

/** `duba audit`. The exit code is 1 when the trail has a fault. */
export function addAudit(program: Command, io: Io, { trail, setExitCode }: AuditParts): void {
  const audit = subcommand(program, "audit", "Read and check the audit trail: verify, reconcile, tail, export.");
  addVerify(audit, io, trail, setExitCode);
  addReconcile(audit, io, setExitCode);
  addTail(audit, io);
  addExport(audit, io);
  examples(
    audit,
    "duba audit verify",
    "duba audit reconcile",
    "duba audit tail --since 24h",
    "duba audit export > trail.jsonl",
  );
}

function addVerify(audit: Command, io: Io, trail: AuditParts["trail"], setExitCode: AuditParts["setExitCode"]): void {
  const about =
    "Check the whole audit trail. List each entry and seal that somebody changed, added, moved or removed after Duba sealed " +
    "it. The exit code is 1 if there is one.";
  const command = subcommand(audit, "verify", about)
    .addOption(headOption("--head <batch:hash>"))
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the result as JSON")
    .action(async ({ head, data, json }: { head?: KeptHead; data?: string; json?: true }) => {
      const { sealKey, anchor: path } = await trail(data);
      const [{ verify }, { readAnchor }, { signer }] = await Promise.all([
        import("../../../audit/verify-chain.ts"),
        import("../../../audit/anchor/anchor.ts"),
        import("../../../audit/chain/seal.ts"),
      ]);
      const anchor = await readAnchor(path, signer(sealKey));
      const progress = progressOn(io);
      const faults: ChainFault[] = [];
      const found = (fault: ChainFault) => {
        progress.clear();
        if (json) faults.push(fault);
        else io.out(`${shown(faultLine(fault))}\n`);
      };
      const result = await withStore(io, data, ({ db }) =>
        verify(db, sealKey, {
          found,
          progress: (done, all) => progress.update(`${done} of ${all} batches`),
          ...(head && { kept: head }),
          ...(anchor && { anchor }),
        }),
      );
      progress.clear();
      if (json) {
        const named = anchor ? `${anchor.batch}:${anchor.hash}` : null;
        io.out(`${JSON.stringify({ ...facts(result), anchor: named, faults }, null, 2)}\n`);
      } else {
        print(io, result);
        io.err(
          anchor ? `Anchor: batch ${anchor.batch}, of ${anchor.at}\n` : `The anchor file ${path} does not exist.\n`,
        );
      }
      setExitCode(result.faults === 0 ? 0 : 1);
    });
  section(command, "What it checks:", [
    [
      "Entries and seals",
      "Duba seals each batch of entries within about a second, with a key of the key ring. Each seal contains the hash of the previous seal.",
    ],
    [
      "The anchor",
      "The service writes the newest head to a file beside the key ring, once a minute and when it stops. If the trail does not contain this head, somebody restored an older state. If you did that on purpose, remove the file.",
    ],
    [
      "The end",
      "A person who can also write that file can hide the change. Copy the head that this command prints to another machine, and use it with --head later.",
    ],
    ["Backdated", "It is a fault if an entry is dated minutes before Duba sealed the previous batch."],
    [
      "Not sealed",
      "The command counts entries that wait for a seal. It is a fault if an entry waits longer than 10 minutes.",
    ],
  ]);
  examples(command, "duba audit verify", "duba audit verify --head 57:aTESZZ3fQ1p-hm6AT0SRLsJ3HgUTpcd3nyzFwFNOCRU");
}

function addTail(audit: Command, io: Io): void {
  const command = subcommand(audit, "tail", "Show the newest entries, oldest first. The command does not verify them.")
    .addOption(
      new Option("--lines <number>", "Maximum number of entries.").default(20).argParser((text: string) => {
        if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("It must be a number from 1 to 999999.");
        return Number(text);
      }),
    )
    .addOption(momentOption("--since <when>", "Only entries from this time"))
    .addOption(momentOption("--until <when>", "Only entries before this time"))
    .addOption(new Option("--kind <kind>", "Only entries of this kind.").choices(Object.keys(kinds)))
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the entries as JSON")
    .action(async ({ lines, since, until, kind, data, json }: TailOptions) => {
      const request = {
        most: lines,
        ...(since !== undefined && { since }),
        ...(until !== undefined && { until }),
        ...(kind && { kind }),
      };
      const { tail } = await import("../../../audit/tail.ts");
      const { storedHead } = await import("../../../audit/chain/head.ts");
      const { entries, head } = await withStore(io, data, async ({ db }) => ({
        entries: await tail(db, request),
        head: headText((await storedHead(db)) ?? null),
      }));
      if (json) return io.out(`${JSON.stringify({ entries: entries.map(asJson), head }, null, 2)}\n`);
      const rows = entries.map(({ occurredAt, kind, actor, facts }) => ({
        time: timeOf(occurredAt),
        kind,
        actor,
        facts: factsText(kind, facts),
      }));
      io.out(table(rows, painter(io.colours?.out)));
      if (head) io.err(`Head: ${head}\n`);
    });
  examples(command, "duba audit tail", "duba audit tail --kind key.revoked --since 2026-11-01 --until 2026-12-01");
}

function addExport(audit: Command, io: Io): void {
  const about =
    "Write the sealed audit trail as JSON lines: for each batch its entries and its seal, and at the end the head. If you " +
    "keep the head in another place, you can verify the copy without the database and without a key.";
  const command = subcommand(audit, "export", about)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async ({ data }: { data?: string }) => {
      const { exportTrail } = await import("../../../audit/export.ts");
      const progress = progressOn(io);
      await withStore(io, data, async ({ db }) => {
        for await (const line of exportTrail(db)) {
          io.out(`${JSON.stringify(line)}\n`);
          if ("seal" in line) progress.update(`${line.seal.batch} batches`);
        }
      });
      progress.clear();
    });
  section(command, "How to verify a copy (all hashes are SHA-256 in base64url):", [
    [
      "Entry",
      'Hash of the JSON array of its "id", "occurred_at", "kind", "actor" and "facts", all text, without spaces.',
    ],
    ["Batch", 'The lines "<id> <hash>" of its entries, joined by \\n, hash to the "content" of its seal.'],
    ["Seal", 'Hash of the JSON array of its "batch", "previous", "sealed_at", "size" and "content", all text.'],
    ["Chain", "Each seal's hash is \"previous\" in the next, and the last one's is the hash of the head."],
  ]);
  examples(command, "duba audit export > trail.jsonl");
}

function headOption(flags: string): Option {
  const about = "A head that you copied earlier. The trail must still contain it.";
  return new Option(flags, about).argParser((text: string): KeptHead => {
    const [, batch, hash] = /^([1-9]\d{0,14}):([\w-]{43})$/.exec(text) ?? [];
    if (batch === undefined || hash === undefined)
      throw new InvalidArgumentError("It must be a head that `duba audit tail` or `duba audit verify` printed.");
    return { batch: Number(batch), hash };
  });
}

function momentOption(flags: string, about: string): Option {
  const forms = "a day such as 2026-11-01 (at 00:00 UTC), or a time ago such as 30min or 24h";
  return new Option(flags, `${about}: ${forms}.`).argParser((text: string) => {
    const ago = duration.read(text);
    const moment = ago === undefined ? dayOf(text) : Date.now() - ago;
    if (moment === undefined) throw new InvalidArgumentError(`It must be ${forms}.`);
    return moment;
  });
}

function faultLine({ batch, entry, what }: ChainFault): string {
  if (entry !== null) return `Entry ${entry}${batch === null ? "" : ` of batch ${batch}`} ${what}.`;
  return `${batch === null ? "The head" : `Batch ${batch}`} ${what}.`;
}

function print(io: Io, { batches, removedBatches, entries, unsealed, faults, head }: ChainVerification): void {
  const waiting = `${unsealed} ${unsealed === 1 ? "waits" : "wait"} to be sealed`;
  const read = `${counted(entries, "entry", "entries")} in ${counted(batches, "batch", "batches")} were read, and ${waiting}.`;
  const removed = `Retention has removed the entries of ${counted(removedBatches, "batch", "batches")}.`;
  const words = removedBatches === 0 ? read : `${read} ${removed}`;
  if (faults === 0) io.out(`The audit trail is whole. ${words}\n`);
  else {
    const verdict = `The audit trail has ${counted(faults, "fault", "faults")}.`;
    io.err(`${painter(io.colours?.err)("red", verdict)} ${words}\n`);
  }
  const end = headText(head);
  if (end) io.err(`Head: ${end}\n`);
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function facts({ batches, removedBatches, entries, unsealed, faults, head }: ChainVerification) {
  return {
    whole: faults === 0,
    batches,
    removed_batches: removedBatches,
    entries,
    unsealed,
    head: headText(head),
  };
}

/** Null before the first seal. */
function headText(head: KeptHead | null): string | null {
  return head === null || head.batch === 0 ? null : `${head.batch}:${head.hash}`;
}

function asJson({ id, occurredAt, kind, actor, facts, batch }: Entry) {
  return { id, occurred_at: timeOf(occurredAt), kind, actor, facts: factsOf(kind, facts) ?? facts, batch };
}

/** The facts of an entry, with readable times; undefined if the stored text is not JSON. */
function factsOf(kind: string, facts: string): Record<string, unknown> | undefined {
  const forms = kinds[kind] ?? {};
  const members = parseJsonObject(facts);
  if (members === undefined) return undefined;
  const readable = ([name, value]: [string, unknown]) =>
    [name, forms[name] === "time" && typeof value === "number" ? timeOf(value) : value] as const;
  return Object.fromEntries(Object.entries(members).map(readable));
}

function factsText(kind: string, facts: string): string {
  const members = factsOf(kind, facts);
  if (members === undefined) return facts;
  return Object.entries(members)
    .map(([name, value]) => `${name}=${shown(value)}`)
    .join(" ");
}

/** With milliseconds, unlike elsewhere. A changed entry may have an invalid time. */
function timeOf(milliseconds: number): string {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? `${milliseconds}` : time.toISOString();
}

/** Shows progress on one line of a terminal, and clears it at the end. */
function progressOn(io: Io) {
  const clearLine = "\r\x1b[K";
  let last = 0;
  return {
    update(text: string): void {
      if (!io.colours?.err || Date.now() - last < 100) return;
      last = Date.now();
      io.err(`${clearLine}${text}`);
    },
    clear(): void {
      if (last > 0) io.err(clearLine);
      last = 0;
    },
  };
}

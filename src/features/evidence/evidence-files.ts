import { createHash } from "node:crypto";
import { stringify } from "csv-stringify/sync";
import { listKeys } from "../../access/keys/keys.ts";
import { listPeople } from "../../access/people.ts";
import { ranks } from "../../commands/alarm.ts";
import type { CommandContext } from "../../commands/context.ts";
import { checkKinds, labelOf } from "../../declare/check-kind.ts";
import { type AnswerFile, isoOf } from "../../declare/command/answer-schema.ts";
import { withoutFormula } from "../../declare/formula.ts";
import { currentOf } from "../../keyring/keyring.ts";
import { attemptSums } from "../../ledger/reports/attempt-sums.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { protectionInForce } from "../../storage/protection.ts";
import { everyRule } from "../../storage/tables/every-table.ts";
import { vendors } from "../../vendors/registry.ts";
import type { StatedBasis } from "./basis.ts";
import { countPeople } from "./count-people.ts";
import { evidenceReadme } from "./evidence-readme.ts";
import { type Period, readTrail, rolesOf, type TrailEntry } from "./read-trail.ts";

const day = 86_400_000;
const notStated = "not stated";

/** The processing activities, by the names under which an operator states the legal basis. */
const activities: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    checkKinds.map((kind) => [
      kind,
      `Verifying a person by ${labelOf(kind)}: ${labelOf(kind)} and its last four digits, phone number, names and birth ` +
        "date to compare, record, reference of the consent, the vendor's reference of the look-up",
    ]),
  ),
  accounts: "Accounts and API keys of businesses: name, e-mail, postal address, tax number",
  people: "People of the console: name, e-mail, passkeys, sessions",
  trail: "Audit trail and request log: ids, times and results of what businesses and people of the console did",
};

/** The possible subjects of an operator's statement. */
export const mayBeAbout = [...Object.keys(activities), ...vendors.map(({ name }) => name)];

type Rows = readonly Readonly<Record<string, string | number | null>>[];

/** The files of the folder, from the store, the settings of this command and the operator's statements. */
export async function evidenceFiles(
  room: CommandContext,
  period: Period,
  statements: ReadonlyMap<string, StatedBasis>,
): Promise<AnswerFile[]> {
  const { db, config } = room;
  const halves = halfYears(period, config.timeZone);
  const swept = await readTrail(db, "swept", period.to);
  const tables: Record<string, Rows> = {
    "processing.csv": Object.entries(activities).map(([about, what]) => ({
      about,
      what,
      purpose: statements.get(about)?.purpose || notStated,
      basis: statements.get(about)?.basis || notStated,
    })),
    "recipients.csv": await recipients(room, period, statements),
    "retention.csv": await retention(room),
    "swept.csv": halves.flatMap((half) => sweptIn(swept, half)),
    "people.csv": (
      await Promise.all(
        halves.map(async (half) =>
          (
            await countPeople(db, half)
          ).map(({ kind, atLeast, atMost, verifications }) => ({
            ...isoPeriod(half),
            kind,
            people_at_least: atLeast,
            people_at_most: atMost,
            verifications,
          })),
        ),
      )
    ).flat(),
    "requests-of-persons.csv": within(await readTrail(db, "subjects", period.to), period).map(
      ({ at, kind, by, facts }) => ({
        at: isoOf(at),
        what: kind === "subject.erased" ? "erased" : "exported",
        ...factsOf(facts, "receipt", "verifications", "records"),
        by,
      }),
    ),
    "access.csv": await access(room, period),
    "measures.csv": await measures(room, period),
    "incidents.csv": await incidents(room, period),
  };
  const files: AnswerFile[] = [
    { name: "README.md", text: evidenceReadme(period, config.timeZone, await room.isRehearsal()) },
    ...Object.entries(tables).map(([name, rows]) => ({ name, text: csvOf(name, rows) })),
  ];
  const sums = files.map(({ name, text }) => `${createHash("sha256").update(text).digest("hex")}  ${name}\n`);
  return [...files, { name: "SHA256SUMS", text: sums.join("") }];
}

/** The columns of each table, so that an empty table has its heading too. */
export const evidenceColumns: Readonly<Record<string, readonly string[]>> = {
  "processing.csv": ["about", "what", "purpose", "basis"],
  "recipients.csv": ["vendor", "place", "host", "country", "kind", "attempts"],
  "retention.csv": ["rule", "tables", "kept_days"],
  "swept.csv": ["from", "to", "what", "removed"],
  "people.csv": ["from", "to", "kind", "people_at_least", "people_at_most", "verifications"],
  "requests-of-persons.csv": ["at", "what", "receipt", "verifications", "records", "by"],
  "access.csv": ["who", "what", "from", "until", "by"],
  "measures.csv": ["measure", "state"],
  "incidents.csv": ["at", "what", "about", "by"],
};

function csvOf(name: string, rows: Rows): string {
  const plain = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([column, cell]) => [column, typeof cell === "string" ? withoutFormula(cell) : cell]),
    ),
  );
  return stringify(plain, { header: true, columns: [...evidenceColumns[name]!] });
}

/** Returns the calendar half-years that a period touches, cut at the ends of the period. */
function halfYears({ from, to }: Period, zone: TimeZone): Period[] {
  const years = [zone.dayOf(from), zone.dayOf(to)].map((text) => Number(text.slice(0, 4)));
  const starts: number[] = [];
  for (let year = years[0]!; year <= years[1]!; year += 1)
    for (const month of ["01", "07"]) starts.push(zone.startOfMonth(`${year}-${month}`));
  const cuts = [from, ...starts.filter((start) => start > from && start < to), to];
  return cuts.slice(1).map((end, at) => ({ from: cuts[at]!, to: end }));
}

const isoPeriod = ({ from, to }: Period) => ({ from: isoOf(from), to: isoOf(to) });
const within = (entries: readonly TrailEntry[], { from, to }: Period) =>
  entries.filter(({ at }) => at >= from && at < to);

/** Picks facts of an entry. Only numbers, ids and words of the code get into a file. */
function factsOf(facts: TrailEntry["facts"], ...names: string[]): Record<string, string | number | null> {
  return Object.fromEntries(names.map((name) => [name, (facts[name] as string | number | undefined) ?? null]));
}

async function recipients(
  { db, config }: CommandContext,
  period: Period,
  statements: ReadonlyMap<string, StatedBasis>,
) {
  const sums = await attemptSums(db, { ...period, mode: "live" }, { by: "vendor", zone: config.timeZone });
  const rowOf = (vendor: string, kind: string | null, attempts: number) => ({
    vendor,
    place: config.upstreams.indexOf(vendor) + 1 || null,
    host: hostOf(config.vendors[vendor]?.url),
    country: statements.get(vendor)?.country || notStated,
    kind,
    attempts,
  });
  const asked = sums.map(({ group, kind, attempts }) => rowOf(group, kind, attempts));
  const idle = config.upstreams.filter((name) => !sums.some(({ group }) => group === name));
  return [...asked, ...idle.map((name) => rowOf(name, null, 0))];
}

function hostOf(url: unknown): string | null {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).host : null;
}

async function retention({ db, now, keptTimes }: CommandContext): Promise<Rows> {
  const at = now();
  // Only the retention times of the rules are read. The rules do not run, so nothing is removed or audited.
  const rules = everyRule({ ...keptTimes, audit: async () => {}, trimTrail: async () => 0 });
  return Promise.all(
    rules.map(async ({ name, tables, kept }) => ({
      rule: name,
      tables: tables.join(" "),
      kept_days: Math.round(((at - (await kept(at, db))) / day) * 100) / 100,
    })),
  );
}

function sweptIn(entries: readonly TrailEntry[], half: Period): Rows {
  const sums = new Map<string, number>();
  for (const { facts } of within(entries, half))
    for (const [what, count] of Object.entries(facts)) sums.set(what, (sums.get(what) ?? 0) + Number(count));
  return [...sums].map(([what, removed]) => ({ ...isoPeriod(half), what, removed }));
}

async function access({ db }: CommandContext, { from, to }: Period): Promise<Rows> {
  const keys = (await listKeys(db)).map(({ id, account_id, mode, scopes, created_at, expires_at, revoked_at }) => {
    const ends = [expires_at, revoked_at].filter((end) => end !== null);
    const what = `${mode} key of ${account_id}: ${scopes.join(" ")}`;
    return { who: id, what, from: created_at, until: ends.length === 0 ? null : Math.min(...ends), by: "" };
  });
  const roles = rolesOf(await readTrail(db, "people", to));
  // The trail keeps entries for 24 months only, so it may lack the role of a person who registered earlier.
  const longer = (await listPeople(db))
    .filter(({ id, passkeys }) => passkeys > 0 && !roles.some(({ who, until }) => who === id && until === null))
    .map(({ id, role, created_at }) => ({ who: id, what: role, from: created_at, until: null, by: "" }));
  return [...longer, ...roles, ...keys]
    .filter((had) => had.from < to && (had.until === null || had.until > from))
    .map((had) => ({ ...had, from: isoOf(had.from), until: isoOf(had.until) }));
}

async function measures({ db, config, consoleOrigin, now, keyring }: CommandContext, period: Period): Promise<Rows> {
  const { ring } = await keyring();
  const entries = await readTrail(db, "measures", period.to);
  const made = (kind: string) => {
    const of = within(entries, period).filter((entry) => entry.kind === kind);
    return `${of.length} in the period${of.length === 0 ? "" : `, the last at ${isoOf(of.at(-1)!.at)}`}`;
  };
  const { fourEyes, of } = (await protectionInForce(db)) ?? { fourEyes: config.fourEyes, of: "this command" };
  const people = await listPeople(db);
  const newest = currentOf(ring.records, now());
  const accounts = await db.selectFrom("account").select("answers").execute();
  const onOff = (isOn: boolean) => (isOn ? "on" : "off");
  const states: Record<string, string> = {
    "sealed records": `on: a key of its own for each record; the ring has ${ring.records.length} record keys, the current one since ${newest.from === undefined ? "the start" : isoOf(newest.from)}`,
    "rotation of record keys": `${config.keyringRotate === null ? "by hand" : `every ${config.keyringRotate / day} days`}; rotations: ${made("keyring.rotated")}; retired: ${made("keyring.retired")}`,
    "keyed hashes of numbers": `on: the ring has ${ring.hmac.length} hash keys`,
    "four eyes": `${onOff(fourEyes)}, of ${of}`,
    "passkeys and step-up": consoleOrigin
      ? `on: ${people.filter(({ passkeys }) => passkeys > 0).length} of ${people.length} people have a passkey; what gives something away wants it again`
      : "no console",
    consent: config.consent,
    "masked answers": `${accounts.filter(({ answers }) => answers === "masked").length} of ${accounts.length} accounts`,
    limits: onOff(config.limits !== null),
    backups: made("store.backed_up"),
    "backups tried: restored into this store": made("store.restored"),
  };
  return Object.entries(states).map(([measure, state]) => ({ measure, state }));
}

/** Names of alarms hold ids only. */
async function incidents(room: CommandContext, period: Period): Promise<Rows> {
  const open = (await room.openAlarms(room)).map(({ name, rank, since }) => ({
    at: isoOf(since),
    what: `open alarm: ${ranks[rank]}`,
    about: name,
    by: "",
  }));
  const past = within(await readTrail(room.db, "incidents", period.to), period).map(({ at, kind, by, facts }) => ({
    at: isoOf(at),
    what: kind,
    about: String(facts.alarm ?? facts.vendor ?? ""),
    by,
  }));
  return [...past, ...open];
}

import { hash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { run } from "../../src/cli/program.ts";
import { isSqlite } from "../../src/storage/engine.ts";
import { openStore, type Store } from "../../src/storage/store.ts";
import type { Tables } from "../../src/storage/tables.ts";
import { otherPhoneOfNumber, phoneOfNumber } from "../../stand-ins/numbers.ts";
import { Balances } from "./balances.ts";
import { type Callers, type Try, traceOf, type Wanted } from "./callers.ts";
import type { Operators } from "./operators.ts";
import { checkReports } from "./reports.ts";
import type { SimulatedService } from "./service.ts";
import type { VendorCall, Vendors } from "./vendors.ts";
import type { VirtualTime } from "./virtual-time.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long a key answers, as documented. */
const keyLife = day;
/** How long a verification is kept, as documented: 24 months. */
const ledgerKept = 731 * day;
/** How long an event is kept, as documented, unless one before it still waits for an endpoint. */
const eventsKept = 60 * day;
/** How far a clock may be ahead that publishes a price. */
const clockAhead = 31 * minute;
/** How late retention may be: its clock waits after a sleep, and its job runs once a minute of a waking service. */
const sweepsWithin = 3 * hour;
/**
 * The same of rules that run once an hour: they count minutes by the runs of their job, which has one for each jump of
 * the simulation.
 */
const hourlyWithin = 4 * day;
/** How long the jobs that follow the ledger may take. A vendor's late answer may come at any moment. */
const worksWithin = 30 * second;
/** A process notes once a second which of its callers heard of their charge. The store may be away for so long. */
const noteWithin = 80 * second;
/** How long a charge without a key may outlive its process on PostgreSQL, as documented. */
const takenBackWithin = 130 * second;
/** A second source is asked if half of a caller's time is left, as documented. */
const secondSourceWithin = 9 * second;
/** How long a vendor that failed, or a pause by hand, may keep it from being asked as the second source. */
const calmFor = 20 * minute;

export interface TruthParts {
  time: VirtualTime;
  environment: Record<string, string>;
  callers: Callers;
  vendors: Vendors;
  operators: Operators;
  /** Every process that there ever was. */
  services: readonly SimulatedService[];
  /** Runs the clock until something is done. */
  complete: <Result>(work: Promise<Result>) => Promise<Result>;
}

/** A row of the ledger, as far as the truths need it. */
interface Row {
  reference: string;
  email: string;
  state: string;
  reason: string | null;
  charged: number;
  charged_at: number | null;
  fee: number;
  spends: string | null;
  created_at: number;
  started_at: number;
  completed_at: number | null;
  idempotency_hash: string | null;
  sealed_record: string | null;
  /** The request that each attempt was for, the first one first. */
  requests: string[];
  vendors: string[];
}

/**
 * What must be true whenever all is quiet, found by code that shares nothing with the ledger: from the rows, and from
 * what callers and vendors saw.
 */
export class Truths {
  checks = 0;
  readonly #parts: TruthParts;
  #store: Store | undefined;
  readonly #balances = new Balances();
  /** Rows that were checked before and can change no more are not read again each hour. */
  #since = 0;
  /** When the store's clock was last seen doubted. */
  #doubtedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: TruthParts) {
    this.#parts = parts;
  }

  async open(dataDirectory: string, databaseUrl: string | undefined): Promise<void> {
    this.#store = await openStore({ dataDirectory, databaseUrl, serving: false, asItIs: true });
  }

  async close(): Promise<void> {
    await this.#store?.close();
  }

  /** Throws for the first truth that does not hold. `isWhole`: of all that ever was, and what takes longer. */
  async check(isWhole: boolean): Promise<void> {
    this.checks += 1;
    const { db } = this.#store!;
    await this.#checkJournal(db);
    // After a sleep the clock of a service is behind for hours.
    const rows = await this.#rows(db, isWhole ? 0 : this.#parts.time.now - 42 * hour);
    const { wanted } = this.#parts.callers;
    this.#since = this.#parts.time.now - (isWhole ? ledgerKept - day : 26 * hour);
    const recent = wanted.slice(wanted.findLastIndex(({ begunAt }) => begunAt <= this.#since) + 1);
    const rowOf = new Map(rows.map((row) => [row.reference, row]));
    const rowsOf = Map.groupBy(rows, (row) => Number(/^want-(\d+)\./.exec(row.requests[0] ?? "")?.[1] ?? -1));
    for (const one of recent) this.#checkWanted(one, rowOf, rowsOf.get(one.nth) ?? []);
    await this.#checkBalances(db, rows, isWhole);
    if (isWhole) this.#balances.checkNoneIsGone(rows, this.#parts.time.now - ledgerKept + day + hour);
    await this.#checkVendors(db);
    await this.#checkAnnouncements(db, recent, rowOf);
    await this.#checkSchedule(db);
    const isDoubted = await this.#isClockDoubted(db);
    this.#checkRetention(rows, isDoubted);
    if (!isWhole) return;
    if (!isDoubted) await this.#checkEventRetention(db);
    await this.#checkPersons(db);
    const { environment, time, vendors } = this.#parts;
    const zone = environment.DUBA_TIME_ZONE ?? "Africa/Lagos";
    const read = async <Answer>(...argv: string[]) => JSON.parse(await this.#command(...argv, "--json")) as Answer;
    await checkReports({ db, now: time.now, zone, vendors, read });
    await this.#command("audit", "verify");
    await this.#command("audit", "reconcile");
  }

  /** A hash over everything that callers and vendors saw. */
  traceOf(wanted: readonly Wanted[], calls: readonly VendorCall[]): string {
    const told = wanted.map(({ nth, key, tries }) => [
      nth,
      key,
      tries.map(({ at, endedAt, heard }) => [at, endedAt, heard?.status, heard?.body]),
    ]);
    const asked = calls.map(({ from, ...call }) => [from.name, call]);
    return hash("sha256", JSON.stringify([told, asked])).slice(0, 16);
  }

  async #rows(db: Kysely<Tables>, since: number): Promise<Row[]> {
    const { rows } = await sql<Row>`
      select verification.reference, account.email, state, reason, charged, charged_at, fee, spends, verification.created_at, started_at,
        completed_at, idempotency_hash, sealed_record
      from verification join account on account.id = verification.account_id
      where mode = 'live' and verification.created_at >= ${since}`.execute(db);
    const attempts = await sql<{ reference: string; request_id: string; vendor: string }>`
      select reference, request_id, vendor from verification_attempt where started_at >= ${since} order by number`.execute(
      db,
    );
    const of = Map.groupBy(attempts.rows, ({ reference }) => reference);
    return rows.map((row) => {
      const made = of.get(row.reference) ?? [];
      return { ...row, requests: made.map(({ request_id }) => request_id), vendors: made.map(({ vendor }) => vendor) };
    });
  }

  /** One verification that a caller wanted: its references, its charge, its record. */
  #checkWanted(wanted: Wanted, rowOf: ReadonlyMap<string, Row>, rows: readonly Row[]): void {
    const { nth, key, tries } = wanted;
    const { environment } = this.#parts;
    const fail = (what: string): never => {
      const told = tries.map(({ heard, hungUp, service, ...own }) => ({
        ...own,
        service: service.name,
        hungUp,
        status: heard?.status,
        body: heard?.body.error ?? heard?.body.data?.request_reference,
      }));
      throw new Error(
        `want-${nth} ${what}: ${JSON.stringify({ key, number: wanted.number, client: wanted.client.email, told, rows })}`,
      );
    };
    const named = tries.flatMap((one) => {
      const reference = referenceIn(one);
      return reference === undefined ? [] : [{ ...one, reference }];
    });
    for (const { reference, at } of named)
      if (!rowOf.has(reference) && at > this.#since + hour)
        fail(`was told of ${reference}, which the ledger does not hold`);

    if (key !== undefined) {
      const lives = rows.toSorted((one, other) => one.created_at - other.created_at);
      for (const [at, { created_at }] of lives.entries())
        if (at > 0 && created_at - lives[at - 1]!.created_at < keyLife - minute)
          fail("has two verifications within the life of its key");
    }

    for (const row of rows) {
      const own = tries.filter((one) => referenceIn(one) === row.reference);
      const given = own.filter(({ heard }) => heard?.status === 200);
      const silent = tries.filter(({ heard, at }) => heard === undefined && at >= row.created_at - minute);
      if (row.charged === 1 && row.state !== "verified") fail("is charged and not verified");
      for (const one of given)
        if (row.charged !== 1 && !isUnheard(one, key)) fail("was given its record, and the charge was taken back");
      if (row.charged === 1 && given.length === 0) {
        const mayHaveIt = silent.some(({ hungUp }) => hungUp || key !== undefined) || this.#isTakenBackSoon(tries);
        const wasReplayed = own.some(
          ({ heard }) => heard?.status === 410 || heard?.status === 409 || heard?.status === 500,
        );
        if (!mayHaveIt && !(key !== undefined && wasReplayed)) fail("is charged, and nobody could have its record");
        const wasEverHeld = key === undefined || environment.DUBA_RECORD_RETENTION !== "0s";
        if (!wasEverHeld && !wasReplayed && silent.every((one) => one.hungUp && !diedSoonAfter(one)))
          fail("is charged, nobody was given its record, and it was never held for a retry");
        const isLost = own.some(({ heard }) => heard?.status === 410);
        if (isLost && silent.length <= 1 && silent.every((one) => one.hungUp && !diedSoonAfter(one)))
          fail("is charged, and nobody was given its record or can get it");
      }
      if (wanted.erasedAt !== undefined && row.created_at < wanted.erasedAt && row.sealed_record !== null)
        fail("holds the record of a person who was erased");
      if (this.#hasSkippedSecondSource(row, own, wanted))
        fail("was told that nobody has the number, and one vendor was asked");
      const answers = new Set(
        own
          .filter(({ heard }) => heard && isEnd(heard.status))
          .map(({ heard }) => `${heard!.status} ${heard!.body.error?.code ?? ""}`),
      );
      if (answers.size > 1) fail(`was answered differently: ${[...answers].join(", ")}`);
    }
  }

  /**
   * Only another process takes back what a process of PostgreSQL charged without a key, once that has been dead for a
   * while.
   */
  #isTakenBackSoon(tries: readonly Try[]): boolean {
    const { environment, time } = this.#parts;
    const isSoon = ({ service }: Try) => service.isDead && time.elapsed - service.livedFor < takenBackWithin;
    return environment.DUBA_DATABASE_URL !== "" && tries.some(isSoon);
  }

  /** After "not found" a second source is asked, if nothing was wrong with any of them. */
  #hasSkippedSecondSource(
    { reason, vendors: asked, started_at, completed_at }: Row,
    own: readonly Try[],
    { tries }: Wanted,
  ): boolean {
    const { environment, operators, vendors } = this.#parts;
    if (environment.DUBA_ROUTE_AFTER_NOT_FOUND === undefined || reason !== "not_found" || asked.length !== 1)
      return false;
    const told = own.find(({ heard }) => heard?.status === 404);
    if (!told || completed_at! - started_at > secondSourceWithin) return false;
    const isCalm = (at: number) => at < tries[0]!.at - calmFor || at > told.endedAt;
    const seemsWell = (name: string) => vendors.seemsWell(name, told.service, tries[0]!.at);
    return vendors.names.every(seemsWell) && vendors.troubles.every(isCalm) && operators.pauses.every(isCalm);
  }

  /** Balances and caps count what is charged or runs, and what retention has removed since. */
  async #checkBalances(db: Kysely<Tables>, rows: readonly Row[], isWhole: boolean): Promise<void> {
    const { toppedUp, corrections } = this.#parts.operators;
    const check = () => this.#balances.check(db, toppedUp, corrections);
    this.#balances.note(rows);
    if (isWhole) return check();
    await check().catch(async () => {
      // A row may have changed that is older than those read each hour.
      this.#balances.note(await this.#rows(db, 0));
      await check();
    });
  }

  /** The store has an attempt before its vendor is asked. */
  async #checkVendors(db: Kysely<Tables>): Promise<void> {
    const { calls } = this.#parts.vendors;
    const recent = calls.slice(calls.findLastIndex(({ at }) => at <= this.#parts.time.now - 2 * hour) + 1);
    if (recent.length === 0) return;
    const attempts = await db
      .selectFrom("verification_attempt")
      .select(["request_id", "vendor"])
      // After a sleep the service's clock is behind for hours.
      .where("started_at", ">", this.#parts.time.now - 12 * hour)
      .execute();
    const noted = new Set(attempts.map(({ request_id, vendor }) => `${traceOf(request_id)} ${vendor}`));
    for (const { trace, vendor, number } of recent)
      if (!noted.has(`${trace} ${vendor}`)) throw new Error(`${vendor} was asked about ${number} without an attempt`);
  }

  /** Whoever was told 504 is told the outcome by an event, once it is known. */
  async #checkAnnouncements(
    db: Kysely<Tables>,
    wanted: readonly Wanted[],
    rowOf: ReadonlyMap<string, Row>,
  ): Promise<void> {
    const events = await db.selectFrom("event").select("about").where("type", "=", "verification.settled").execute();
    const announced = new Set(events.map(({ about }) => about));
    for (const { nth, tries } of wanted)
      for (const one of tries) {
        const reference = one.heard?.status === 504 ? referenceIn(one) : undefined;
        const row = reference === undefined ? undefined : rowOf.get(reference);
        const isKept = one.endedAt > this.#parts.time.now - eventsKept + day;
        if (isKept && row && ["verified", "negative", "failed"].includes(row.state) && !announced.has(row.reference))
          throw new Error(
            `want-${nth} was told that ${reference} is unknown, and no event says that it is ${row.state}`,
          );
      }
  }

  /** A price that holds from a time on is published then, and not before. */
  async #checkSchedule(db: Kysely<Tables>): Promise<void> {
    const { now } = this.#parts.time;
    const drafts = await db
      .selectFrom("catalogue_draft")
      .leftJoin("catalogue_revision", "catalogue_revision.draft", "catalogue_draft.id")
      .select(["id", "state", "holds_from", "catalogue_revision.created_at as published_at"])
      .where("holds_from", "is not", null)
      .execute();
    for (const { id, state, holds_from, published_at } of drafts) {
      if (state === "scheduled" && holds_from! < now - worksWithin)
        throw new Error(`The draft ${id} was due at ${new Date(holds_from!).toISOString()}, and is not published`);
      if (published_at !== null && published_at < holds_from! - clockAhead)
        throw new Error(`The draft ${id} was published before ${new Date(holds_from!).toISOString()}`);
    }
  }

  /** Nothing is kept too long, and nothing is gone too soon. */
  #checkRetention(rows: readonly Row[], isClockDoubted: boolean): void {
    const { now } = this.#parts.time;
    for (const { reference, created_at, completed_at, idempotency_hash, sealed_record, requests } of rows) {
      const told = `${reference} of ${requests[0]}`;
      if (!isClockDoubted && created_at < now - ledgerKept - 2 * day) throw new Error(`${told} is kept too long`);
      if (!isClockDoubted && sealed_record !== null && completed_at! < now - day - sweepsWithin)
        throw new Error(`The record of ${told} is kept too long`);
      if (!isClockDoubted && idempotency_hash !== null && created_at < now - keyLife - sweepsWithin)
        throw new Error(`The key of ${told} is kept too long`);
      if (idempotency_hash === null && created_at > now - keyLife + minute && this.#isKeyed(requests[0]))
        throw new Error(`The key of ${told} is gone too soon`);
    }
  }

  async #checkEventRetention(db: Kysely<Tables>): Promise<void> {
    const before = this.#parts.time.now - eventsKept - hourlyWithin;
    const { rows } = await sql<{ number: number }>`select number from event where at < ${before}
      and number < coalesce((select min(number) from event_delivery where state = 'waiting'),
        (select max(number) from event)) order by number limit 1`.execute(db);
    if (rows[0]) throw new Error(`The event ${rows[0].number} is kept too long`);
  }

  /** After a gap the store lets nothing age until it has run for a while; then it has a while to remove what is old. */
  async #isClockDoubted(db: Kysely<Tables>): Promise<boolean> {
    const { now } = this.#parts.time;
    const trusted = await db
      .selectFrom("fact")
      .select("created_at")
      .where("name", "=", "retention_clock")
      .executeTakeFirstOrThrow();
    if (now - trusted.created_at > hour) this.#doubtedAt = now;
    return now - this.#doubtedAt < sweepsWithin;
  }

  #isKeyed(request: string | undefined): boolean {
    const wanted = this.#parts.callers.wanted[Number(/^want-(\d+)\./.exec(request ?? "")?.[1] ?? -1)];
    return wanted?.key !== undefined && !wanted.isErased;
  }

  /** The sums, the trail and the outcomes are not behind for long. */
  async #checkJournal(db: Kysely<Tables>): Promise<void> {
    const { time, complete } = this.#parts;
    for (let waited = 0; ; waited += second) {
      const { rows } = await sql<{ journal: number; unsealed: number; started: number }>`
        select (select count(*) from verification_journal) as journal,
          (select count(*) from audit_entry where batch is null) as unsealed,
          (select count(*) from verification where state = 'started' and state <> 'verified') as started`.execute(db);
      const { journal, unsealed, started } = rows[0]!;
      if (Number(journal) + Number(unsealed) + Number(started) === 0) return;
      if (waited > worksWithin) throw new Error(`All is quiet, and work is left: ${JSON.stringify(rows[0])}`);
      await complete(time.pause(second));
    }
  }

  /** No number of a person, and no phone, stands anywhere in the store, and none in the log. */
  async #checkPersons(db: Kysely<Tables>): Promise<void> {
    const numbers = this.#parts.callers.wanted.map(({ number }) => number);
    const known = new Set([...numbers, ...numbers.map(phoneOfNumber), ...numbers.map(otherPhoneOfNumber)]);
    const foundIn = (text: string) =>
      text.match(/(?<!\d)0?\d{10,11}(?!\d)/g)?.find((digits) => known.has(digits) || known.has(digits.slice(1)));
    for (const { name } of await db.introspection.getTables()) {
      if (isSqlite(db) && name.startsWith("sqlite_")) continue;
      const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
      const found = foundIn(
        JSON.stringify(rows, (_, value) => (Buffer.isBuffer(value) ? value.toString("latin1") : value)),
      );
      if (found) throw new Error(`The table ${name} holds the number ${found}`);
    }
    for (const { name, alarms } of this.#parts.services)
      for (const line of alarms) if (foundIn(line)) throw new Error(`${name} logged a number: ${line}`);
  }

  /** What a command prints that has nothing to complain about. */
  async #command(...argv: string[]): Promise<string> {
    const written: string[] = [];
    const io = {
      out: (text: string) => void written.push(text),
      err: (text: string) => void written.push(text),
      environment: this.#parts.environment,
      stdin: Object.assign((async function* () {})(), { isTTY: false }),
      isTerminal: false,
      progressAfter: 0,
    };
    const terminal = { name: "the truths", isDead: false, clockOffset: 0 };
    const code = await this.#parts.complete(this.#parts.time.as(terminal, () => run(argv, io)));
    if (code !== 0) throw new Error(`duba ${argv.join(" ")} ended with ${code}: ${written.join("")}`);
    return written.join("");
  }
}

const isEnd = (status: number) => status === 200 || status === 404 || status === 422;

function referenceIn({ heard }: Try): string | undefined {
  const named = heard?.body.data?.request_reference ?? heard?.body.error?.request_reference;
  return typeof named === "string" ? named : undefined;
}

/** A process that dies takes along what it knows of a caller that hung up. */
function diedSoonAfter({ service: { livedFor }, heardAfter }: Try): boolean {
  return livedFor - heardAfter < minute;
}

/** A process that dies may not have noted that the last callers without a key heard of their charge. */
function isUnheard({ service: { livedFor, leftInOrder }, heardAfter }: Try, key: string | undefined): boolean {
  return key === undefined && !leftInOrder && livedFor - heardAfter < noteWithin;
}

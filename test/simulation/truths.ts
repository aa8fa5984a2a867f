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

/** How long an idempotency key repeats its response, as documented. */
const keyLife = day;
/** How long a verification is kept, as documented: 24 months. */
const ledgerKept = 731 * day;
/** How long an event is kept, as documented, unless an older event still waits for an endpoint. */
const eventsKept = 60 * day;
/** How far ahead the clock may be that publishes a price. */
const clockAhead = 31 * minute;
/** Longest delay of retention. Its clock waits after a sleep, and its job runs once per minute of running time. */
const sweepsWithin = 3 * hour;
/** Longest delay of hourly rules. They count the runs of their job, and a jump of the simulation counts as one run. */
const hourlyWithin = 4 * day;
/** Longest delay of the jobs that follow the ledger, with a vendor's late answers. */
const worksWithin = 30 * second;
/** A process notes each second which callers received their charged record. */
const noteWithin = 5 * second;
/** Milliseconds for a note while the store is away, or the process is frozen. */
const heldUpNoteWithin = 80 * second;
/** How long a charge without a key may outlive its process on PostgreSQL, as documented. */
const takenBackWithin = 130 * second;
/** A second source is tried only if half of the caller's time is left, as documented. */
const secondSourceWithin = 9 * second;
/** How long a failure or a pause may keep a vendor from being the second source. */
const calmFor = 20 * minute;

export interface TruthParts {
  time: VirtualTime;
  environment: Record<string, string>;
  callers: Callers;
  vendors: Vendors;
  operators: Operators;
  /** All processes of the run, dead ones included. */
  services: readonly SimulatedService[];
  /** Runs the clock until a promise settles. */
  complete: <Result>(work: Promise<Result>) => Promise<Result>;
}

/** The columns of a ledger row that the checks need. */
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
  /** Request ids of the attempts, first one first. */
  requests: string[];
  vendors: string[];
}

/**
 * Checks what must be true whenever no request is in flight. The checks use rows and the observations of callers and
 * vendors, and share no code with the ledger.
 */
export class Truths {
  checks = 0;
  readonly #parts: TruthParts;
  #store: Store | undefined;
  readonly #balances = new Balances();
  /**
   * Checks skip verifications that began before this time, because earlier checks covered them. Milliseconds since
   * 1970.
   */
  #since = 0;
  /** When the store last distrusted its clock. */
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

  /** Throws at the first violation. `isWhole`: checks the whole history, and adds slow checks. */
  async check(isWhole: boolean): Promise<void> {
    this.checks += 1;
    const { db } = this.#store!;
    await this.#checkJournal(db);
    // After a sleep, the service's clock is hours behind.
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

  /** A hash of all observations of callers and vendors. */
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

  /** Checks the references, the charge and the record of one wanted verification. */
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
   * Whether a charge may still be reversed: on PostgreSQL, another process reverses a dead process's charges without a
   * key after a while.
   */
  #isTakenBackSoon(tries: readonly Try[]): boolean {
    const { environment, time } = this.#parts;
    const isSoon = ({ service }: Try) => service.isDead && time.elapsed - service.livedFor < takenBackWithin;
    return environment.DUBA_DATABASE_URL !== "" && tries.some(isSoon);
  }

  /** Whether the service failed to ask a second source after "not found", although all sources worked. */
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

  /** Compares balances and caps with the sum of open and charged fees, deleted rows included. */
  async #checkBalances(db: Kysely<Tables>, rows: readonly Row[], isWhole: boolean): Promise<void> {
    const { toppedUp, corrections } = this.#parts.operators;
    const check = () => this.#balances.check(db, toppedUp, corrections);
    this.#balances.note(rows);
    if (isWhole) return check();
    await check().catch(async () => {
      // An older row may have changed since.
      this.#balances.note(await this.#rows(db, 0));
      await check();
    });
  }

  /** The store must have an attempt for each call that a vendor received in the last two hours. */
  async #checkVendors(db: Kysely<Tables>): Promise<void> {
    const { calls } = this.#parts.vendors;
    const recent = calls.slice(calls.findLastIndex(({ at }) => at <= this.#parts.time.now - 2 * hour) + 1);
    if (recent.length === 0) return;
    const attempts = await db
      .selectFrom("verification_attempt")
      .select(["request_id", "vendor"])
      // After a sleep, the service's clock is hours behind.
      .where("started_at", ">", this.#parts.time.now - 12 * hour)
      .execute();
    const noted = new Set(attempts.map(({ request_id, vendor }) => `${traceOf(request_id)} ${vendor}`));
    for (const { trace, vendor, number } of recent)
      if (!noted.has(`${trace} ${vendor}`)) throw new Error(`${vendor} was asked about ${number} without an attempt`);
  }

  /** Each 504 must be followed by an event, once the outcome is known. */
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

  /** A scheduled price must be published at its time, and not earlier. */
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

  /** No row may be kept too long or deleted too soon. */
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

  /**
   * Whether the store distrusts its clock. After a gap it deletes nothing until it has run for a while, and then needs
   * time to catch up.
   */
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

  /** Sums, audit trail and outcomes must not stay behind for long. */
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

  /** No personal number and no phone may be in the store or in the log. */
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

  /** Returns the output of a command. Throws if the command reports a problem. */
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

/** A process that dies forgets which callers hung up. */
function diedSoonAfter({ service: { livedFor }, heardAfter }: Try): boolean {
  return livedFor - heardAfter < minute;
}

/** A process that dies may not have noted which callers without a key received their charged record. */
function isUnheard({ service, heardAfter }: Try, key: string | undefined): boolean {
  const { livedFor, leftInOrder, frozenUntil, heldUpUntil } = service;
  const isHeldUp = Math.max(frozenUntil, heldUpUntil) > heardAfter;
  return key === undefined && !leftInOrder && livedFor - heardAfter < (isHeldUp ? heldUpNoteWithin : noteWithin);
}

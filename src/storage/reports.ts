import { type Kysely, sql } from "kysely";
import type { Log } from "../runtime/log.ts";
import { withTimeout } from "../runtime/timeout.ts";
import { codeOf, StoreError } from "./errors.ts";
import { openStore, type Store } from "./store.ts";
import type { Tables } from "./tables.ts";

/** A database for reports, with a sentence about the age of its data. */
export interface ReportSource {
  readonly db: Kysely<Tables>;
  /** Undefined without a replica, because the store itself is current. */
  readonly ageRemark: string | undefined;
}

/** A replica must report its age within this many milliseconds. */
const patience = 2_000;
/** Pause after a failure in milliseconds, so that not every page waits for the replica. */
const pauseAfterError = 30_000;
/** A busy replica is always slightly behind, so a smaller lag in milliseconds is not mentioned. */
const unremarkable = 5_000;

/** Reads reports from a replica while it responds, else from the store itself. */
export class ReportStore {
  readonly #url: string;
  readonly #store: Pick<Store, "db" | "now">;
  readonly #log: Log;
  #replica: Promise<Store> | undefined;
  #error: { message: string; until: number } | undefined;

  /** `url`: of the replica, or "". Connects at the first report. */
  constructor(url: string, store: Pick<Store, "db" | "now">, log: Log) {
    this.#url = url;
    this.#store = store;
    this.#log = log;
  }

  /** Returns the source for one report. Never rejects. */
  async source(): Promise<ReportSource> {
    if (this.#url === "") return { db: this.#store.db, ageRemark: undefined };
    if (this.#error && performance.now() < this.#error.until) return this.#instead(this.#error.message);
    try {
      const source = await withTimeout(this.#fromReplica(), patience);
      if (!source) throw new StoreError(`It did not answer within ${patience / 1000} seconds.`);
      if (this.#error) this.#log.info({}, "The replica for reports answers again");
      this.#error = undefined;
      return source;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!this.#error)
        this.#log.warn(
          { code: codeOf(error), reason: message },
          "The replica for reports cannot be read: reports are read from the primary",
        );
      this.#error = { message, until: performance.now() + pauseAfterError };
      return this.#instead(message);
    }
  }

  async close(): Promise<void> {
    await this.#replica?.then(
      (replica) => replica.close(),
      () => undefined,
    );
  }

  #instead(message: string): ReportSource {
    return { db: this.#store.db, ageRemark: `The replica cannot be read, so this is from the primary. ${message}` };
  }

  async #fromReplica(): Promise<ReportSource> {
    const settings = { dataDirectory: "", databaseUrl: this.#url, serving: false, mustExist: true, asItIs: true };
    this.#replica ??= openStore(settings);
    const replica = await this.#replica.catch((error: unknown) => {
      this.#replica = undefined;
      throw error;
    });
    const at = this.#store.now();
    const primary = await positionOf(this.#store.db);
    const age = await ageOf(replica.db, primary.position);
    if (age.history !== primary.history)
      throw new StoreError("DUBA_DATABASE_READ_URL names the database of another store: name a replica of this one.");
    const upTo = age.isCaughtUp ? at : age.replayedAt;
    return { db: replica.db, ageRemark: sentenceOf(upTo, at) };
  }
}

function sentenceOf(upTo: number | null, at: number): string {
  if (upTo === null) return "Read from DUBA_DATABASE_READ_URL, which does not say how old its rows are.";
  const behind = at - upTo;
  const note = behind < unremarkable ? "" : `, which is ${Math.round(behind / 1000)} seconds behind`;
  return `As of ${new Date(upTo).toISOString()}: read from the replica${note}.`;
}

/** The store's history id, and its write position in the log; null on a standby. */
async function positionOf(db: Kysely<Tables>): Promise<{ history: string; position: string | null }> {
  const { rows } = await sql<{ history: string; position: string | null }>`
    select (select id from catalogue_history) as history,
      case when pg_is_in_recovery() then null else pg_current_wal_lsn()::text end as position`.execute(db);
  return rows[0]!;
}

interface Age {
  history: string;
  /** Whether the replica has replayed all changes up to the primary's position. */
  isCaughtUp: boolean;
  /** Commit time of the last replayed change, in milliseconds since 1970; null if the server is not a standby. */
  replayedAt: number | null;
}

async function ageOf(db: Kysely<Tables>, position: string | null): Promise<Age> {
  const { rows } = await sql<Age>`
    select (select id from catalogue_history) as history,
      coalesce(pg_last_wal_replay_lsn() >= cast(${position} as pg_lsn), false) as "isCaughtUp",
      case when pg_is_in_recovery()
        then cast(extract(epoch from pg_last_xact_replay_timestamp()) * 1000 as bigint) end as "replayedAt"`.execute(
    db,
  );
  return rows[0]!;
}

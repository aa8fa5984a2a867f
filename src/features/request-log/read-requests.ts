import { sql } from "kysely";
import type { RowPlace } from "../../declare/command/forms.ts";
import { rowsAtOnce } from "../../declare/command.ts";
import type { Mode } from "../../declare/operation.ts";
import type { AskedStory } from "../../ledger/commands/with-story.ts";
import { pageOf, pagesOf } from "../../storage/queries/pieces.ts";
import type { Db, Tables } from "../../storage/tables.ts";

export type RequestRow = Tables["api_request"];

/** The account and mode whose entries an API client may read. */
export interface LogReader {
  accountId: string;
  mode: Mode;
}

/** A place in an account's log. */
export type RequestCursor = Pick<RequestRow, "written_at" | "serial">;

/** A row that another process is writing may appear up to this many milliseconds late. */
const settling = 5_000;

/** The newest entry with this request id. */
export async function findRequest(
  db: Db,
  { accountId, mode }: LogReader,
  requestId: string,
): Promise<RequestRow | undefined> {
  return db
    .selectFrom("api_request")
    .selectAll()
    .where("request_id", "=", requestId)
    .where("account_id", "=", accountId)
    .where("mode", "=", mode)
    .orderBy("written_at", "desc")
    .orderBy("serial", "desc")
    .limit(1)
    .executeTakeFirst();
}

/**
 * Returns the responses to these requests that are about one verification, oldest first. An API client may repeat a
 * request id.
 */
export async function responsesAbout(
  db: Db,
  { accountId, mode, reference, requestIds }: AskedStory,
): Promise<{ at: number; status: number; code: string | null }[]> {
  return db
    .selectFrom("api_request")
    .select(["answered_at as at", "status", "code"])
    .where("request_id", "in", requestIds)
    .where("account_id", "=", accountId)
    .where("mode", "=", mode)
    .where("reference", "=", reference)
    .orderBy("answered_at")
    .execute();
}

/** The entries that an operator searches for. */
export interface RequestFilter {
  requestId?: string;
  accountId?: string | undefined;
  failed?: true;
  code?: string;
  operation?: string;
  /** Milliseconds since 1970. */
  since?: number;
  until?: number;
  limit: number;
  /** The place of the last row of the page before. */
  after?: RowPlace | undefined;
}

/** Entries of all accounts, newest first. */
export async function searchRequests(db: Db, { limit, after, ...filter }: RequestFilter): Promise<RequestRow[]> {
  return (await pageOf(fitting(db, filter), placeInLog, limit, after, "desc")).rows;
}

/** Reads all entries that match, in pages, newest first. */
export function allRequests(db: Db, filter: Omit<RequestFilter, "limit" | "after">): AsyncGenerator<RequestRow[]> {
  return pagesOf(fitting(db, filter), placeInLog, rowsAtOnce, "desc");
}

const placeInLog = ["written_at", "serial"];

function fitting(
  db: Db,
  { requestId, accountId, failed, code, operation, since, until }: Omit<RequestFilter, "limit" | "after">,
) {
  return db
    .selectFrom("api_request")
    .selectAll()
    .$if(requestId !== undefined, (rows) => rows.where("request_id", "=", requestId!))
    .$if(accountId !== undefined, (rows) =>
      rows.where("account_id", "=", accountId!).where("mode", "in", ["test", "live"]),
    )
    .$if(failed === true, (rows) => rows.where("code", "is not", null))
    .$if(code !== undefined, (rows) => rows.where("code", "=", code!))
    .$if(operation !== undefined, (rows) => rows.where("operation", "=", operation!))
    .$if(since !== undefined, (rows) => rows.where("written_at", ">=", since!))
    .$if(until !== undefined, (rows) => rows.where("written_at", "<", until!));
}

/** How many answers with this code a key got in an hour. Counts verifications and everything that failed. */
export interface KeyHour {
  /** The start of the hour, in hours since 1970. */
  hour: number;
  code: string | null;
  answers: number;
}

/** Counts the responses to a key in each hour since this time, by code. Leaves out look-ups that succeeded. */
export async function keyHours(
  db: Db,
  { accountId, mode, keyId, since }: LogReader & { keyId: string; since: number },
): Promise<KeyHour[]> {
  const { rows } = await sql<{ hour: number | string; code: string | null; answers: number | string }>`
    select written_at / 3600000 as hour, code, count(*) as answers
      from api_request
      where account_id = ${accountId} and mode = ${mode} and written_at >= ${since} and key_id = ${keyId}
        and (code is not null or reference is not null)
      group by written_at / 3600000, code`.execute(db);
  // PostgreSQL returns a count as text.
  return rows.map(({ hour, code, answers }) => ({ hour: Number(hour), code, answers: Number(answers) }));
}

/**
 * Returns entries after a place, oldest first; without a place, the newest ones. `next` stays before rows that may
 * still appear late. So an API client that continues from `next` misses nothing, but may see the last seconds twice.
 */
export async function pageOfRequests(
  db: Db,
  { accountId, mode }: LogReader,
  { after, limit, now }: { after: RequestCursor | undefined; limit: number; now: number },
): Promise<{ rows: RequestRow[]; next: RequestCursor; more: boolean }> {
  const isSettled = ({ written_at }: RequestRow) => written_at <= now - settling;
  /** Returns the place of the last row that is old enough, else the place where this read began. */
  const nextOf = (rows: RequestRow[], from: RequestCursor) => rows.findLast(isSettled) ?? from;
  const own = db.selectFrom("api_request").selectAll().where("account_id", "=", accountId).where("mode", "=", mode);
  if (!after) {
    const newest = await own.orderBy("written_at", "desc").orderBy("serial", "desc").limit(limit).execute();
    const rows = newest.reverse();
    return { rows, next: nextOf(rows, { written_at: now - settling, serial: "" }), more: false };
  }
  const { rows, more } = await pageOf(own, ["written_at", "serial"], limit, [after.written_at, after.serial]);
  // Report `more` only if `next` moves on, so that the caller's next request does not repeat this page.
  return { rows, next: nextOf(rows, after), more: more && isSettled(rows.at(-1)!) };
}

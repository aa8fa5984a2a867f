import { randomBase62, sameHash, secretHash } from "../../../access/secrets.ts";
import { withTimeout } from "../../../runtime/timeout.ts";
import { sessionLife } from "../../../storage/tables/access-tables.ts";
import type { Db, PersonRow } from "../../../storage/tables.ts";

const sessionIdle = 30 * 60_000;
/** The store notes a session's use at most once per this many milliseconds. */
const touchEvery = 60_000;
/** Longest wait for that note, in milliseconds. */
const touchPatience = 1_000;

export interface Session {
  /** The person of the session, with the current role. */
  person: PersonRow;
  secret: string;
  /** SHA-256 of the session secret, and the primary key. */
  hash: string;
  /** The anti-forgery token in every form of the session. */
  formToken: string;
}

/** Begins a session, and returns the secret for the cookie; the store gets a hash. `browser`: in plain words. */
export async function beginSession(db: Db, personId: string, now: number, browser = ""): Promise<string> {
  const secret = randomBase62(43);
  await db
    .insertInto("console_session")
    .values({ secret_hash: secretHash(secret), person_id: personId, browser, created_at: now, seen_at: now })
    .execute();
  await db.updateTable("person").set({ last_seen_at: now }).where("id", "=", personId).execute();
  return secret;
}

/** Returns the session of a cookie, if it is valid. `isUse`: a person's action, so the session is not idle. */
export async function findSession(db: Db, secret: string, now: number, isUse: boolean): Promise<Session | undefined> {
  const hash = secretHash(secret);
  const row = await living(db, now)
    .innerJoin("person", "person.id", "console_session.person_id")
    .selectAll("person")
    .select("seen_at")
    .where("secret_hash", "=", hash)
    .executeTakeFirst();
  if (!row) return undefined;
  const { seen_at, ...person } = row;
  // If the store refuses writes, pages still work, and the session later ends as if idle.
  if (isUse && now - seen_at >= touchEvery)
    await withTimeout(
      touch(db, { hash, id: person.id, now }).catch(() => {}),
      touchPatience,
    );
  return { person, secret, hash, formToken: secretHash(`form ${secret}`) };
}

async function touch(db: Db, { hash, id, now }: { hash: string; id: string; now: number }): Promise<void> {
  await db.updateTable("console_session").set({ seen_at: now }).where("secret_hash", "=", hash).execute();
  await db.updateTable("person").set({ last_seen_at: now }).where("id", "=", id).execute();
}

/** Selects sessions that are still valid. */
function living(db: Db, now: number) {
  return db
    .selectFrom("console_session")
    .where("console_session.created_at", ">", now - sessionLife)
    .where("seen_at", ">", now - sessionIdle);
}

/** Returns a person's valid sessions, newest first. */
export async function sessionsOf(db: Db, personId: string, now: number) {
  return living(db, now)
    .select(["secret_hash", "browser", "console_session.created_at", "seen_at"])
    .where("person_id", "=", personId)
    .orderBy("console_session.created_at", "desc")
    .execute();
}

/** Ends a person's other sessions; with `only`, just that session. Returns the number of ended sessions. */
export async function endOthers(db: Db, personId: string, hash: string, only?: string): Promise<number> {
  const ended = await db
    .deleteFrom("console_session")
    .where("person_id", "=", personId)
    .where("secret_hash", "!=", hash)
    .$if(only !== undefined, (query) => query.where("secret_hash", "=", only!))
    .returning("secret_hash")
    .execute();
  return ended.length;
}

const browsers = { Edg: "Edge", OPR: "Opera", Firefox: "Firefox", Chrome: "Chrome", Safari: "Safari" };
const systems = { iPhone: "iPhone", iPad: "iPad", Android: "Android", Windows: "Windows", Mac: "Mac", Linux: "Linux" };

/**
 * Names a browser in plain words, such as "Firefox on Windows". The first match counts, because user agents append
 * other browsers' names for old pages.
 */
export function browserOf(userAgent = ""): string {
  const named = (words: Record<string, string>, otherwise: string) =>
    Object.entries(words).find(([word]) => userAgent.includes(word))?.[1] ?? otherwise;
  return `${named(browsers, "A browser")} on ${named(systems, "another system")}`;
}

export async function endSession(db: Db, secret: string): Promise<void> {
  await db.deleteFrom("console_session").where("secret_hash", "=", secretHash(secret)).execute();
}

export function isFormToken({ formToken }: Session, text: unknown): boolean {
  return typeof text === "string" && /^[\da-f]{64}$/.test(text) && sameHash(text, formToken);
}

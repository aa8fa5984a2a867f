import type { Kysely } from "kysely";
import type { PersonRow, Tables } from "../../storage/tables.ts";
import { randomBase62, sameHash, secretHash } from "../secrets.ts";

/** Milliseconds that a session lives, with use and without. */
export const sessionLife = 12 * 3_600_000;
const sessionIdle = 30 * 60_000;
/** The use of a session is noted at most once in so many milliseconds. */
const touchEvery = 60_000;

export interface Session {
  /** With the role of this moment. */
  person: PersonRow;
  secret: string;
  /** Every form of the session carries it. */
  formToken: string;
}

/** Begins a session, and returns its secret for the cookie. We store a hash. */
export async function beginSession(db: Kysely<Tables>, personId: string, now: number): Promise<string> {
  const secret = randomBase62(43);
  await db
    .insertInto("console_session")
    .values({ secret_hash: secretHash(secret), person_id: personId, created_at: now, seen_at: now })
    .execute();
  await db.updateTable("person").set({ last_seen_at: now }).where("id", "=", personId).execute();
  return secret;
}

/** The session of a cookie, if it still lives. `isUse`: somebody did something, so the session is not idle. */
export async function findSession(
  db: Kysely<Tables>,
  secret: string,
  now: number,
  isUse: boolean,
): Promise<Session | undefined> {
  const hash = secretHash(secret);
  const row = await db
    .selectFrom("console_session")
    .innerJoin("person", "person.id", "console_session.person_id")
    .selectAll("person")
    .select("seen_at")
    .where("secret_hash", "=", hash)
    .where("console_session.created_at", ">", now - sessionLife)
    .where("seen_at", ">", now - sessionIdle)
    .executeTakeFirst();
  if (!row) return undefined;
  const { seen_at, ...person } = row;
  if (isUse && now - seen_at >= touchEvery) {
    await db.updateTable("console_session").set({ seen_at: now }).where("secret_hash", "=", hash).execute();
    await db.updateTable("person").set({ last_seen_at: now }).where("id", "=", person.id).execute();
  }
  return { person, secret, formToken: secretHash(`form ${secret}`) };
}

/** Ends a session at once. */
export async function endSession(db: Kysely<Tables>, secret: string): Promise<void> {
  await db.deleteFrom("console_session").where("secret_hash", "=", secretHash(secret)).execute();
}

export function isFormToken({ formToken }: Session, text: unknown): boolean {
  return typeof text === "string" && /^[\da-f]{64}$/.test(text) && sameHash(text, formToken);
}

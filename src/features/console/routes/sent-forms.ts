import { randomUUID } from "node:crypto";
import type { Audit } from "../../../storage/audited.ts";
import type { Tables } from "../../../storage/tables.ts";
import { ConsoleError } from "../console-request.ts";
import type { Landing, PageRequest } from "../console-room.ts";
import { personActor } from "../people/people-rows.ts";

/** Bytes of an answer that is kept, and how many are kept of one person. */
const longestAnswer = 4 * 1024 * 1024;
const mostAnswers = 10;

/** The form did its work before, at this time. */
export class AlreadySent extends Error {
  readonly id: string;
  readonly at: number;

  constructor({ id, at }: { id: string; at: number }) {
    super("This was done.");
    this.id = id;
    this.at = at;
  }
}

/** One request with a form. */
export interface FormRequest {
  id: string;
  /** Tells requests with the same form apart. */
  request: string;
}

/** A request with a form that may do its work. Throws an `AlreadySent`, or a `ConsoleError` for a form without one. */
export async function formRequestOf(request: PageRequest, form: FormData): Promise<FormRequest> {
  const id = String(form.get("_form"));
  if (!/^[\w-]{22,64}$/.test(id))
    throw new ConsoleError(403, "form_id", "This form has no id. Go back, load the page again, and repeat.");
  const sent = await sentForm(request, id);
  // Ids are random: that of another person was made up.
  if (sent && sent.person_id !== request.session.person.id)
    throw new ConsoleError(403, "form_id", "This is the form of another person.");
  if (sent) throw new AlreadySent(sent);
  return { id, request: randomUUID() };
}

/** What is kept of a sent form: the answer of its command as data, or the page that the person was led to. */
export interface Kept {
  answer?: unknown;
  landing?: Landing;
}

export function keptIn(sent: Pick<Tables["sent_form"], "answer"> | undefined): Kept {
  return typeof sent?.answer === "string" ? (JSON.parse(sent.answer) as Kept) : {};
}

/** A form that did its work. */
export async function sentForm({ store }: PageRequest, id: string): Promise<Tables["sent_form"] | undefined> {
  return store.db.selectFrom("sent_form").selectAll().where("id", "=", id).executeTakeFirst();
}

/**
 * Appends entries as `append` does, and notes in their transaction that the form did its work. Throws an `AlreadySent`,
 * which undoes the transaction, if another request did.
 */
export function appendOnce(
  append: Audit,
  { path, store, session: { person } }: PageRequest,
  { id, request }: FormRequest,
): Audit {
  return async (trx, ...events) => {
    // What Duba does by itself beside it is not what the form asked for.
    if (!events.some(({ actor }) => actor === personActor(person))) return append(trx, ...events);
    const row = { id, person_id: person.id, role: person.role, request, path, at: store.now(), answer: null };
    const noted = await trx
      .insertInto("sent_form")
      .values(row)
      // A deed may have several transactions.
      .onConflict((it) => it.column("id").doUpdateSet({ path }).where("sent_form.request", "=", request))
      .returning("id")
      .executeTakeFirst();
    if (!noted) throw new AlreadySent(row);
    await append(trx, ...events);
  };
}

/**
 * Keeps what pages show of a form, and returns the id by which they ask for it. Undefined: it is too long.
 */
export async function keepAnswer(
  { path, store: { db, now }, session: { person } }: PageRequest,
  once: FormRequest | undefined,
  kept: Kept,
): Promise<string | undefined> {
  const answer = JSON.stringify(kept);
  if (Buffer.byteLength(answer) > longestAnswer) return undefined;
  const own = db
    .selectFrom("sent_form")
    .select("id")
    .where("person_id", "=", person.id)
    .where("answer", "is not", null);
  await db
    .updateTable("sent_form")
    .set({ answer: null })
    .where("person_id", "=", person.id)
    .where("answer", "is not", null)
    .where("id", "not in", own.orderBy("at", "desc").limit(mostAnswers - 1))
    .execute();
  if (once) {
    const { numUpdatedRows } = await db
      .updateTable("sent_form")
      .set({ answer })
      .where("id", "=", once.id)
      .where("request", "=", once.request)
      .executeTakeFirst();
    if (numUpdatedRows === 1n) return once.id;
  }
  // It changed nothing, so the form may be sent again.
  const row = { id: randomUUID(), person_id: person.id, role: person.role, request: "", path, at: now(), answer };
  await db.insertInto("sent_form").values(row).execute();
  return row.id;
}

import { randomUUID } from "node:crypto";
import type { Audit } from "../../../storage/audited.ts";
import type { Tables } from "../../../storage/tables.ts";
import { ConsoleError } from "../console-request.ts";
import type { Landing, PageRequest } from "../console-room.ts";
import { personActor } from "../people/people-rows.ts";

/** Longest stored answer in bytes, and most answers per person. */
const longestAnswer = 4 * 1024 * 1024;
const mostAnswers = 10;

/** The form was processed before, at this time. */
export class AlreadySent extends Error {
  readonly id: string;
  readonly at: number;

  constructor({ id, at }: { id: string; at: number }) {
    super("This was done.");
    this.id = id;
    this.at = at;
  }
}

/** One submission of a form. */
export interface FormRequest {
  /** The random id of the form. A form that is shown again has a new id. */
  id: string;
  /** The random id of this submission, because a person may send the same form twice. */
  request: string;
}

/**
 * Returns the submission if no earlier one of the same form was processed; else throws an `AlreadySent`. Throws a
 * `ConsoleError` for a form without an id, or of another person.
 */
export async function formRequestOf(request: PageRequest, form: FormData): Promise<FormRequest> {
  const id = String(form.get("_form"));
  if (!/^[\w-]{22,64}$/.test(id))
    throw new ConsoleError(403, "form_id", "This form has no id. Go back, load the page again, and repeat.");
  const sent = await sentForm(request, id);
  // Ids of forms are random, so the id of another person's form was forged or copied.
  if (sent && sent.person_id !== request.session.person.id)
    throw new ConsoleError(403, "form_id", "This is the form of another person.");
  if (sent) throw new AlreadySent(sent);
  return { id, request: randomUUID() };
}

/** The stored result of a form: the command's answer, or the landing. */
export interface Kept {
  answer?: unknown;
  landing?: Landing;
}

export function keptIn(sent: Pick<Tables["sent_form"], "answer"> | undefined): Kept {
  return typeof sent?.answer === "string" ? (JSON.parse(sent.answer) as Kept) : {};
}

/** Returns a processed form, or undefined. */
export async function sentForm({ store }: PageRequest, id: string): Promise<Tables["sent_form"] | undefined> {
  return store.db.selectFrom("sent_form").selectAll().where("id", "=", id).executeTakeFirst();
}

/**
 * Appends entries, and marks the form as processed in the same transaction. If another submission was first, throws an
 * `AlreadySent`, which rolls back.
 */
export function appendOnce(
  append: Audit,
  { path, store, session: { person } }: PageRequest,
  { id, request }: FormRequest,
): Audit {
  return async (trx, ...events) => {
    // Entries of Duba's own actions do not mark the form.
    if (!events.some(({ actor }) => actor === personActor(person))) return append(trx, ...events);
    const row = { id, person_id: person.id, role: person.role, request, path, at: store.now(), answer: null };
    const noted = await trx
      .insertInto("sent_form")
      .values(row)
      // One command may use several transactions.
      .onConflict((it) => it.column("id").doUpdateSet({ path }).where("sent_form.request", "=", request))
      .returning("id")
      .executeTakeFirst();
    if (!noted) throw new AlreadySent(row);
    await append(trx, ...events);
  };
}

/** Stores the result of a form, and returns its id. Undefined if it is too long. */
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
  // Nothing was changed, so the form may be sent again.
  const row = { id: randomUUID(), person_id: person.id, role: person.role, request: "", path, at: now(), answer };
  await db.insertInto("sent_form").values(row).execute();
  return row.id;
}

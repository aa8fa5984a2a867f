import type { Db } from "../../storage/tables.ts";

const actorForm = /\bperson:(per_[0-9A-Za-z]{12})\b/g;

/** An answer with the e-mail in place of the id of each person who acted. */
export async function withEmails<Answer>(db: Db, answer: Answer): Promise<Answer> {
  const ids = new Set<string>();
  mapTexts(answer, (text) => {
    for (const [, id] of text.matchAll(actorForm)) ids.add(id!);
    return text;
  });
  if (ids.size === 0) return answer;
  // Includes removed people, the newest last.
  const rows = await db
    .selectFrom("person_email_history")
    .select(["person_id", "email"])
    .where("person_id", "in", [...ids])
    .orderBy("since")
    .execute();
  const emails = new Map(rows.map(({ person_id, email }) => [person_id, email]));
  return mapTexts(answer, (text) => text.replace(actorForm, (actor, id) => emails.get(id) ?? actor)) as Answer;
}

/** The value with each text in it changed. What is no JSON stays as it is. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapTexts(each, change)]));
}

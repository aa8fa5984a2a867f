import type { Db } from "../../storage/tables.ts";

const actorForm = /\bperson:(per_[0-9A-Za-z]{12})\b/g;

/** Returns an answer in which the id of each person who acted is replaced with the person's e-mail. */
export async function withEmails<Answer>(db: Db, answer: Answer): Promise<Answer> {
  const ids = new Set<string>();
  eachText(answer, (text) => {
    if (text.includes("person:")) for (const [, id] of text.matchAll(actorForm)) ids.add(id!);
  });
  if (ids.size === 0) return answer;
  // The rows include removed people. The newest rows come last, so their names replace older names.
  const rows = await db
    .selectFrom("person_email_history")
    .select(["person_id", "email"])
    .where("person_id", "in", [...ids])
    .orderBy("since")
    .execute();
  const emails = new Map(rows.map(({ person_id, email }) => [person_id, email]));
  return mapTexts(answer, (text) => text.replace(actorForm, (actor, id) => emails.get(id) ?? actor)) as Answer;
}

/** Calls `tell` with each text in a value and the name of its member. Skips values that JSON cannot hold. */
function eachText(value: unknown, tell: (text: string, member: string) => void, member = ""): void {
  if (typeof value === "string") tell(value, member);
  else if (Array.isArray(value)) for (const each of value) eachText(each, tell, member);
  else if (isJsonObject(value)) for (const name in value) eachText(value[name], tell, name);
}

function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Returns the value with each text in it changed. Values that JSON cannot hold stay unchanged. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapTexts(each, change)]));
}

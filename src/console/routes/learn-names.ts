import type { Kysely } from "kysely";
import { isPlainId } from "../../operation/fields.ts";
import type { Tables } from "../../storage/tables.ts";

/** More are not asked for: no page shows as many. */
const most = 500;

/** Adds what people call the accounts, persons and keys that an answer names by e-mail or id. */
export async function learnNames(db: Kysely<Tables>, names: Map<string, string>, answer: unknown): Promise<void> {
  const [emails, keys] = [new Set<string>(), new Set<string>()];
  collect(answer, "", (text, member) => {
    if (names.has(text)) return;
    if ((member === "key_id" || member === "id") && isPlainId(text) && keys.size < most) keys.add(text);
    else if (text.includes("@") && text.length < 255 && emails.size < most) emails.add(text);
  });
  const learn = (rows: readonly { id: string; name: string }[]) => {
    for (const { id, name } of rows) if (name !== "") names.set(id, name);
  };
  if (emails.size > 0) {
    const wanted = [...emails];
    const [people, accounts] = await Promise.all(
      (["person", "account"] as const).map((table) =>
        db.selectFrom(table).select(["email as id", "name"]).where("email", "in", wanted).execute(),
      ),
    );
    learn([...people!, ...accounts!]);
  }
  if (keys.size > 0)
    learn(
      await db
        .selectFrom("api_key")
        .select(["id", "label as name"])
        .where("id", "in", [...keys])
        .execute(),
    );
}

function collect(value: unknown, member: string, tell: (text: string, member: string) => void): void {
  if (typeof value === "string") tell(value, member);
  else if (Array.isArray(value)) for (const each of value) collect(each, member, tell);
  else if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    for (const [name, each] of Object.entries(value)) collect(each, name, tell);
}

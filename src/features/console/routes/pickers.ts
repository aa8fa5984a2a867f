import { accountsLike, readAtOnce } from "../../../access/accounts/accounts.ts";
import { membersOf } from "../../../declare/command/read-texts.ts";
import { pagesOf } from "../../../storage/queries/pieces.ts";
import type { PageRequest } from "../console-room.ts";
import type { ConsoleCommand } from "../site-map.ts";
import { type Picked, type Picker, pickerOf } from "../view/form-field.ts";
import { answerIfFound } from "./run-as.ts";

/** A longer list is not part of the page. */
const mostOffered = 500;
/** Most suggestions for a typed text. */
const mostTyped = 20;

/** Returns the choices of a form's fields, by list. `typed`: too many, so the page suggests while the person types. */
export async function pickedFrom(
  request: PageRequest,
  command: ConsoleCommand,
): Promise<Partial<Record<Picker, readonly Picked[] | "typed">>> {
  const wanted = new Set(membersOf(command.input).flatMap((named) => pickerOf(command, named) ?? []));
  const lists = [...wanted].map(async (picker) => {
    const found = await sources[picker](request, "", mostOffered + 1);
    return [picker, found.length > mostOffered ? "typed" : found] as const;
  });
  return Object.fromEntries(await Promise.all(lists));
}

/**
 * Returns choices whose value or name contains the text, which needs at least three characters. Undefined for people,
 * and for an unknown list.
 */
export async function pickedLike(
  request: PageRequest,
  list: string,
  text: string,
): Promise<readonly Picked[] | undefined> {
  if (list !== "accounts" && list !== "keys" && list !== "entries") return undefined;
  return text.trim().length < 3 ? [] : sources[list](request, text.trim(), mostTyped);
}

type Source = (request: PageRequest, text: string, most: number) => Promise<readonly Picked[]>;

/** Names are compared here and not in SQL, because the text may be personal data. */
const sources: Readonly<Record<Picker, Source>> = {
  accounts: async ({ store: { db } }, text, most) =>
    (await accountsLike(db, text, most)).map(({ email, name }) => ({ value: email, text: name })),
  people: async ({ store: { db } }, text, most) => {
    const people = await db.selectFrom("person").select(["email", "name"]).orderBy("email").limit(most).execute();
    return people.map(({ email, name }) => ({ value: email, text: name })).filter(having(text));
  },
  keys: async ({ store: { db } }, text, most) => {
    const keys = db
      .selectFrom("api_key")
      .innerJoin("account", "account.id", "api_key.account_id")
      .select(["api_key.id", "label", "mode", "account.name"])
      .where("revoked_at", "is", null);
    const found: Picked[] = [];
    for await (const rows of pagesOf(keys, ["api_key.id"], text === "" ? most : readAtOnce)) {
      const named = rows.map(({ id, label, mode, name }) => ({ value: id, text: `${label || mode} of ${name}` }));
      found.push(...named.filter(having(text)));
      if (found.length >= most) break;
    }
    return found.slice(0, most);
  },
  entries: async (request, text, most) => {
    const command = request.site.commands.get("catalogue.entries");
    const rows = command
      ? ((await answerIfFound(request, command, {})) as { code: string; description: string }[])
      : [];
    return rows
      .map(({ code, description }) => ({ value: code, text: description }))
      .filter(having(text))
      .slice(0, most);
  },
};

function having(part: string) {
  const wanted = part.toLowerCase();
  return ({ value, text }: Picked) => `${value}\n${text}`.toLowerCase().includes(wanted);
}

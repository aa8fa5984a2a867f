import { accountsLike } from "../../../access/accounts/accounts.ts";
import { membersOf } from "../../../declare/command/read-texts.ts";
import type { PageRequest } from "../console-room.ts";
import type { ConsoleCommand } from "../site-map.ts";
import { type Picked, type Picker, pickerOf } from "../view/form-field.ts";
import { answerIfFound } from "./run-as.ts";

/** More are not offered to choose from: a page would be mostly them. */
const mostOffered = 500;

/** What the fields of a form are chosen from by typing a name, by list; nothing of a list that is too long. */
export async function pickedFrom(
  request: PageRequest,
  command: ConsoleCommand,
): Promise<Partial<Record<Picker, readonly Picked[]>>> {
  const wanted = new Set(membersOf(command.input).flatMap((named) => pickerOf(command, named) ?? []));
  const lists = [...wanted].map(async (picker) => {
    const found = await sources[picker](request);
    return [picker, found.length > mostOffered ? [] : found] as const;
  });
  return Object.fromEntries(await Promise.all(lists));
}

const sources: Readonly<Record<Picker, (request: PageRequest) => Promise<readonly Picked[]>>> = {
  accounts: async ({ store: { db } }) =>
    (await accountsLike(db, "", mostOffered + 1)).map(({ email, name }) => ({ value: email, text: name })),
  people: async ({ store: { db } }) => {
    const people = db
      .selectFrom("person")
      .select(["email", "name"])
      .orderBy("email")
      .limit(mostOffered + 1);
    return (await people.execute()).map(({ email, name }) => ({ value: email, text: name }));
  },
  keys: async ({ store: { db } }) => {
    const keys = db
      .selectFrom("api_key")
      .innerJoin("account", "account.id", "api_key.account_id")
      .select(["api_key.id", "label", "mode", "account.name"])
      .where("revoked_at", "is", null)
      .limit(mostOffered + 1);
    return (await keys.execute()).map(({ id, label, mode, name }) => ({
      value: id,
      text: `${label || mode} of ${name}`,
    }));
  },
  entries: async (request) => {
    const command = request.site.commands.get("catalogue.entries");
    const rows = command
      ? ((await answerIfFound(request, command, {})) as { code: string; description: string }[])
      : [];
    return rows.map(({ code, description }) => ({ value: code, text: description }));
  },
};

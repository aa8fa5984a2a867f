import { AccessError } from "../../access/access-error.ts";
import { CatalogueError } from "../../catalogue/model/catalogue-error.ts";
import { listOf } from "../../declare/command/answer-table.ts";
import { exampleLine } from "../../declare/command/example-line.ts";
import { mend } from "../../declare/command/mend.ts";
import { InputError } from "../../declare/command/read-texts.ts";
import { accept, answered, CommandError, RoleError } from "../../declare/command.ts";
import { holdsLongNumber } from "../../declare/fields.ts";
import type { CommandContext } from "../context.ts";
import type { FoundRow, RecordKinds, RunList } from "./record-kinds.ts";

/** More digits than a name has. */
const mayBeNumber = /\p{Nd}{6}/u;

/** Accounts and people by a part of a name or an e-mail, while somebody types it. */
export async function namesLike(text: string, { account, person }: RecordKinds, context: CommandContext) {
  return holdsLongNumber(text, mayBeNumber) ? [] : recordsLike({ account: account!, person: person! }, text, context);
}

/** Records of these kinds that a text may mean, as whoever asks may see them. */
export async function recordsLike(kinds: RecordKinds, text: string, context: CommandContext) {
  const ask = asking(context);
  const found = await Promise.all(
    Object.entries(kinds).map(async ([kind, { show, by, search }]) => {
      const rows = new Map((await search(text, ask, context.db)).map((row) => [String(row[by]), row]));
      return [...rows].map(([name, { about, state, at }]) => ({
        kind,
        name,
        about: String(about ?? ""),
        at: (at as number | undefined) ?? null,
        state: state === undefined ? null : String(state),
        ...openingOf(show, { [by]: name }),
      }));
    }),
  );
  return found.flat();
}

/** The command that shows a record: its line for a terminal, and as data. */
function openingOf(show: string, input: Readonly<Record<string, string>>) {
  const line = exampleLine({ id: show, target: show.endsWith(".show") ? Object.keys(input) : [] }, input);
  return { open: line, mends: [{ ...mend("Open", show, input), line }] };
}

/** There is none of this name, the text has another form, or the person may not see such things. */
const none = [CommandError, AccessError, CatalogueError, InputError, RoleError];

/** Runs commands with the role of whoever asks. */
function asking(context: CommandContext): RunList {
  return async (id, texts) => {
    const [family] = id.split(".");
    const command = (await context.commands(family)).find((each) => each.id === id)!;
    try {
      const answer = await answered(command, accept(command, context.role, texts, context.config.timeZone), context);
      const member = listOf(command.answer)?.member;
      if (Array.isArray(answer)) return answer;
      return member !== undefined && id.endsWith(".list")
        ? ((answer as FoundRow)[member] as FoundRow[])
        : [answer as FoundRow];
    } catch (error) {
      if (none.some((kind) => error instanceof kind)) return [];
      throw error;
    }
  };
}

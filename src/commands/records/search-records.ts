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

/** Six digits in a row: more than a name has. */
const mayBeNumber = /\p{Nd}{6}/u;

/** Finds accounts and people by part of a name or an e-mail, for suggestions in the search box. */
export async function namesLike(text: string, { account, person }: RecordKinds, context: CommandContext) {
  return holdsLongNumber(text, mayBeNumber) ? [] : recordsLike({ account: account!, person: person! }, text, context);
}

/** Finds records that match a text and that the person's role may see. */
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

/** Returns the command that shows a record, as a command line and as a mend. */
function openingOf(show: string, input: Readonly<Record<string, string>>) {
  const line = exampleLine({ id: show, target: show.endsWith(".show") ? Object.keys(input) : [] }, input);
  return { open: line, mends: [{ ...mend("Open", show, input), line }] };
}

/** These errors mean "no record": an unknown name, another form of text, or a role that may not see the record. */
const none = [CommandError, AccessError, CatalogueError, InputError, RoleError];

/** Returns a function that runs commands with the person's role. */
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

import { AccessError } from "../../access/access-error.ts";
import { CatalogueError } from "../../catalogue/model/catalogue-error.ts";
import { orNull, reference, sentence, time } from "../../operation/command/answer-schema.ts";
import { listOf } from "../../operation/command/answer-table.ts";
import { InputError } from "../../operation/command/read-texts.ts";
import { accept, answered, CommandError, command, RoleError } from "../../operation/command.ts";
import { holdsLongNumber } from "../../operation/fields.ts";
import Type from "../../operation/schema/type.ts";
import type { CommandContext } from "../context.ts";
import { type FoundRow, type RecordKind, type RunList, recordKinds } from "./record-kinds.ts";

type KindName = keyof typeof recordKinds;
const kindNames = Object.keys(recordKinds) as KindName[];

/** Forms of names that may have ten digits in a row and are nobody's number: references, request ids of proxies, UUIDs. */
const ownForms = [
  recordKinds.verification.named,
  /^(?=.*[a-f])[0-9a-f]{32}$/,
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
];

export const findCommand = command({
  id: "find",
  title: "Find",
  summary:
    "Find what a text names: a verification, a request, an account, a key, a person, a vendor, an event, an endpoint, a revision or an entry of the catalogue.",
  description:
    "Paste what you have: a request_reference, a request id, an idempotency key, a key or its id, an e-mail, a name, the last four digits of a " +
    "BVN or NIN, or the id of an event. Duba does not search by a whole BVN, NIN or phone number.",
  role: "viewer",
  kind: "read",
  target: ["text"],
  input: Type.Object({
    text: Type.String({ description: "What you have.", placeholder: "text", minLength: 1, pasted: true }),
  }),
  answer: Type.Array(
    Type.Object({
      kind: Type.Enum(kindNames),
      name: reference,
      about: Type.String(),
      state: orNull(Type.String({ shows: "state" })),
      at: orNull(time),
      open: sentence,
    }),
  ),
  columns: ["kind", "name", "about", "state", "at", "open"],
  none: "Nothing that you may see has this name. A verification is found by its idempotency key for as long as the ledger has it, and a request for as long as DUBA_REQUEST_LOG says.",
  noneThen: { says: "Four digits are the last of a BVN or NIN, and not those of a phone number." },
  examples: [{ text: "3wKwKW719640695" }, { text: "shop@example.com" }, { text: "0017" }],
  run: async ({ text: given }, context: CommandContext) => {
    const text = referenceIn(given) ?? given.trim();
    refuseNumbers(text);
    const alone = kindNames.filter((kind) => {
      const { isAlone, named }: RecordKind = recordKinds[kind];
      return isAlone && named.test(text);
    });
    const found = await searched(alone, text, context);
    return found.length > 0
      ? found
      : searched(
          kindNames.filter((kind) => !alone.includes(kind)),
          text,
          context,
        );
  },
});

/** More digits than a name has. */
const mayBeNumber = /\p{Nd}{6}/u;

/** Accounts and people by a part of a name or an e-mail, while somebody types it. */
export async function namesLike(text: string, context: CommandContext) {
  return holdsLongNumber(text, mayBeNumber) ? [] : searched(["account", "person"], text, context);
}

/** The reference in what a client wrote around it: "Ref: aVi3O… please". */
function referenceIn(text: string): string | undefined {
  return text.split(/[^0-9A-Za-z]+/).find((word) => recordKinds.verification.named.test(word));
}

function refuseNumbers(text: string): void {
  if (ownForms.some((form) => form.test(text)) || !holdsLongNumber(text)) return;
  throw new InputError(
    "Duba does not search by a BVN, a NIN or a phone number. Give the last four digits of the BVN or NIN, and not those of the phone; or the request_reference or the idempotency key. To find " +
      "everything about a person, an officer runs `duba subjects export`.",
  );
}

async function searched(names: readonly KindName[], text: string, context: CommandContext) {
  const ask = asking(context);
  const found = await Promise.all(
    names.map(async (kind) => {
      const { show, by, search }: RecordKind = recordKinds[kind];
      const rows = new Map((await search(text, ask, context.db)).map((row) => [String(row[by]), row]));
      return [...rows].map(([name, { about, state, at }]) => ({
        ...{ kind, name, about: String(about ?? ""), at: (at as number | undefined) ?? null },
        state: state === undefined ? null : String(state),
        open: `duba ${show.replaceAll(".", " ")} ${show.endsWith(".show") ? "" : `--${by.replaceAll("_", "-")} `}${name.includes(" ") ? `"${name}"` : name}`,
      }));
    }),
  );
  return found.flat();
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

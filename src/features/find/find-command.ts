import type { CommandContext } from "../../commands/context.ts";
import { type RecordKinds, referenceForm } from "../../commands/records/record-kinds.ts";
import { recordsLike } from "../../commands/records/search-records.ts";
import { mendsMember, orNull, reference, sentence, time } from "../../declare/command/answer-schema.ts";
import { InputError } from "../../declare/command/read-texts.ts";
import { command } from "../../declare/command.ts";
import { holdsLongNumber } from "../../declare/fields.ts";
import Type from "../../declare/schema/type.ts";

/**
 * Forms of texts that may have ten digits in a row but are not a person's number: references, request ids of proxies,
 * UUIDs.
 */
const ownForms = [
  referenceForm,
  /^(?=.*[a-f])[0-9a-f]{32}$/,
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
];

/** `records`: every kind of record in this build. */
export const findCommand = (records: RecordKinds) =>
  command({
    id: "find",
    title: "Find",
    summary:
      "Find what a text names: a verification, a request, an account, a key, a person, a vendor, an event, " +
      "an endpoint, a revision or an entry of the catalogue.",
    description:
      "Paste what you have: a reference, a request id, an idempotency key, a key or its id, an e-mail, " +
      "a name, the last four digits of a BVN or NIN, or the id of an event. " +
      "Duba does not search by a whole BVN, NIN or phone number.",
    role: "viewer",
    kind: "read",
    shownAs: "found",
    target: ["text"],
    input: Type.Object({
      text: Type.String({ description: "What you have.", placeholder: "text", minLength: 1, pasted: true }),
    }),
    answer: Type.Array(
      Type.Object({
        kind: Type.Enum(Object.keys(records)),
        name: reference,
        about: Type.String(),
        state: orNull(Type.String({ shows: "state" })),
        at: orNull(time),
        open: sentence,
        mends: mendsMember,
      }),
    ),
    columns: ["kind", "name", "about", "state", "at", "open"],
    page: ["kind", "name", "about", "state", "at", { name: "open", of: ({ mends }) => mends, as: mendsMember }],
    none: "Nothing found.",
    noneThen: {
      says:
        "A request is found for as long as the log has it. " +
        "Four digits are the last of a BVN or NIN, and not those of a phone number.",
    },
    examples: [{ text: "3wKwKW719640695" }, { text: "shop@example.com" }, { text: "0017" }],
    run: async ({ text: given }, context: CommandContext) => {
      const text = referenceIn(given) ?? given.trim();
      refuseNumbers(text);
      const those = (wanted: boolean) =>
        Object.fromEntries(
          Object.entries(records).filter(([, { isAlone, named }]) => (isAlone === true && named.test(text)) === wanted),
        );
      const found = await recordsLike(those(true), text, context);
      return found.length > 0 ? found : recordsLike(those(false), text, context);
    },
  });

/** Finds the reference inside a client's text: "Ref: aVi3O… please". */
function referenceIn(text: string): string | undefined {
  return text.split(/[^0-9A-Za-z]+/).find((word) => referenceForm.test(word));
}

function refuseNumbers(text: string): void {
  if (ownForms.some((form) => form.test(text)) || !holdsLongNumber(text)) return;
  throw new InputError(
    "Duba does not search by a BVN, a NIN or a phone number. Give the last four digits of the BVN or NIN, " +
      "and not those of the phone; or the reference or the idempotency key. " +
      "To find everything about a person, an officer runs `duba subjects export`.",
  );
}

import { negativeReasons } from "../../declare/check-kind.ts";
import { reference as referenceFact, state, yes } from "../../declare/command/answer-schema.ts";
import { remark } from "../../declare/command/forms.ts";
import { formed, noteText } from "../../declare/command/read-texts.ts";
import { command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import { type Audited, triedFirst } from "../../storage/audited.ts";
import { ledgerTrail } from "../ledger-trail.ts";
import { publicState } from "../public-state.ts";
import { anyVerification, type SettlingRoom, settle, settledAs } from "../settle.ts";

const about = {
  reference: Type.String({ description: "The reference of the verification." }),
  reason: formed(remark, {
    description: "What the vendor says, for the audit trail. Name no person in it.",
    minLength: 1,
  }),
};

const shared = {
  role: "officer" as const,
  kind: "danger" as const,
  gives: "money" as const,
  target: ["reference" as const],
  fits: ({ state = "unknown" }: Readonly<Record<string, unknown>>) => state === "unknown",
  answer: Type.Object({
    request_reference: referenceFact,
    state: state(settledAs),
    charged: yes,
  }),
  records: [ledgerTrail.verificationSettled],
};

const releaseVerification = command({
  ...shared,
  id: "ledger.release",
  title: "Release…",
  summary: "Release a verification with an unknown outcome: the vendor did no work for it.",
  choices: [
    { when: "The vendor says that it did no work", money: "Nobody is charged. A retry asks a vendor again." },
    {
      when: "The vendor says that it found the person",
      money: "Nobody is charged. A retry asks again and gets the record, and you pay the vendor twice.",
    },
  ],
  description:
    "Ask the vendor first. The verification fails, and its account is charged nothing. " +
    "A retry with its idempotency key asks a vendor again. If the vendor did the work after all, you pay it twice.",
  input: Type.Object(about),
  view: ({ request_reference }) => [
    `${request_reference} is released: it failed, and a retry asks a vendor again. Nobody is charged for it.`,
  ],
  onPage: () => ["Released: it failed, and a retry asks a vendor again. Nobody is charged for it."],
  examples: [{ reference: "3wKwKW719640695", reason: "Not in the vendor's list of 3 November" }],
  effect: (_, room: SettlingRoom, run) => triedFirst(room, run),
  run: async (asked, room: SettlingRoom) => answerOf(await settle(room, { ...asked, as: "failed" })),
});

const settleVerification = command({
  ...shared,
  id: "ledger.settle",
  title: "Settle…",
  summary: "Settle a verification with an unknown outcome: the vendor has no match for it.",
  choices: [
    {
      when: "The vendor says that nobody matches",
      money: "It ends with what the vendor says. Nobody is charged, and a retry gets the same answer.",
    },
  ],
  description:
    "Ask the vendor first. The account is charged nothing, and a retry with the idempotency key gets this outcome. " +
    "If the vendor verified the person, release the verification: a retry then asks again and gets the record.",
  input: Type.Object({
    ...about,
    outcome: Type.Enum([...negativeReasons], { description: "What the vendor says." }),
  }),
  view: ({ request_reference, state }) => [
    `${request_reference} is settled as ${state.replaceAll("_", " ")}. Nobody is charged for it.`,
  ],
  onPage: ({ state }) => [`Settled as ${state.replaceAll("_", " ")}. Nobody is charged for it.`],
  examples: [{ reference: "3wKwKW719640695", outcome: "not_found", reason: "The vendor's support says so" }],
  effect: (_, room: SettlingRoom, run) => triedFirst(room, run),
  run: async ({ outcome, ...asked }, room: SettlingRoom) => answerOf(await settle(room, { ...asked, as: outcome })),
});

const noteVerification = command({
  id: "ledger.note",
  title: "Add a note",
  summary:
    "Write a note on a verification, such as what a vendor's support said. " +
    "It stands in the audit trail, with your name.",
  role: "operator",
  kind: "change",
  target: ["reference"],
  input: Type.Object({ reference: about.reference, note: noteText }),
  answer: Type.Object({ request_reference: referenceFact, note: Type.String() }),
  view: ({ request_reference }) => [`The note on ${request_reference} is kept.`],
  onPage: () => ["The note is kept."],
  records: [ledgerTrail.verificationNoted],
  examples: [{ reference: "3wKwKW719640695", note: "The client asked on the telephone" }],
  run: async ({ reference, note }, { db, audit, actor }: Audited) => {
    await anyVerification(db, reference);
    await audit(db, ledgerTrail.verificationNoted(actor, { reference, note }));
    return { request_reference: reference, note };
  },
});

export const settleCommands = [noteVerification, releaseVerification, settleVerification];

function answerOf({ charged, ...row }: Awaited<ReturnType<typeof settle>>) {
  return { request_reference: row.reference, state: publicState(row) as (typeof settledAs)[number], charged };
}

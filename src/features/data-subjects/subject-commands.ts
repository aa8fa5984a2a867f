import type { CheckInput } from "../../checks/check.ts";
import { anyLabel, checkKinds, labelOf } from "../../declare/check-kind.ts";
import { account, answerFiles, isoOf, list, time } from "../../declare/command/answer-schema.ts";
import { formed } from "../../declare/command/read-texts.ts";
import { CommandError, command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import { KeyedHashes } from "../../keyring/keyed-hash.ts";
import type { Keyring } from "../../keyring/keyring.ts";
import { anyNumber, besideNumber, inputFrom, subjectOnly } from "../../ledger/commands/check-members.ts";
import type { WithAccounts } from "../../ledger/commands/with-accounts.ts";
import type { Audited } from "../../storage/audited.ts";
import { subjectTrail } from "./subject-trail.ts";
import type { SubjectExport } from "./subjects.ts";

type Room = Audited & WithAccounts & { keyring(): Promise<{ ring: Keyring }> };

const person = {
  kind: Type.Enum([...checkKinds], {
    description: "Which number of the person it is.",
    default: "bvn",
    areEqual: true,
  }),
  number: formed(anyNumber, { description: `The ${anyLabel} of the person.`, private: true }),
  ...besideNumber(subjectOnly),
};

const exportSubject = command({
  id: "subjects.export",
  title: "Export what we hold of a person…",
  summary: "Write all data about a person as JSON, to answer the person's request.",
  description:
    "The verifications of the number in all accounts and both modes, with their records if Duba still has them. The " +
    "audit trail gets an entry that does not name the person.",
  onTerminal: `Duba reads the ${anyLabel} from standard input.`,
  role: "officer",
  kind: "change",
  gives: "personal data",
  input: Type.Object(person),
  answer: Type.Object({ receipt: Type.String(), verifications: Type.Integer(), files: answerFiles }),
  view: ({ receipt, verifications }) => [`Exported as ${receipt}. Verifications: ${verifications}.`],
  records: [subjectTrail.exported],
  examples: [{}, { kind: "nin" }],
  effect: async (given, _: Room) => {
    inputFrom(given, subjectOnly);
    return { says: [] };
  },
  run: async (given, room: Room) => {
    const person = inputFrom(given, subjectOnly);
    const { exportSubject } = await import("./subjects.ts");
    const held = await exportSubject(await steadyPartsOf(room), person);
    const nameOf = await room.accounts.names(held.verifications.map(({ accountId }) => accountId));
    const text = `${JSON.stringify(exported(held, person, nameOf), null, 2)}\n`;
    return {
      receipt: held.receipt,
      verifications: held.verifications.length,
      files: [{ name: `${held.receipt}.json`, text }],
    };
  },
});

const eraseSubject = command({
  id: "subjects.erase",
  title: "Erase what we hold of a person…",
  summary: "Destroy all records of a person, and remove the person from the ledger.",
  description:
    "The ledger keeps the charges, without the hash and last digits of the number and without the consent " +
    "reference. A retry of a verification receives 410 record_no_longer_held. " +
    "You get a receipt that does not name the person, and none if Duba holds nothing about the number.",
  onTerminal: `Duba reads the ${anyLabel} from standard input.`,
  role: "officer",
  kind: "danger",
  gives: "personal data",
  target: ["number"],
  input: Type.Object(person),
  answer: Type.Object({
    receipt: Type.String(),
    erased_at: time,
    off_disk: Type.Boolean(),
    accounts: Type.Array(
      Type.Object({
        account,
        mode: Type.Enum(["test", "live"]),
        verifications: Type.Integer(),
        records_destroyed: Type.Integer(),
      }),
    ),
  }),
  view: ({ receipt, erased_at, off_disk }, { at }) => [
    `Receipt: ${receipt}`,
    `Erased:  ${at(erased_at, true)}`,
    "",
    list,
    ...(off_disk
      ? []
      : [
          {
            problem:
              "The erased data may still be in the database's files, because another process, " +
              "such as a backup, was reading them.",
            note: "The service removes it once that process ends.",
          },
        ]),
  ],
  isWell: ({ off_disk }) => off_disk,
  records: [subjectTrail.erased],
  guide: {
    heading: "What it does not erase:",
    items: [
      ["The other number", "A person verified by BVN and by NIN is erased once by each: Duba does not link the two."],
      ["Backups", "Backups contain hashes and last digits, but no records. Erase the person again after a restore."],
      ["File copies", "Other copies of the database still contain the data."],
      [
        "PostgreSQL",
        "The write-ahead log, its archive and replicas contain the key of the record until you remove them or " +
          "retire the record key of the key ring.",
      ],
    ],
  },
  examples: [{}, { kind: "nin" }],
  effect: async (given, room: Room) => {
    const person = inputFrom(given, subjectOnly);
    const { countSubject } = await import("./subjects.ts");
    const held = await countSubject(await steadyPartsOf(room), person);
    if (held.length === 0) throw nothingHeld(person);
    const emailOf = await room.accounts.emails(held.map(({ accountId }) => accountId));
    const ofAccounts = held.map(
      ({ accountId, mode, verifications, records }) =>
        `${verifications} of ${emailOf(accountId)} (${mode}), with ${records} ${records === 1 ? "record" : "records"}`,
    );
    return { says: [`Duba holds verifications of ${endingOf(person)}: ${ofAccounts.join("; ")}.`] };
  },
  run: async (given, room: Room) => {
    const person = inputFrom(given, subjectOnly);
    const { eraseSubject } = await import("./subjects.ts");
    const { receipt, erasedAt, accounts, isOffDisk } = await eraseSubject(await steadyPartsOf(room), person);
    if (accounts.length === 0) throw nothingHeld(person);
    const emailOf = await room.accounts.emails(accounts.map(({ accountId }) => accountId));
    return {
      receipt,
      erased_at: erasedAt,
      off_disk: isOffDisk,
      accounts: accounts.map(({ accountId, mode, verifications, records }) => ({
        account: emailOf(accountId),
        mode,
        verifications,
        records_destroyed: records,
      })),
    };
  },
});

const endingOf = ({ kind, number }: CheckInput) => `the ${labelOf(kind)} ending ${number.slice(-4)}`;

function nothingHeld(person: CheckInput): CommandError {
  return new CommandError(
    `Duba holds nothing about ${endingOf(person)}, so nothing was erased and there is no receipt.`,
  );
}

export const subjectCommands = [exportSubject, eraseSubject];

async function steadyPartsOf({ keyring: open, ...store }: Room) {
  const keyring = { current: (await open()).ring };
  return { ...store, keyring, keyedHashes: new KeyedHashes(keyring) };
}

function exported(
  { receipt, exportedAt, verifications }: SubjectExport,
  { kind, number, claims }: CheckInput,
  nameOf: (id: string) => string,
) {
  return {
    receipt,
    exported_at: isoOf(exportedAt),
    [kind]: number,
    ...claims,
    also_held: `Of each verification: the ${labelOf(kind)}'s last four digits, and keyed hashes of the ${labelOf(kind)}, of the request and of its idempotency key.`,
    verifications: verifications.map(({ reference, accountId, record, ...verification }) => ({
      request_reference: reference,
      account: nameOf(accountId),
      mode: verification.mode,
      state: verification.state,
      source: verification.upstream,
      consent_reference: verification.consentReference,
      created_at: isoOf(verification.createdAt),
      completed_at: isoOf(verification.completedAt),
      look_ups: verification.lookUps.map(({ vendor, at, reference }) => ({
        source: vendor,
        asked_at: isoOf(at),
        source_reference: reference,
      })),
      record,
    })),
  };
}

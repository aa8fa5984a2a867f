import { type Command, Option } from "commander";
import Type from "typebox";
import { listAccounts } from "../../access/accounts/accounts.ts";
import { settings } from "../../config/settings.ts";
import { checks } from "../../identity/checks/index.ts";
import type { Erasure, SubjectExport } from "../../identity/data-subjects/subjects.ts";
import { KeyedHashes } from "../../keyring/keyed-hash.ts";
import { type CheckKind, checkKinds, labelOf } from "../../operation/check-kind.ts";
import { digitsOf } from "../../operation/fields.ts";
import { inputReader } from "../../operation/validate-input.ts";
import { examples, section, subcommand } from "../terminal/help.ts";
import { type Io, UsageFault } from "../terminal/io.ts";
import { settingOption } from "../terminal/options.ts";
import { painter, table } from "../terminal/table.ts";
import { linesOf } from "./call/members.ts";
import { type Ringed, withRing } from "./keyring.ts";

/** `duba subjects`: what is held about one person. `ended` hears 1 when an erasure is not complete. */
export function addSubjects(program: Command, io: Io, ended: (exitCode: number) => void): void {
  const about = "What is held about one person, by BVN or NIN from standard input: export, erase.";
  const subjects = subcommand(program, "subjects", about);
  addExport(subjects, io);
  addErase(subjects, io, ended);
  examples(subjects, "duba subjects export > held.json", "duba subjects erase");
}

function addExport(subjects: Command, io: Io): void {
  const about =
    "Print all that is held about a person as JSON, for that person's own request: every verification of the number, of all " +
    "accounts and both modes, with its record while that is held. The audit trail notes that it was done, not of whom.";
  const command = subcommand(subjects, "export", about)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .addOption(kindOption())
    .action(async ({ data, kind }: { data?: string; kind: CheckKind }) => {
      const person = { kind, number: await readNumber(io, kind) };
      const { held, names } = await withRing(io, data, async (ringed) => {
        const { exportSubject } = await import("../../identity/data-subjects/subjects.ts");
        return { held: await exportSubject(partsOf(ringed), person), names: await namesOf(ringed) };
      });
      io.out(`${JSON.stringify(exported(held, person, names), null, 2)}\n`);
      io.err(`${held.verifications.length} verifications were exported as ${held.receipt}.\n`);
    });
  examples(command, "duba subjects export > held.json", "duba subjects export --kind nin < nin.txt > held.json");
}

function addErase(subjects: Command, io: Io, ended: (exitCode: number) => void): void {
  const about =
    "Destroy every record held about a person, and unlink the person from the ledger: what was charged stays there, without " +
    "the number's hash and last digits and without the consent reference. A repeated call is told that the record is no longer " +
    "held. Prints a receipt that does not name the person.";
  const command = subcommand(subjects, "erase", about)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .addOption(kindOption())
    .option("--json", "print the receipt as JSON")
    .action(async ({ data, kind, json }: { data?: string; kind: CheckKind; json?: true }) => {
      const person = { kind, number: await readNumber(io, kind) };
      const { erasure, names } = await withRing(io, data, async (ringed) => {
        const { eraseSubject } = await import("../../identity/data-subjects/subjects.ts");
        return { erasure: await eraseSubject(partsOf(ringed), person), names: await namesOf(ringed) };
      });
      tell(io, erasure, names, json === true);
      if (erasure.isOffDisk) return;
      io.err(
        "What was erased may still be in the database's files, since another process read them all the time, such as ",
      );
      io.err("a backup. Run this again when that process has ended.\n");
      ended(1);
    });
  section(command, "What it does not reach:", [
    ["The other number", "A person verified by BVN and by NIN is erased once by each: Duba does not link the two."],
    ["Backups", "Those of duba backup hold no records, but hashes and last digits: erase again after a restore."],
    ["File copies", "Copies of the database made by other means hold what was there."],
    [
      "PostgreSQL",
      "Its write-ahead log, archive and replicas hold the key until they are removed or the ring's key is retired.",
    ],
  ]);
  examples(command, "duba subjects erase", "duba subjects erase --json < bvn.txt > receipt.json");
}

function kindOption(): Option {
  return new Option("--kind <kind>", "which number of the person is read from standard input")
    .choices(checkKinds)
    .default("bvn");
}

/** A command line is seen by other users of the machine, so a number is never an argument. */
async function readNumber({ stdin, err }: Io, kind: CheckKind): Promise<string> {
  if (stdin.isTTY) err(`${labelOf(kind)}: `);
  const readPerson = inputReader(Type.Object({ [kind]: checks[kind].field }));
  const lines = linesOf(stdin);
  const { input, faults } = readPerson({ [kind]: (await lines.next()).value ?? "" });
  await lines.return(undefined);
  if (faults.length > 0) throw new UsageFault(`On standard input, the ${faults[0]!.message}`);
  return digitsOf(input[kind]!);
}

function partsOf({ ring, ...store }: Ringed) {
  const keyring = { current: ring };
  return { ...store, keyring, keyedHashes: new KeyedHashes(keyring) };
}

/** Names and e-mails of all accounts, by id. */
async function namesOf({ db }: Ringed): Promise<Map<string, { name: string; email: string }>> {
  return new Map((await listAccounts(db)).map(({ id, name, email }) => [id, { name, email }]));
}

type Names = Awaited<ReturnType<typeof namesOf>>;

function tell(io: Io, { receipt, erasedAt, accounts }: Erasure, names: Names, asJson: boolean): void {
  const rows = accounts.map(({ accountId, mode, verifications, records }) => ({
    account: names.get(accountId)?.email ?? accountId,
    mode,
    verifications,
    records_destroyed: records,
  }));
  const erased_at = new Date(erasedAt).toISOString();
  if (asJson) io.out(`${JSON.stringify({ receipt, erased_at, accounts: rows }, null, 2)}\n`);
  else io.out(`Receipt: ${receipt}\nErased:  ${erased_at}\n\n${table(rows, painter(io.colours?.out))}`);
}

function exported(
  { receipt, exportedAt, verifications }: SubjectExport,
  { kind, number }: { kind: CheckKind; number: string },
  names: Names,
) {
  return {
    receipt,
    exported_at: new Date(exportedAt).toISOString(),
    [kind]: number,
    also_held: `Of each verification: the ${labelOf(kind)}'s last four digits, and keyed hashes of the ${labelOf(kind)} and of the request.`,
    verifications: verifications.map(({ reference, accountId, record, ...verification }) => ({
      request_reference: reference,
      account: names.get(accountId)?.name ?? accountId,
      mode: verification.mode,
      state: verification.state,
      source: verification.upstream,
      consent_reference: verification.consentReference,
      created_at: new Date(verification.createdAt).toISOString(),
      completed_at: verification.completedAt === null ? null : new Date(verification.completedAt).toISOString(),
      record,
    })),
  };
}

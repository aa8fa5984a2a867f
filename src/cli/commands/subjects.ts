import { type Command, Option } from "commander";
import Type from "typebox";
import { listAccounts } from "../../access/accounts/accounts.ts";
import { settings } from "../../config/settings.ts";
import { checks } from "../../identity/checks/index.ts";
import type { Erasure, SubjectExport } from "../../identity/data-subjects/subjects.ts";
import { KeyedHashes } from "../../keyring/keyed-hash.ts";
import { anyLabel, type CheckKind, checkKinds, labelOf } from "../../operation/check-kind.ts";
import { digitsOf } from "../../operation/fields.ts";
import { inputReader } from "../../operation/validate-input.ts";
import { examples, section, subcommand } from "../terminal/help.ts";
import { type Io, UsageFault } from "../terminal/io.ts";
import { settingOption } from "../terminal/options.ts";
import { painter, table } from "../terminal/table.ts";
import { linesOf } from "./call/members.ts";
import { type StoreWithKeyring, withKeyring } from "./keyring.ts";

/** `duba subjects`: the data of one person. The exit code is 1 when an erasure is not complete. */
export function addSubjects(program: Command, io: Io, setExitCode: (exitCode: number) => void): void {
  const about = `Export or erase the data of one person: export, erase. Duba reads the ${anyLabel} from standard input.`;
  const subjects = subcommand(program, "subjects", about);
  addExport(subjects, io);
  addErase(subjects, io, setExitCode);
  examples(subjects, "duba subjects export > held.json", "duba subjects erase");
}

function addExport(subjects: Command, io: Io): void {
  const about =
    "Print all data about a person as JSON, to answer the person's request: the verifications of the number in all accounts " +
    "and both modes, with their records if Duba still has them. The audit trail gets an entry that does not name the person.";
  const command = subcommand(subjects, "export", about)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .addOption(kindOption())
    .action(async ({ data, kind }: { data?: string; kind: CheckKind }) => {
      const person = { kind, number: await readNumber(io, kind) };
      const { held, names } = await withKeyring(io, data, async (ringed) => {
        const { exportSubject } = await import("../../identity/data-subjects/subjects.ts");
        return { held: await exportSubject(partsOf(ringed), person), names: await namesOf(ringed) };
      });
      io.out(`${JSON.stringify(exported(held, person, names), null, 2)}\n`);
      io.err(`${held.verifications.length} verifications were exported as ${held.receipt}.\n`);
    });
  examples(command, "duba subjects export > held.json", "duba subjects export --kind nin < nin.txt > held.json");
}

function addErase(subjects: Command, io: Io, setExitCode: (exitCode: number) => void): void {
  const about =
    "Destroy all records of a person, and remove the person from the ledger. The ledger keeps the charges, without the hash " +
    "and last digits of the number and without the consent reference. A retry of a verification receives 410 " +
    "record_no_longer_held. The command prints a receipt that does not name the person.";
  const command = subcommand(subjects, "erase", about)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .addOption(kindOption())
    .option("--json", "print the receipt as JSON")
    .action(async ({ data, kind, json }: { data?: string; kind: CheckKind; json?: true }) => {
      const person = { kind, number: await readNumber(io, kind) };
      const { erasure, names } = await withKeyring(io, data, async (ringed) => {
        const { eraseSubject } = await import("../../identity/data-subjects/subjects.ts");
        return { erasure: await eraseSubject(partsOf(ringed), person), names: await namesOf(ringed) };
      });
      print(io, erasure, names, json === true);
      if (erasure.isOffDisk) return;
      io.err(
        "The erased data may still be in the database's files, because another process, such as a backup, was reading them. ",
      );
      io.err("Run this command again after that process ends.\n");
      setExitCode(1);
    });
  section(command, "What it does not erase:", [
    [
      "The other number",
      "Duba does not know which numbers belong to the same person. Erase the person by each kind of number.",
    ],
    ["Backups", "Backups contain hashes and last digits, but no records. Erase the person again after a restore."],
    ["File copies", "Other copies of the database still contain the data."],
    [
      "PostgreSQL",
      "The write-ahead log, its archive and replicas contain the key of the record until you remove them or retire the record key of the key ring.",
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

function partsOf({ ring, ...store }: StoreWithKeyring) {
  const keyring = { current: ring };
  return { ...store, keyring, keyedHashes: new KeyedHashes(keyring) };
}

/** Names and e-mails of all accounts, by id. */
async function namesOf({ db }: StoreWithKeyring): Promise<Map<string, { name: string; email: string }>> {
  return new Map((await listAccounts(db)).map(({ id, name, email }) => [id, { name, email }]));
}

type Names = Awaited<ReturnType<typeof namesOf>>;

function print(io: Io, { receipt, erasedAt, accounts }: Erasure, names: Names, asJson: boolean): void {
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

import { basename } from "node:path";
import { answerFiles } from "../../declare/command/answer-schema.ts";
import { type ChosenFile, files, formed, InputError } from "../../declare/command/read-texts.ts";
import { command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import { type ListName, listNames } from "../../lists/index.ts";
import { withLists } from "../document/replace-lists.ts";
import { type Conflict, threeWay } from "../document/three-way.ts";
import { csvOf, type ReadList } from "../files/csv.ts";
import { jsonOf } from "../files/json.ts";
import { readLists } from "../files/read-lists.ts";
import type { EntryContent } from "../model/lists.ts";
import { inOrder, type Snapshot } from "../model/snapshot.ts";
import { snapshotAt } from "../revisions/load.ts";
import type { Plan } from "../revisions/review.ts";
import { changeCommand, changed, priceChange } from "./change-answer.ts";
import { conflictTexts } from "./conflict-text.ts";
import { importPrices, priceColumns, pricesFile } from "./price-files.ts";
import type { PricedRoom } from "./priced-room.ts";
import { dryRun, holdsFrom, note, revisionForm, roomPublisher } from "./publisher.ts";

/** The possible contents of a file. */
const fileLists = [...listNames, "prices"] as const;

const importFiles = priceChange({
  id: "catalogue.import",
  title: "Import files…",
  summary: "Replace lists of the catalogue, or special prices, with those from files.",
  description: `CSV with a header line and one list per file, or JSON with any lists.
An import removes entries that are not in the file of their list. Lists that are not in the files do not change.
All files together make one revision. If a file has a problem, nothing changes. Importing the same files again has no effect.
A change that removes many entries, changes a price by much, or empties a provider waits for approval. Duba does not serve it before.
If you name the revision that the files were exported from, an older file does not undo what others changed since: only what the file \
changed is applied. If both changed the same value, the catalogue's value stays, and the answer names it.
A file prices.csv, alone, replaces all special prices of the accounts and groups in it. ${priceColumns} Each other line has a margin or a price. \
Without the column group, accounts stay in their groups.`,
  onTerminal: "The exit code is then 1, as it is for a change that waits for approval.",
  role: "operator",
  mayBeDanger: true,
  target: ["file"],
  input: Type.Object({
    file: files({
      description: "CSV files with the name of their list, such as data-bundles.csv or prices.csv, or JSON files.",
    }),
    list: Type.Optional(
      Type.Enum(fileLists, { description: "What is in the CSV file, if the file has another name." }),
    ),
    since: Type.Optional(
      formed(revisionForm, {
        description: "Revision that the files were exported from. `duba catalogue export` shows it.",
        placeholder: "revision",
      }),
    ),
    dry_run: dryRun,
    holds_from: holdsFrom,
    note,
  }),
  examples: [
    { file: ["data-bundles.csv"], dry_run: true },
    { file: ["data-bundles.csv"], note: "MTN raised prices" },
    { file: ["data-providers.csv", "data-bundles.csv"] },
    { file: ["data-bundles.csv"], since: "7" },
    { file: ["monday.csv"], list: "data-bundles", holds_from: "2099-02-01T00:00+01:00" },
  ],
  isWell: (answer) => changeCommand.isWell(answer) && answer.left_out === undefined,
  run: async ({ file, list: chosen, since, dry_run, holds_from, note = "" }, room: PricedRoom) => {
    if (chosen === "prices" || (chosen === undefined && file.some(isOfPrices))) {
      if (file.length > 1) throw new InputError("Special prices are imported alone: name that file only.");
      if (since !== undefined || holds_from !== undefined)
        throw new InputError("A file of special prices takes no revision and no time: its lines may have times.");
      return importPrices(file[0]!, { dry_run, note: note || "Prices from a file" }, room);
    }
    const list = chosen;
    const told = { at: holds_from ?? room.now(), by: room.actor };
    const read = (await readFiles(file, list)).map((each) => ({ ...each, told }));
    const problems = read.flatMap((each) => each.problems);
    let conflicts: readonly Conflict[] = [];
    const plan: Plan = async (base) => {
      if (since === undefined) return withLists(base, read, problems);
      const before = await snapshotAt(room.db, await roomPublisher(room).latest(), since);
      const merged = await threeWay(before, await withLists(before, read, problems), base);
      conflicts = merged.conflicts;
      return merged.document;
    };
    const answer = await changed(room, plan, { source: "import", note, dry_run, holds_from });
    const left_out = conflictTexts(conflicts, "file");
    return left_out.length === 0 ? answer : { ...answer, left_out };
  },
});

const exportFiles = command({
  id: "catalogue.export",
  title: "Export a list…",
  summary: "Write the catalogue to files for `duba catalogue import`.",
  description: `All lists as JSON, one list as CSV, or each list as CSV in a directory.
Importing an exported file has no effect. Special prices of accounts and groups are a list of their own. ${priceColumns}`,
  role: "viewer",
  kind: "read",
  input: Type.Object({
    list: Type.Optional(Type.Enum(fileLists, { description: "Only this list. Default format: CSV." })),
    format: Type.Optional(
      Type.Enum(["csv", "json"], {
        description: "Format of the output. Default: CSV for one list, else JSON.",
      }),
    ),
    revision: Type.Optional(
      formed(revisionForm, { description: "Export this revision. Default: the newest.", placeholder: "number" }),
    ),
    account: Type.Optional(
      Type.String({
        description: "For the list prices: only those of this account or group.",
        placeholder: "id or e-mail",
      }),
    ),
  }),
  answer: Type.Object({ revision: Type.Integer(), files: answerFiles }),
  view: ({ revision }) => [`This is revision ${revision} of the catalogue.`],
  examples: [{ list: "data-bundles" }, {}, { revision: "7" }, { list: "prices", account: "shop@example.com" }],
  run: async ({ list, format, revision, account }, room: PricedRoom & { savesSeveral: boolean }) => {
    if (account !== undefined && list !== "prices")
      throw new InputError("Only special prices are of an account. Choose the list prices.");
    if (list === "prices") {
      if (format === "json") throw new InputError("Special prices are exported as CSV only.");
      const priced = await roomPublisher(room).latest();
      const at = revision === undefined ? priced : await snapshotAt(room.db, priced, revision);
      return { revision: at.revision, files: [await pricesFile(at, account, room)] };
    }
    const form = format ?? (list || room.savesSeveral ? "csv" : "json");
    const chosen = list ? [list] : listNames;
    if (form === "csv" && !list && !room.savesSeveral)
      throw new InputError("A CSV file contains one list. Choose the list.");
    const latest = await roomPublisher(room).latest();
    const snapshot = revision === undefined ? latest : await snapshotAt(room.db, latest, revision);
    const files =
      form === "csv"
        ? chosen.map((list) => ({ name: `${list}.csv`, text: csvOf(list, contents(snapshot, list)) }))
        : [{ name: "catalogue.json", text: jsonOf(chosen.map((list) => [list, contents(snapshot, list)])) }];
    return { revision: snapshot.revision, files };
  },
});

/** Whether a file holds special prices, judged by the file's name. */
function isOfPrices({ name }: ChosenFile): boolean {
  return basename(name).toLowerCase() === "prices.csv";
}

export const fileCommands = [importFiles, exportFiles];

function contents(snapshot: Snapshot, list: ListName): EntryContent[] {
  return Array.from(inOrder(snapshot, list), ({ content }) => content);
}

async function readFiles(files: readonly ChosenFile[], list: ListName | undefined): Promise<ReadList[]> {
  if (list !== undefined && files.length > 1) throw new InputError("You can name the list of one file only.");
  const read: ReadList[] = [];
  for (const file of files) read.push(...(await readFile(file, list)));
  const twice = read.find((each, at) => read.findIndex((other) => other.list === each.list) < at);
  if (twice) throw new InputError(`${twice.list} is in two files. Remove one of them.`);
  return read;
}

async function readFile(file: ChosenFile, list: ListName | undefined): Promise<ReadList[]> {
  const ending = /\.(csv|json)$/i.exec(file.name)?.[1]?.toLowerCase();
  if (ending === undefined) throw new InputError(`The name of ${file.name} must end in .csv or .json.`);
  return readLists(file, ending === "csv" ? (list ?? listNamed(file.name)) : undefined);
}

function listNamed(file: string): ListName {
  const name = basename(file).replace(/\.csv$/i, "");
  const list = listNames.find((each) => each === name.toLowerCase());
  if (list) return list;
  throw new InputError(`${file} does not have the name of a list. Choose the list: one of ${fileLists.join(", ")}.`);
}

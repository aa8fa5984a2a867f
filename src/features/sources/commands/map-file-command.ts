import { type CatalogueRoom, roomPublisher } from "../../../catalogue/commands/publisher.ts";
import { CatalogueError, mostErrors } from "../../../catalogue/model/catalogue-error.ts";
import { foldCase, isSameCode } from "../../../catalogue/model/codes.ts";
import type { Snapshot } from "../../../catalogue/model/snapshot.ts";
import { soldLists } from "../../../catalogue/model/supply.ts";
import { orNull } from "../../../declare/command/answer-schema.ts";
import { mend } from "../../../declare/command/mend.ts";
import { type ChosenFile, files, flag, InputError } from "../../../declare/command/read-texts.ts";
import { command } from "../../../declare/command.ts";
import Type from "../../../declare/schema/type.ts";
import type { ListName } from "../../../lists/index.ts";
import { Decisions, decisionOf } from "../mapping/decision.ts";
import { Mapping, type MappingRow } from "../mapping/mapping.ts";
import { decideMapping, mappingRows, readMapping } from "../mapping/mapping-rows.ts";
import type { Proposal } from "../mapping/own-codes.ts";
import { type MappingLine, readMappingFile } from "../mapping/read-mapping.ts";
import { sourcesTrail } from "../sources-trail.ts";
import { catalogueSources } from "../vendors/every-source.ts";

export const ownCodeForm = /^[!-~]{1,64}$/;

export const importMapping = command({
  id: "catalogue.map.import",
  title: "Match codes from a file…",
  summary: "Name our codes of many entries of a source, from a CSV file.",
  description: `The columns are \`own\` (our code below the same provider or product, or none) and \`source_code\` (the codes at the source, such as MTNDATA 231); \`list\` may say \
which list it is. The table of \`duba catalogue map list --csv\` is such a file: lines whose own is empty are left to you. If a line has a problem, nothing changes.`,
  role: "operator",
  kind: "change",
  gives: "money",
  givesNothing: ({ dry_run }) => dry_run === true,
  target: ["source", "file"],
  fits: () => false,
  input: Type.Object({
    source: Type.Enum(
      catalogueSources.map(({ name }) => name),
      { description: "The source." },
    ),
    file: files({ description: "A CSV file." }),
    list: Type.Optional(Type.Enum(soldLists, { description: "The list of all lines." })),
    dry_run: flag("Show what would change, and change nothing."),
  }),
  answer: Type.Object({
    source: Type.String(),
    dry_run: Type.Boolean(),
    changes: Type.Array(
      Type.Object({
        list: Type.String(),
        source_code: Type.String(),
        about: Type.String(),
        /** Our former code; null if nobody had decided one, or if the entry was never served. */
        was: orNull(Type.String()),
        /** Our code; null if the entry is never served. */
        own: orNull(Type.String()),
        is_new: Type.Boolean(),
      }),
    ),
    unchanged: Type.Integer(),
    left: Type.Integer(),
  }),
  view: ({ source, dry_run, changes, unchanged, left }) => [
    ...changes.map(({ list, source_code, about, was, own, is_new }) => {
      const to = own === null ? "never served" : `${own}${is_new ? ", which is new" : ""}`;
      return `${list}: ${source_code}${about && ` (${about})`} is ${to}${was === null ? "" : `; it was ${was}`}.`;
    }),
    `${changes.length} entries of ${source} ${dry_run ? "would be" : "are"} mapped, ${unchanged} are mapped so already, and ${left} lines name no code.`,
    ...(dry_run
      ? []
      : [
          {
            note: `The next pull serves them, if ${source} is followed.`,
            mends: [mend("To pull now", "sources.pull", { name: source })],
          },
        ]),
  ],
  records: [sourcesTrail.mapped],
  examples: [
    { source: "ebills", file: ["mapping.csv"], list: "data-bundles", dry_run: true },
    { source: "ebills", file: ["mapping.csv"] },
  ],
  effect: async (input, room: CatalogueRoom) => {
    (await planning(input, room))(await mappingRows(room.db));
    return { says: [] };
  },
  run: async ({ dry_run = false, ...input }, room: CatalogueRoom) => {
    const { source } = input;
    const plan = await planning(input, room);
    let planned = plan(await mappingRows(room.db));
    if (!dry_run)
      await decideMapping(roomPublisher(room), source, (rows) => {
        planned = plan(rows);
        return planned.made.map(({ decision }) => decision);
      });
    const changes = planned.made.map(({ decision, was }) => ({
      list: decision.list,
      source_code: decision.code,
      about: decision.about,
      was,
      own: decision.own,
      is_new: decision.is_new === 1,
    }));
    return { source, dry_run, changes, unchanged: planned.unchanged, left: planned.left };
  },
});

/** Returns a function that plans, given all rows, the decisions of a file. */
async function planning(
  { source, file, list }: { source: string; file: readonly ChosenFile[]; list?: Proposal["list"] },
  room: CatalogueRoom,
) {
  if (file.length > 1) throw new InputError("Name one file.");
  const read = await readMappingFile(file[0]!);
  const base = await roomPublisher(room).latest();
  const { names } = await readMapping(room.db);
  return (rows: readonly MappingRow[]) => decisionsIn(read, { source, list }, { rows, names, base });
}

interface Present {
  readonly rows: readonly MappingRow[];
  readonly names: ReadonlyMap<ListName, string>;
  readonly base: Snapshot;
}

/** Returns the decisions of a file. Throws a `CatalogueError` with the problems of all lines. */
function decisionsIn(
  { lines, problems: unread }: Awaited<ReturnType<typeof readMappingFile>>,
  { source, list }: { source: string; list: Proposal["list"] | undefined },
  { rows, names, base }: Present,
) {
  const problems = [...unread];
  const ofSource = rows.filter((row) => row.source === source);
  const known = new Decisions(ofSource);
  const listsOf = Map.groupBy(ofSource, ({ code }) => code);
  const wanted = new Map<string, { line: MappingLine; list: Proposal["list"] }>();
  let left = 0;
  for (const line of lines) {
    const its = declaredList(line, list, listsOf.get(foldCase(line.code)) ?? []);
    const key = `${its} ${foldCase(line.code)}`;
    if (line.source !== "" && line.source !== source)
      problems.push(`${line.place}: is of ${line.source}, not of ${source}.`);
    else if (line.own === "") left += 1;
    else if (!ownCodeForm.test(line.own)) problems.push(`${line.place}: own must be one code without spaces, or none.`);
    else if (its === undefined) problems.push(`${line.place}: name the list of ${line.code}.`);
    else if (wanted.has(key)) problems.push(`${line.place}: ${line.code} is listed twice.`);
    else wanted.set(key, { line, list: its });
  }
  const isThere = (row: MappingRow | undefined, own: string) =>
    own === "none" ? row?.state === "never" : row?.state === "approved" && isSameCode(row.own!, own);
  const open = [...wanted.values()].filter(({ line, list }) => !isThere(known.known(list, line.code), line.own));
  // An entry that the file decides anew no longer occupies its old code.
  const replaced = new Set(open.map(({ line, list }) => known.known(list, line.code)));
  let present = rows.map((row) => (replaced.has(row) ? { ...row, decided_by: null, decided_at: null } : row));
  const decisions = new Decisions(present.filter((row) => row.source === source));
  const made: { decision: Proposal; was: string | null }[] = [];
  // Products come before their add-ons.
  for (const list of soldLists) {
    const mapping = new Mapping(present, names).withOwnNames();
    const rowsMade: MappingRow[] = [];
    for (const { line } of open.filter((each) => each.list === list))
      try {
        const decision = decisionOf({ source, list, text: line.code, own: line.own }, decisions, mapping, base);
        const before = known.known(list, line.code);
        made.push({ decision, was: before?.decided_by == null ? null : before.own });
        rowsMade.push({ ...decision, decided_by: "file", decided_at: 0 });
        decisions.add(rowsMade.at(-1)!);
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        problems.push(`${line.place}: ${error.message}`);
      }
    present = [...present, ...rowsMade];
  }
  if (problems.length > 0) {
    const rest = problems.length - mostErrors;
    throw new CatalogueError(
      [...problems.slice(0, mostErrors), ...(rest > 0 ? [`${rest} more lines.`] : [])].join("\n"),
    );
  }
  return { made, unchanged: wanted.size - open.length, left };
}

/**
 * Returns the list of a line: the one that the line names, else the chosen one, else the only one that has its code.
 */
function declaredList({ list }: MappingLine, chosen: Proposal["list"] | undefined, rows: readonly MappingRow[]) {
  if (chosen !== undefined || list !== "") return soldLists.find((each) => each === (list || chosen));
  return rows.length === 1 ? rows[0]!.list : undefined;
}

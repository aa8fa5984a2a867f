import { readRows } from "../../../catalogue/files/csv.ts";
import { readWithErrors, tooManyEntries } from "../../../catalogue/files/file-errors.ts";
import { mostEntries } from "../../../catalogue/model/lists.ts";
import { readChosen } from "../../../declare/command/read-chosen.ts";
import type { ChosenFile } from "../../../declare/command/read-texts.ts";
import { slicesOf } from "../../../runtime/threads/in-thread.ts";

/** A line of a mapping file. `source`, `list` and `own` may be empty. */
export interface MappingLine {
  readonly place: string;
  readonly source: string;
  readonly list: string;
  readonly code: string;
  readonly own: string;
}

interface MappingFile {
  readonly lines: readonly MappingLine[];
  /** Sentences with their places. */
  readonly problems: readonly string[];
}

/** The columns of `duba catalogue map list`, so that its table can be used as a mapping file. */
const columns = {
  of: "a mapping",
  all: ["source", "list", "source_code", "about", "state", "own", "is_new", "why", "decided_by", "decided_at"],
  needed: ["own", "source_code"],
};

/** Reads a CSV file of own codes and codes of a source in a worker thread. */
export async function readMappingFile(file: ChosenFile): Promise<MappingFile> {
  const lines: MappingLine[] = [];
  const problems: string[] = [];
  for await (const part of readChosen(file, import.meta.url, partsOfMapping)) {
    lines.push(...part.lines);
    problems.push(...part.problems);
  }
  return { lines, problems };
}

/** Runs in the thread. */
export function* partsOfMapping(bytes: Uint8Array): Generator<MappingFile, void> {
  const lines: MappingLine[] = [];
  const { problems, isStopped } = readWithErrors((problem) =>
    readRows(bytes, columns, problem, ({ values, place }) => {
      const text = (name: string) => (values[name] ?? "").trim().replace(/\s+/g, " ");
      const line = { place, source: text("source"), list: text("list"), code: text("source_code"), own: text("own") };
      if (line.code === "") problem(place, "source_code is empty");
      else lines.push(line);
      if (lines.length > mostEntries) problem(place, tooManyEntries(), true);
    }),
  );
  yield { lines: [], problems: problems.map(({ place, sentence }) => `${place && `${place}: `}${sentence}.`) };
  if (!isStopped) for (const slice of slicesOf(lines)) yield { lines: slice, problems: [] };
}

import { parse } from "csv-parse/sync";
import { remark } from "../../declare/command/forms.ts";
import { type ChosenFile, InputError } from "../../declare/command/read-texts.ts";

const columns = ["about", "purpose", "basis", "country"] as const;

/** The operator's statements about an activity or a vendor. */
export type StatedBasis = Record<(typeof columns)[number], string>;

/** Reads the operator's statements by their `about`. Leaves out numbers that may be a person's. */
export async function readBasis(
  [file, ...more]: readonly ChosenFile[],
  known: readonly string[],
): Promise<ReadonlyMap<string, StatedBasis>> {
  if (!file) return new Map();
  if (more.length > 0) throw new InputError("Give one file with --basis.");
  let rows: Partial<StatedBasis>[];
  try {
    rows = parse(Buffer.from(await file.read()), { bom: true, columns: true, trim: true, skip_empty_lines: true });
  } catch {
    throw new InputError(`${file.name} is no CSV file with the heading ${columns.join(",")}.`);
  }
  return new Map(
    rows.map((row) => {
      const about = row.about ?? "";
      if (!known.includes(about) || Object.keys(row).some((name) => !columns.includes(name as "about")))
        throw new InputError(
          `${file.name} must have the heading ${columns.join(",")}, and below "about" one of ${known.join(", ")}.`,
        );
      const [purpose, basis, country] = [row.purpose, row.basis, row.country].map((text = "") => remark.read(text));
      return [about, { about, purpose: purpose!, basis: basis!, country: country! }];
    }),
  );
}

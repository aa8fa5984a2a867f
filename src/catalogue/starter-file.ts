import { readFile } from "node:fs/promises";
import { koboOf } from "../contract/money.ts";
import { fold } from "./codes.ts";

/** Why the starter catalogue cannot be loaded: one sentence that names the file and, where there is one, the row. */
export class StarterFault extends Error {
  override readonly name = "StarterFault";
  readonly exitCode = 1;
}

/** One row of a starter file; each member is read as what it has to be. */
export class StarterRow {
  readonly #place: string;
  readonly #members: Record<string, unknown>;
  readonly #seen: Set<string>;

  constructor(place: string, members: Record<string, unknown>, seen: Set<string>) {
    this.#place = place;
    this.#members = members;
    this.#seen = seen;
  }

  text(name: string): string {
    const value = this.#members[name];
    if (typeof value !== "string") throw this.#fault(`${name} must be text.`);
    return value;
  }

  code(name: string): string {
    const value = this.text(name);
    if (!/^[!-~]{1,64}$/.test(value)) throw this.#fault(`${name} must be 1 to 64 visible ASCII characters.`);
    return value;
  }

  id(name: string): number {
    const value = this.#members[name];
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1)
      throw this.#fault(`${name} must be a whole number above 0.`);
    return value;
  }

  /** Kobo of a naira text. */
  kobo(name: string): number {
    const kobo = koboOf(this.text(name));
    if (kobo === undefined) throw this.#fault(`${name} must be plain naira text such as "100" or "100.50".`);
    return kobo;
  }

  /** Demands that no row before had these codes: look-ups do not regard case. Gives their key. */
  only(...codes: string[]): string {
    const key = keyOf(codes);
    if (this.#seen.has(key)) throw this.#fault(`${codes.join(" ")} is listed twice.`);
    this.#seen.add(key);
    return key;
  }

  /** Demands that another file, whose keys are given, lists these codes. */
  under(keys: ReadonlySet<string>, file: string, ...codes: string[]): void {
    if (!keys.has(keyOf(codes))) throw this.#fault(`${codes.join(" ")} is not in ${file}.`);
  }

  #fault(sentence: string): StarterFault {
    return new StarterFault(`${this.#place}: ${sentence}`);
  }
}

function keyOf(codes: readonly string[]): string {
  return codes.map(fold).join(" ");
}

/** The rows of a starter file, and the keys of those for which `read` asked `only`. */
export async function readRows<Row>(
  directory: URL,
  file: string,
  read: (row: StarterRow, position: number) => Row,
): Promise<{ rows: Row[]; keys: ReadonlySet<string> }> {
  const keys = new Set<string>();
  const rows = (await parsed(directory, file)).map((members, position) => {
    const place = `The starter file ${file}, row ${position + 1}`;
    if (typeof members !== "object" || members === null) throw new StarterFault(`${place}: must be an object.`);
    return read(new StarterRow(place, members as Record<string, unknown>, keys), position);
  });
  return { rows, keys };
}

async function parsed(directory: URL, file: string): Promise<unknown[]> {
  try {
    const content: unknown = JSON.parse(await readFile(new URL(file, directory), "utf8"));
    if (Array.isArray(content)) return content;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StarterFault(`The starter file ${file} cannot be read: ${reason}.`, { cause });
  }
  throw new StarterFault(`The starter file ${file} must be a JSON array of rows.`);
}

import { inThread, ThreadEnded } from "../../runtime/threads/in-thread.ts";
import { type ChosenFile, InputError } from "./read-texts.ts";

/** How long a file may be read, in milliseconds. */
const readingTime = 30_000;

/** How files of spreadsheet programs begin: a ZIP archive, and the form before 2007. */
const spreadsheets = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/**
 * Reads a file in a thread, with an exported function of the module that takes its bytes, and gives what it yields.
 * Throws an `InputError` for a file of a spreadsheet program, and if that takes longer than 30 s or too much memory.
 */
export async function* readChosen<More extends readonly unknown[], Part>(
  { name, read }: ChosenFile,
  module: string,
  run: (bytes: Uint8Array<ArrayBuffer>, ...more: More) => Iterable<Part>,
  ...more: More
): AsyncGenerator<Part, void> {
  const bytes = await read();
  if (spreadsheets.some((begin) => begin.every((byte, at) => bytes[at] === byte)))
    throw new InputError(
      `${name} is a file of Excel or another spreadsheet program. Save it as CSV, and give that file.`,
    );
  try {
    yield* inThread(module, run, [bytes, ...more], { milliseconds: readingTime, transfer: [bytes.buffer] });
  } catch (problem) {
    if (!(problem instanceof ThreadEnded)) throw problem;
    throw new InputError(
      `Duba stopped reading ${name}: it took more than ${readingTime / 1000} seconds or too much memory. Check that it is the right file, or split it into smaller files.`,
    );
  }
}

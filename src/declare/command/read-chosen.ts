import { inThread, ThreadEnded } from "../../runtime/threads/in-thread.ts";
import { type ChosenFile, InputError } from "./read-texts.ts";

/** Most time to read a file, in milliseconds. */
const readingTime = 30_000;

/** First bytes of spreadsheet files: ZIP archives, and the format before 2007. */
const spreadsheets = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/**
 * Reads a file in a thread and yields its parts. `module` must export the function `run`, which gets the bytes. Throws
 * an `InputError` for a spreadsheet file, after 30 s, and if the thread runs out of memory.
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

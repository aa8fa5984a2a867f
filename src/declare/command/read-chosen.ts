import { inThread, ThreadEnded } from "../../runtime/threads/in-thread.ts";
import { type ChosenFile, InputError } from "./read-texts.ts";

/** How long a file may be read, in milliseconds. */
const readingTime = 30_000;

/**
 * Reads a file in a thread, with an exported function of the module that takes its bytes, and gives what it yields.
 * Throws an `InputError` if that takes longer than 30 s or too much memory.
 */
export async function* readChosen<More extends readonly unknown[], Part>(
  { name, read }: ChosenFile,
  module: string,
  run: (bytes: Uint8Array<ArrayBuffer>, ...more: More) => Iterable<Part>,
  ...more: More
): AsyncGenerator<Part, void> {
  const bytes = await read();
  try {
    yield* inThread(module, run, [bytes, ...more], { milliseconds: readingTime, transfer: [bytes.buffer] });
  } catch (problem) {
    if (!(problem instanceof ThreadEnded)) throw problem;
    throw new InputError(
      `Duba stopped reading ${name}: it took more than ${readingTime / 1000} seconds or too much memory. Check that it is the right file, or split it into smaller files.`,
    );
  }
}

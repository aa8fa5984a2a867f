import type { Io } from "./io.ts";

export interface Ask {
  /** The next line of standard input; undefined at its end. Writes the prompt only on a terminal. */
  line(prompt: string): Promise<string | undefined>;
  /** Stops reading standard input. */
  end(): Promise<void>;
}

/** Reads standard input line by line, from the first question on. */
export function asker(io: Pick<Io, "stdin" | "err">): Ask {
  let lines: AsyncGenerator<string, undefined> | undefined;
  return {
    async line(prompt) {
      lines ??= linesOf(io.stdin);
      if (io.stdin.isTTY) io.err(prompt);
      return (await lines.next()).value;
    },
    async end() {
      await lines?.return(undefined);
    },
  };
}

async function* linesOf(stdin: Io["stdin"]): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stdin) {
    const lines = (rest + (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }))).split(/\r?\n/);
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
  return undefined;
}

import type { Io } from "./io.ts";

/** The terminal, environment and standard input of this process. */
export function terminal(): Io {
  const { stdout, stderr, env } = process;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    // The reader closed the pipe, as in `duba … | head -1`.
    if (error.code === "EPIPE") return;
    stderr.write(`Duba cannot write its output (${error.code}).\n`);
    process.exit(1);
  });
  stderr.on("error", () => undefined);
  const colours = !env.NO_COLOR && env.TERM !== "dumb";
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    environment: env,
    get stdin() {
      return process.stdin;
    },
    isTerminal: stdout.isTTY === true,
    colours: { out: colours && stdout.isTTY === true, err: colours && stderr.isTTY === true },
    width: stdout.isTTY ? stdout.columns : undefined,
  };
}

import { run } from "../../src/cli/program.ts";
import type { Operation } from "../../src/operation/operation.ts";
import { openStore, type StoreSettings } from "../../src/storage/store.ts";

/** For tests: what one command line wrote, and its exit code. */
export interface Ran {
  exitCode: number;
  out: string;
  err: string;
}

export interface TestSurroundings {
  environment?: Record<string, string | undefined>;
  stdin?: string;
  /** Whether a person types the standard input. */
  isTTY?: boolean;
  colours?: { out: boolean; err: boolean };
  operations?: readonly Operation<never>[];
}

/** Runs a command line in process. */
export async function ran(argv: readonly string[], surroundings: TestSurroundings = {}): Promise<Ran> {
  const { environment = {}, stdin = "", isTTY, colours, operations } = surroundings;
  const written = { out: "", err: "" };
  const io = {
    out(text: string) {
      written.out += text;
    },
    err(text: string) {
      written.err += text;
    },
    environment,
    stdin: Object.assign(chunksOf(stdin), { isTTY }),
    ...(colours && { colours }),
    progressAfter: 0,
  };
  const exitCode = operations ? await run(argv, io, async () => operations) : await run(argv, io);
  return { exitCode, ...written };
}

/** Makes a store, as the first start of a service does. */
export async function makeStore(settings: Pick<StoreSettings, "dataDirectory" | "databaseUrl">): Promise<void> {
  const store = await openStore({ ...settings, serving: true });
  await store.close();
}

/** In small pieces, as a pipe may give it. */
async function* chunksOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 5) yield text.slice(at, at + 5);
}

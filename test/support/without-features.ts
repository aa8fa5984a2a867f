import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";

const list = "src/features.ts";
const parts = ["src", "pages", "client", "check", "stand-ins", "data", "docs", "bin"];
const files = ["package.json", "openapi.json", "tsconfig.json"];

interface Listed {
  /** The constant's name in `src/features.ts`. */
  constant: string;
  /** The folder below `src/`. */
  folder: string;
}

/** The features that `src/features.ts` lists. */
export const listed: readonly Listed[] = readListed(readFileSync(list, "utf8"));

function readListed(text: string): Listed[] {
  return [...text.matchAll(/^import \{ (\w+) \} from "\.\/(features\/[^"]+)";$/gm)].map(([, constant, file]) => ({
    constant: constant!,
    folder: dirname(file!),
  }));
}

/**
 * Makes a copy of the product without tests and without these features: their folders and their lines in the list are
 * deleted.
 */
export function copyWithout(left: readonly Listed[]): AsyncDisposable & { place: string } {
  const place = mkdtempSync(join(tmpdir(), "duba-without-"));
  const isKept = (path: string) => !/node_modules|\.test\.ts$|\.fixture\.ts$/.test(path);
  for (const part of parts) cpSync(part, join(place, part), { recursive: true, filter: isKept });
  for (const file of files) cpSync(file, join(place, file));
  symlinkSync(resolve("node_modules"), join(place, "node_modules"));
  let text = readFileSync(list, "utf8");
  for (const { constant, folder } of left) {
    rmSync(join(place, "src", folder), { recursive: true });
    text = text
      .replace(new RegExp(`^import \\{ ${constant} \\} .*\n`, "m"), "")
      .replace(new RegExp(`\\b${constant},?(?= |\n|\\])`, "g"), "");
  }
  writeFileSync(join(place, list), text);
  // Only code that the service and the command line need.
  const types = { extends: "./tsconfig.json", include: ["src"], compilerOptions: { noUnusedLocals: false } };
  writeFileSync(join(place, "without.json"), JSON.stringify(types));
  return { place, [Symbol.asyncDispose]: async () => rmSync(place, { recursive: true, force: true }) };
}

/** tsc's build info. Its paths are relative, so that it fits every copy. */
const keptIn = "without.tsbuildinfo";
let keptOfWhole: Promise<Buffer> | undefined;

/** Returns tsc's errors for a copy, or "". Checks only the files that differ from the whole product. */
export async function wrongTypes(place: string): Promise<string> {
  keptOfWhole ??= keptOfCopy();
  writeFileSync(join(place, keptIn), await keptOfWhole);
  return compile(place);
}

async function keptOfCopy(): Promise<Buffer> {
  await using whole = copyWithout([]);
  await compile(whole.place);
  return readFileSync(join(whole.place, keptIn));
}

async function compile(place: string): Promise<string> {
  const declarations = ["--noEmit", "false", "--emitDeclarationOnly", "--outDir", "declarations"];
  const kept = ["--incremental", "--tsBuildInfoFile", keptIn];
  const given = ["-p", "without.json", "--checkers", "1", ...declarations, ...kept];
  const tsc = spawn(resolve("node_modules/.bin/tsc"), given, { cwd: place, stdio: ["ignore", "pipe", "inherit"] });
  const [[code], output] = await Promise.all([once(tsc, "exit"), text(tsc.stdout)]);
  return code === 0 ? "" : output || `tsc ended with ${code}`;
}

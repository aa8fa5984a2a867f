#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for TypeScript prints a sentence instead of a stack.
import { once } from "node:events";
import { existsSync, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import runningNode from "./running-node.cjs";

const problem = runningNode.problemOfNode();
const newer = problem && runningNode.nodeBesideUs();
if (newer) await runWith(newer);
else if (problem?.stops) {
  process.stderr.write(problem.sentence);
  process.exitCode = 1;
} else {
  // A service warns of this in its log.
  if (problem && process.argv[2] !== "serve") process.stderr.write(problem.sentence);
  if (readSettingsFile(resolve(".env"))) await run();
}

async function run() {
  // Compiling takes a good part of a start, so Node caches the result. The cache lies in Duba's own folder, because a
  // writer of the cache decides which code runs. The store's thread gets the path from the environment.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/duba", import.meta.url));
  (await import("node:module")).enableCompileCache();
  // Node looks up names with half of these threads, and webhooks take four at most: a silent name server must not delay
  // the look-ups of vendors' names.
  process.env.UV_THREADPOOL_SIZE ??= "16";
  const source = new URL("../src/main.ts", import.meta.url);
  // The package has no src/, but a bundle: Node runs no TypeScript inside node_modules.
  const bundle = new URL("../bundle/src/main.js", import.meta.url);
  const isPackage = !existsSync(source);
  // In the package too, stacks name files and lines of src/.
  if (isPackage) process.setSourceMapsEnabled(true);
  await import(isPackage ? bundle.href : source.href);
}

/** Runs this command line in another Node, forwards signals to that process, and ends with its exit code. */
async function runWith(node) {
  const { spawn } = await import("node:child_process");
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  const [code, signal] = await once(child, "exit");
  process.exitCode = code ?? 128 + constants.signals[signal];
}

/**
 * Reads settings from a file, if the file exists. Returns false and prints a sentence if another user could have
 * written the file.
 */
function readSettingsFile(path) {
  const link = lstatSync(path, { throwIfNoEntry: false });
  if (!link) return true;
  const file = openSync(path, "r");
  const fault = whoElse(link) ?? whoElse(fstatSync(file));
  if (fault !== undefined) {
    process.stderr.write(`The settings in ${path} are not read: ${path} ${fault} ${path}\n`);
    process.exitCode = 2;
    return false;
  }
  for (const [name, value] of Object.entries(parseEnv(readFileSync(file, "utf8")))) process.env[name] ??= value;
  if (process.argv[2] === "serve") process.stderr.write(`Duba reads settings from ${path} too.\n`);
  return true;
}

/** Names other users who can write the file, and the command that prevents it. Windows has no such rights. */
function whoElse(stats) {
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  if (stats.uid !== user)
    return `belongs to user ${stats.uid}, and this runs as user ${user}: run it as the owner, or run chown ${user}`;
  return !stats.isSymbolicLink() && (stats.mode & 0o022) !== 0
    ? "may be written by other users: run chmod go-w"
    : undefined;
}

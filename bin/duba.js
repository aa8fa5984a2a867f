#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for TypeScript prints a sentence instead of a stack.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const oldest = 24;

if (Number.parseInt(process.versions.node, 10) < oldest) {
  process.stderr.write(
    `Duba needs Node ${oldest} or newer, and this is ${process.versions.node}. ` +
      "`npm ci` installs one beside Duba, and `npm start` uses it; if yours left optional packages out, run it with " +
      "--include=optional.\n",
  );
  process.exitCode = 1;
} else {
  if (existsSync(".env")) process.loadEnvFile(".env");
  // Compiling takes a good part of a start. The environment hands the cache on to the store's thread. It lies in our own folder,
  // because whoever can write it decides what runs.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/duba", import.meta.url));
  const { enableCompileCache } = await import("node:module");
  enableCompileCache();
  // A package has no src/: Node runs no TypeScript inside node_modules. A checkout may have a dist/ of some earlier day.
  const source = new URL("../src/main.ts", import.meta.url);
  await import(existsSync(source) ? source.href : "../dist/src/main.js");
}

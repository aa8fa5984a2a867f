#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { join } from "node:path";

// Before anything else is imported, since to compile that takes a good part of a start. Not in a folder for everybody's files:
// what is found here is run.
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/duba"));
const { run } = await import("./cli/program.ts");
const { terminal } = await import("./cli/terminal.ts");

process.exitCode = await run(process.argv.slice(2), terminal());

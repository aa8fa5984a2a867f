#!/usr/bin/env node
import { run } from "./cli/program.ts";
import { terminal } from "./cli/terminal.ts";

process.exitCode = await run(process.argv.slice(2), terminal());

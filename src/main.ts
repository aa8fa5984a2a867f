import { enableCompileCache } from "node:module";
import { join } from "node:path";

// First, because compiling the imports takes a good part of a start. The cache lies in our own folder: whoever can write it
// decides what runs.
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/duba"));
const { run } = await import("./cli/program.ts");
const { terminal } = await import("./cli/terminal/screen.ts");

process.exitCode = await run(process.argv.slice(2), terminal());

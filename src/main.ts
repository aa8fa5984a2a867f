import { run } from "./cli/program.ts";
import { terminal } from "./cli/terminal/screen.ts";

process.exitCode = await run(process.argv.slice(2), terminal());

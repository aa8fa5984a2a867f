import { run } from "./cli/program.ts";
import { terminal } from "./cli/terminal/screen.ts";
import type { StartService } from "./commands/context.ts";

const io = {
  ...terminal(),
  serve: (async (...given) => (await import("./serve/serve.ts")).serve(...given)) as StartService,
};
process.exitCode = await run(process.argv.slice(2), io);

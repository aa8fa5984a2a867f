import { constants, setPriority } from "node:os";
import { run } from "./cli/program.ts";
import type { StartService } from "./terminal/io.ts";
import { terminal } from "./terminal/screen.ts";

const io = {
  ...terminal(),
  serve: (async (...given) => (await import("./serve/serve.ts")).serve(...given)) as StartService,
  // A command that reads the whole store gets a lower priority than a service on this machine.
  giveWay: () => setPriority(constants.priority.PRIORITY_BELOW_NORMAL),
};
process.exitCode = await run(process.argv.slice(2), io);

import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

/** `npm ci` runs this in a checkout, so that the first start of the service compiles little. A start needs nothing of it. */
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/duba", import.meta.url)));
await import("../src/cli/program.ts");
await import("../src/cli/add-family.ts");
await import("../src/commands/serve-command.ts");
await import("../src/serve/run-service.ts");

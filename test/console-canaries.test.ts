import { consoleCanaries } from "./support/console-canaries.ts";
import { usualEngines } from "./support/engines.ts";

for (const engine of usualEngines) consoleCanaries(engine);

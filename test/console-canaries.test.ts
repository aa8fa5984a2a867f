import { suite } from "node:test";
import { consoleCanaries } from "./support/console-canaries.ts";
import { usualEngines } from "./support/engines.ts";

for (const engine of usualEngines) suite(`canaries in the console on ${engine.name}`, () => consoleCanaries(engine));

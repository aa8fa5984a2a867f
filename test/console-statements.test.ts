import { consoleCanaries } from "./support/console-canaries.ts";
import { engines } from "./support/engines.ts";

/** On PostgreSQL the statements of every search are read too. */
consoleCanaries(engines.find(({ name }) => name === "postgres")!);

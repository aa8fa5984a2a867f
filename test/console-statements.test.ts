import { suite } from "node:test";
import { consoleCanaries } from "./support/console-canaries.ts";
import { engines } from "./support/engines.ts";
import { walkPages } from "./support/page-walk.ts";

/** On PostgreSQL the suite also checks the statements of every search. */
const postgres = engines.find(({ name }) => name === "postgres")!;
suite(`canaries in the console on ${postgres.name}`, () => consoleCanaries(walkPages(postgres)));

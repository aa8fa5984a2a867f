import { suite } from "node:test";
import { consoleCanaries } from "../../../test/support/console-canaries.ts";
import { usualEngines } from "../../../test/support/engines.ts";
import { designedPages } from "./designed-pages.fixture.ts";
import { walkPages } from "./page-walk.fixture.ts";
import { wordsOfPages } from "./page-words.fixture.ts";
import { pagesOfRoles } from "./pages-of-roles.fixture.ts";

for (const engine of usualEngines)
  suite(`every page of the console on ${engine.name}`, () => {
    const walk = walkPages(engine);
    suite("what each role gets", () => pagesOfRoles(walk));
    suite("what pages say", () => wordsOfPages(walk));
    suite("what a page is for", () => designedPages(walk));
    // Last, because its notes change what is there.
    suite("what pages keep of a person", () => consoleCanaries(walk));
  });

import { suite } from "node:test";
import { consoleCanaries } from "./support/console-canaries.ts";
import { designedPages } from "./support/designed-pages.ts";
import { usualEngines } from "./support/engines.ts";
import { walkPages } from "./support/page-walk.ts";
import { wordsOfPages } from "./support/page-words.ts";
import { pagesOfRoles } from "./support/pages-of-roles.ts";

for (const engine of usualEngines)
  suite(`every page of the console on ${engine.name}`, () => {
    const walk = walkPages(engine);
    suite("what each role gets", () => pagesOfRoles(walk));
    suite("what pages say", () => wordsOfPages(walk));
    suite("what a page is for", () => designedPages(walk));
    // Comes last, because its notes change the store.
    suite("what pages keep of a person", () => consoleCanaries(walk));
  });

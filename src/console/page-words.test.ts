import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { engines } from "../../test/support/engines.ts";
import { failures } from "../operation/failures.ts";
import { busySettings, fillBusyDay, type Subjects } from "./busy-day.fixture.ts";
import { consolePages } from "./every-page.fixture.ts";
import { type Operators, startOperators } from "./operators.fixture.ts";

/** What a page says, without what stands there as an id or as code. */
function saidBy(text: string): string {
  return text
    .replaceAll(/<(code|span class="id"|option|textarea|title)[^>]*>.*?<\/\w+>/gs, " ")
    .replaceAll(/<time[^>]*>/g, " ")
    .replaceAll(/<[^>]*>/g, " ");
}

const words: readonly [what: string, found: RegExp][] = [
  ["a kind of check in small letters", /(?<![\w.=:/-])(?:bvn|nin)(?![\w.=-])/g],
  ["a vendor in small letters", /(?<![\w.@:/=-])(?:dojah|blusalt)(?![\w@=:.-])/g],
  ["an id of an account", /(?<!\w)acc_\w+/g],
  ["a time of the code", /\d{4}-\d\d-\d\dT\d\d:\d\d/g],
  ["a name of the code", /(?<![\w.:/-])[a-z]+_[a-z_]+(?!\w)/g],
  ["one of several", /(?<![\d,.])1 (?:rows|things|lines)\b/g],
];

// What pages say does not depend on the engine.
suite("the words of pages", () => {
  let operators: Operators;
  let subjects: Subjects;
  before(async () => {
    operators = await startOperators(engines[0]!, busySettings);
    subjects = await fillBusyDay(operators.service);
  });
  after(() => operators.service.close());

  test("are those of people on each page, and of the code nowhere but in ids", async () => {
    const { cookie } = operators.by.officer;
    const found: string[] = [];
    for (const path of Object.values(consolePages(subjects)).flat()) {
      const said = saidBy((await operators.send(path, { cookie })).text);
      for (const [what, expression] of words) {
        const at = [...said.matchAll(expression)].find(([name]) => !Object.hasOwn(failures, name));
        if (at)
          found.push(
            `${path}: ${what}: ${said.slice(Math.max(0, at.index - 40), at.index + 40).replaceAll(/\s+/g, " ")}`,
          );
      }
    }
    assert.deepEqual(found, []);
  });
});

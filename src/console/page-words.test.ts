import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { engines } from "../../test/support/engines.ts";
import { everyCommand } from "../commands/families.ts";
import { membersOf } from "../operation/command/read-texts.ts";
import { busySettings, fillBusyDay, type Subjects } from "./busy-day.fixture.ts";
import { type Operators, startOperators } from "./operators.fixture.ts";
import { pathOf, siteMap } from "./site-map.ts";
import { asksByUrl } from "./view/command-form.ts";

const site = siteMap(await everyCommand());

/** What a page says, without what stands there as an id or as code. */
function saidBy(text: string): string {
  return text
    .replaceAll(/<(code|span class="id"|option|textarea|title)[^>]*>.*?<\/\w+>/gs, " ")
    .replaceAll(/<time[^>]*>/g, " ")
    .replaceAll(/<[^>]*>/g, " ");
}

const words: readonly [what: string, found: RegExp][] = [
  ["a kind of check in small letters", /(?<![\w.=:/-])(?:bvn|nin)(?![\w.=-])/],
  ["a vendor in small letters", /(?<![\w.@:/=-])(?:dojah|blusalt)(?![\w@=:.-])/],
  ["an id of an account", /(?<!\w)acc_\w+/],
  ["a time of the code", /\d{4}-\d\d-\d\dT\d\d:\d\d/],
  ["a name of the code", /(?<![\w.:/-])[a-z]+_[a-z_]+(?!\w)/],
  ["one of several", /(?<![\d,.])1 (?:rows|things|lines)\b/],
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
    const records = [...site.commands.values()].filter((command) => command.id.endsWith(".show") && asksByUrl(command));
    const shown = records.map((command) => {
      const required = membersOf(command.input).filter(({ isRequired }) => isRequired);
      return `${pathOf(command)}?${new URLSearchParams(required.map(({ name }) => [name, subjects[name]!]))}&_run=1`;
    });
    const found: string[] = [];
    for (const path of [...site.places.map(({ path }) => path), ...shown]) {
      const said = saidBy((await operators.send(path, { cookie })).text);
      for (const [what, expression] of words) {
        const at = expression.exec(said);
        if (at)
          found.push(
            `${path}: ${what}: ${said.slice(Math.max(0, at.index - 40), at.index + 40).replaceAll(/\s+/g, " ")}`,
          );
      }
    }
    assert.deepEqual(found, []);
  });
});

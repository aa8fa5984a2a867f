import assert from "node:assert/strict";
import { everyCommand } from "../commands/families.ts";
import { memberWith } from "../operation/command/answer-table.ts";
import { membersOf } from "../operation/command/read-texts.ts";
import type { Subjects } from "./busy-day.fixture.ts";
import { pathOf, siteMap } from "./site-map.ts";
import { asksByUrl } from "./view/command-form.ts";

const site = siteMap(await everyCommand());

/** Every page of the console: the places, the form of each command, and the answer of each that a browser asks for by its URL. */
export function consolePages(subjects: Subjects): Record<"place" | "form" | "answer", string[]> {
  const commands = [...site.commands.values()];
  const isFile = ({ answer }: (typeof commands)[number]) =>
    "lines" in answer || memberWith("holds", answer) !== undefined;
  const answers = commands.flatMap((command) => {
    if (!asksByUrl(command) || isFile(command)) return [];
    const query = new URLSearchParams({ _run: "1" });
    for (const { name, isRequired } of membersOf(command.input)) {
      if (!isRequired) continue;
      assert.ok(subjects[name] !== undefined, `the busy day has to say which ${name} ${command.id} shows`);
      query.set(name, subjects[name]);
    }
    return [`${pathOf(command)}?${query}`];
  });
  // A file without a form is saved at once, and the answers of other commands without a form are pages above.
  const forms = commands.filter((command) => !asksByUrl(command) || membersOf(command.input).length > 0);
  return {
    place: [...site.places.map(({ path }) => path), "/?range=day", "/verifications?state=nonsense", "/join"],
    form: forms.map(pathOf),
    answer: [
      ...answers,
      `/catalogue/show?revision=${subjects.draft}`,
      `/books/statement?account=${subjects.account}&month=${subjects.month}&for_client=on`,
    ],
  };
}

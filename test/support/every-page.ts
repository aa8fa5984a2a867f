import assert from "node:assert/strict";
import { memberWith } from "../../src/declare/command/answer-table.ts";
import { membersOf } from "../../src/declare/command/read-texts.ts";
import type { Subjects } from "../../src/features/console/busy-day.fixture.ts";
import { pathOf, siteMap } from "../../src/features/console/site-map.ts";
import { asksByUrl } from "../../src/features/console/view/command-form.ts";
import { pagesOfFeatures } from "../../src/features.ts";
import { everyCommand } from "../../src/wire/every-command.ts";
import { everyRecord } from "../../src/wire/every-record.ts";

const site = siteMap(await everyCommand(), pagesOfFeatures, everyRecord);

/**
 * URLs of the console's pages: `place`, pages of the menu; `form`, the form of each command; `answer`, answers that a
 * browser requests by URL.
 */
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
  // A command without a form has no page here: its file is saved at once, or its answer is among `answer`.
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

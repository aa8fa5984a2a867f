import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { consolePages } from "../../../test/support/every-page.ts";
import { membersOf } from "../../declare/command/read-texts.ts";
import { failures } from "../../declare/failures.ts";
import { everyCommand } from "../../wire/every-command.ts";
import { busySettings, fillBusyDay, type Subjects } from "./busy-day.fixture.ts";
import { type Operators, startOperators } from "./operators.fixture.ts";
import { pathOf } from "./site-map.ts";

/** What a page says, without what stands there as an id or as code. */
function saidBy(text: string): string {
  return text
    .replaceAll(/<(code|span class="id"|textarea|title)[^>]*>.*?<\/\w+>/gs, " ")
    .replaceAll(/<time[^>]*>/g, " ")
    .replaceAll(/<[^>]*>/g, " ");
}

const words: readonly [what: string, found: RegExp][] = [
  ["a kind of check in small letters", /(?<![\w.=:/-])(?:bvn|nin)(?![\w.=-])/g],
  ["a vendor in small letters", /(?<![\w.@:/=-])(?:dojah|blusalt)(?![\w@=:.-])/g],
  ["an id of an account", /(?<!\w)acc_\w+/g],
  ["a time of the code", /\d{4}-\d\d-\d\dT\d\d:\d\d/g],
  ["a name of the code", /(?<![\w.:/-])[a-z]+_[a-z_]+(?!\w)/g],
  ["an option of the terminal", /(?<!\S)--[a-z][a-z-]+/g],
  ["an event of the code", /(?<![\w.@/:])(?:account|catalogue|key|person|route|verification)\.[a-z_]+\b/g],
  ["one of several", /(?<![\d,.])1 (?:rows|things|lines)\b/g],
];

// What pages say does not depend on the engine.
suite("the words of pages", () => {
  let operators: Operators;
  let subjects: Subjects;
  before(async () => {
    operators = await startOperators(engines[0]!, busySettings);
    subjects = await fillBusyDay(operators.service);
    // As the guard stores a reason about the price of an account.
    const reasons = JSON.stringify([`MTNDATA 104: ${subjects.account} pays 95, below its cost of 96.`]);
    const { db } = await operators.service.store();
    await db.updateTable("catalogue_draft").set({ reasons }).where("state", "=", "held").execute();
  });
  after(() => operators.service.close());

  const wordsOf = (path: string, text: string): string[] => {
    const said = saidBy(text);
    return words.flatMap(([what, expression]) => {
      const at = [...said.matchAll(expression)].find(([name]) => !Object.hasOwn(failures, name));
      if (!at) return [];
      return `${path}: ${what}: ${said.slice(Math.max(0, at.index - 40), at.index + 40).replaceAll(/\s+/g, " ")}`;
    });
  };

  test("pages use people's words, and the code's words only in ids", async () => {
    const { cookie } = operators.by.officer;
    const found: string[] = [];
    for (const path of Object.values(consolePages(subjects)).flat())
      found.push(...wordsOf(path, (await operators.send(path, { cookie })).text));
    assert.deepEqual(found, []);
  });

  test("forms preselect nothing, except what is folded or a vendor's own test number", async () => {
    const filled: string[] = [];
    for (const path of consolePages(subjects).form) {
      const { text } = await operators.send(path, { cookie: operators.by.officer.cookie });
      const [, form = ""] = /<form class="command[^>]* method="post"(.*?)<\/form>/s.exec(text) ?? [];
      for (const [, name] of form.matchAll(/<select[^>]* name="(\w+)"[^>]*>(?:(?!<\/select>).)*" selected>/gs))
        filled.push(`${path} ${name}`);
    }
    assert.deepEqual(filled, ["/books/adjust mode", "/upstreams/test kind"]);
  });

  test("refusals, confirmations and results use people's words", async () => {
    const { officer } = operators.by;
    const { account, reference, id, draft, person } = subjects as Record<string, string>;
    const found: string[] = [];
    const empty = (await everyCommand()).filter(
      ({ kind, only, input }) =>
        kind !== "read" && only === undefined && membersOf(input).some((each) => each.isRequired),
    );
    for (const command of empty)
      found.push(...wordsOf(`empty ${command.id}`, (await operators.post(pathOf(command), officer, {})).text));
    const deeds: [path: string, fields: Record<string, string>][] = [
      ["/accounts/top-up", { account: account!, amount: "500", reason: "Transfer 8842" }],
      ["/accounts/change", { account: account!, cap_naira: "90000" }],
      ["/books/adjust", { account: account!, credit: "10", reason: "Late answers" }],
      ["/keys/create", { account: account!, mode: "live" }],
      ["/keys/revoke", { id: id! }],
      ["/catalogue/approve", { draft: draft! }],
      ["/people/remove", { person: person! }],
      ["/routes/pause", { vendor: "dojah", why: "load" }],
      ["/routes/resume", { vendor: "blusalt", check: "bvn" }],
      ["/subjects/erase", { kind: "bvn", number: "22000000017" }],
    ];
    for (const [path, fields] of deeds) {
      const { status, json } = await operators.deedOf(path, officer, fields);
      if (json.page === undefined) found.push(`${path} asks for no passkey: ${status}`);
      else found.push(...wordsOf(`to confirm ${path}`, json.page));
    }
    const done: typeof deeds = [
      ["/accounts/suspend", { account: account! }],
      ["/ledger/note", { reference: reference!, note: "They called" }],
      ["/alarms/acknowledge", { alarm: "backup" }],
      ["/catalogue/reject", { draft: draft! }],
      ["/keys/create", { account: account!, mode: "test" }],
    ];
    for (const [path, fields] of done)
      found.push(...wordsOf(`done ${path}`, (await operators.post(path, officer, fields)).text));
    assert.deepEqual(found, []);
  });
});

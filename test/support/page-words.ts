import assert from "node:assert/strict";
import { test } from "node:test";
import { membersOf } from "../../src/declare/command/read-texts.ts";
import { failures } from "../../src/declare/failures.ts";
import { pathOf } from "../../src/features/console/site-map.ts";
import { commandsOfPages, isShown, type PageWalk } from "./page-walk.ts";

/** Returns the words of a page, without ids and code. */
function saidBy(text: string): string {
  return text
    .replaceAll(/<(code|span class="id"|textarea|title)[^>]*>.*?<\/\w+>/gs, " ")
    .replaceAll(/<time[^>]*>/g, " ")
    .replaceAll(/<[^>]*>/g, " ");
}

const words: readonly [what: string, found: RegExp][] = [
  ["a kind of check in small letters", /(?<![\w.=:/-])(?:bvn|nin)(?![\w.=-])/g],
  ["a vendor in small letters", /(?<![\w.@:/=-])(?:dojah|prembly|youverify)(?![\w@=:.-])/g],
  ["an id of an account", /(?<!\w)acc_\w+/g],
  ["an actor of the code", /(?<![\w/=])(?:terminal|person|key):\w+/g],
  ["a time of the code", /\d{4}-\d\d-\d\dT\d\d:\d\d/g],
  ["a name of the code", /(?<![\w.:/-])[a-z]+_[a-z_]+(?!\w)/g],
  ["an option of the terminal", /(?<!\S)--[a-z][a-z-]+/g],
  ["an event of the code", /(?<![\w.@/:])(?:account|catalogue|key|person|route|verification)\.[a-z_]+\b/g],
  ["one of several", /(?<![\d,.])1 (?:rows|things|lines)\b/g],
];

/** Registers the tests of a suite that pages use people's words. */
export function wordsOfPages(walk: PageWalk): void {
  const wordsOf = (path: string, text: string): string[] => {
    const said = saidBy(text);
    return words.flatMap(([what, expression]) => {
      const at = [...said.matchAll(expression)].find(([name]) => !Object.hasOwn(failures, name));
      if (!at) return [];
      return `${path}: ${what}: ${said.slice(Math.max(0, at.index - 40), at.index + 40).replaceAll(/\s+/g, " ")}`;
    });
  };

  test("pages use people's words, and internal names stand only in ids and code", async () => {
    const pages = (await walk.pages("officer")).filter(isShown);
    assert.deepEqual(
      pages.flatMap(({ path, text }) => wordsOf(path, text)),
      [],
    );
  });

  test("an account goes by its name, and its id stands only in a page's header", async () => {
    const found = (await walk.pages("officer")).filter(isShown).flatMap(({ path, text }) => {
      const said = text.replace(/<header>.*?<\/header>/s, "").replaceAll(/<[^>]*>/g, " ");
      return (said.match(/(?<!\w)acc_\w+/g) ?? []).map((id) => `${path}: ${id}`);
    });
    assert.deepEqual(found, []);
  });

  test("forms preselect nothing, except in folded members and for a vendor's own test number", async () => {
    const paths = new Set(commandsOfPages.map(pathOf));
    const filled: string[] = [];
    for (const { path, text } of await walk.pages("officer")) {
      const [, form = ""] = /<form class="command[^>]* method="post"(.*?)<\/form>/s.exec(text) ?? [];
      if (!paths.has(path)) continue;
      for (const [, name] of form.matchAll(/<select[^>]* name="(\w+)"[^>]*>(?:(?!<\/select>).)*" selected>/gs))
        filled.push(`${path} ${name}`);
    }
    assert.deepEqual(filled.sort(), ["/books/adjust mode", "/upstreams/test kind"]);
  });

  test("refusals, confirmations and results use people's words", async () => {
    const { operators } = walk;
    const { officer } = operators.by;
    const { account, reference, id, draft, person } = walk.subjects as Record<string, string>;
    const found: string[] = [];
    const empty = commandsOfPages.filter(
      ({ kind, only, input }) =>
        kind !== "read" && only === undefined && membersOf(input).some((each) => each.isRequired),
    );
    for (const command of empty)
      found.push(...wordsOf(`empty ${command.id}`, (await operators.post(pathOf(command), officer, {})).text));
    const deeds: [path: string, fields: Record<string, string>][] = [
      ["/accounts/top-up", { account: account!, amount: "500", reason: "Transfer 8842" }],
      ["/accounts/change", { account: account!, cap_naira: "90000" }],
      ["/books/adjust", { account: account!, credit: "10", reason: "Late answers", sure: "true" }],
      ["/keys/create", { account: account!, mode: "live" }],
      ["/keys/revoke", { id: id! }],
      ["/catalogue/approve", { draft: draft! }],
      ["/people/remove", { person: person! }],
      ["/routes/pause", { vendor: "dojah", why: "load" }],
      ["/routes/resume", { vendor: "youverify", check: "bvn" }],
      ["/subjects/erase", { kind: "bvn", number: "22000000017" }],
    ];
    // Now Dojah is the last vendor, so a pause of it needs a passkey.
    await operators.post("/routes/pause", officer, { vendor: "prembly", why: "load" });
    for (const [path, fields] of deeds) {
      const { status, json } = await operators.deedOf(path, officer, fields);
      if (json.page === undefined) found.push(`${path} asks for no passkey: ${status}`);
      else found.push(...wordsOf(`to confirm ${path}`, json.page));
    }
    await operators.post("/routes/resume", officer, { vendor: "prembly" });
    // A second draft: later tests need the busy day's draft to stay open.
    await operators.confirm("/catalogue/edit", officer, { code: "MTNDATA 113", price: "9000" });
    const { db } = await operators.service.store();
    const drafts = db.selectFrom("catalogue_draft").select("id").where("state", "=", "held");
    const held = await drafts.orderBy("id", "desc").executeTakeFirstOrThrow();
    const done: typeof deeds = [
      ["/accounts/suspend", { account: account! }],
      ["/ledger/note", { reference: reference!, note: "They called" }],
      ["/alarms/acknowledge", { alarm: "backup" }],
      ["/catalogue/reject", { draft: `d${held.id}` }],
      ["/keys/create", { account: account!, mode: "test" }],
    ];
    for (const [path, fields] of done)
      found.push(...wordsOf(`done ${path}`, (await operators.post(path, officer, fields)).text));
    assert.deepEqual(found, []);
  });
}

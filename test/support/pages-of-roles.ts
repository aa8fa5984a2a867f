import assert from "node:assert/strict";
import { test } from "node:test";
import { memberWith } from "../../src/declare/command/answer-table.ts";
import { mayRun, type Role, roles } from "../../src/declare/command.ts";
import { formType } from "../../src/features/console/operators.fixture.ts";
import { nowParts } from "../../src/features/console/routes/now-routes.ts";
import { pathOf } from "../../src/features/console/site-map.ts";
import { everyRecord } from "../../src/wire/every-record.ts";
import { addressesOf, commandsOfPages, isShown, type PageWalk, placesOfPages, site } from "./page-walk.ts";

const byPath = new Map(commandsOfPages.map((command) => [pathOf(command), command]));
const kinds = Object.entries(everyRecord);

/** Registers the tests of a suite that no role sees or does more than it may. */
export function pagesOfRoles(walk: PageWalk): void {
  const get = (path: string, role: Role) => {
    const { by, send } = walk.operators;
    return send(path, { cookie: by[role].cookie });
  };
  const find = (text: string, role: Role) => walk.operators.post("/find", walk.operators.by[role], { text });
  /** Returns the commands that a page's links and forms lead to. */
  const offered = (text: string) =>
    [...text.matchAll(/(?:href|action|hx-post|hx-get)="(\/[^"?#]*)/g)].flatMap(([, path]) => byPath.get(path!) ?? []);

  test("a role can neither read, download nor run a command above it, and each attempt is audited", async (t) => {
    const { by, post, deedOf, refusals } = walk.operators;
    const before = (await refusals()).length;
    let [asked, refused] = [0, 0];
    for (const role of roles) {
      for (const page of await walk.pages(role)) {
        const { command, path, status, text } = page;
        if (!command) continue;
        const may = mayRun(role, command);
        asked += 1;
        assert.equal(status, may ? 200 : 403, `${role} gets ${path}`);
        if (!may) refused += 1;
        else if (isShown(page) && memberWith("holds", command.answer) === undefined) assert.match(text, /<h1>/, path);
      }
      for (const command of commandsOfPages.filter((command) => !mayRun(role, command))) {
        assert.equal((await post(pathOf(command), by[role], {})).status, 403, `${role} runs ${command.id}`);
        assert.equal((await post(`${pathOf(command)}?_confirm=1`, by[role], {})).status, 403, command.id);
        assert.equal((await deedOf(pathOf(command), by[role], {})).status, 403, `${role} signs ${command.id}`);
        asked += 3;
        refused += 3;
      }
    }
    const addresses = commandsOfPages.flatMap((command) => addressesOf(command, walk.subjects)).length;
    const closed = roles.flatMap((role) => commandsOfPages.filter((command) => !mayRun(role, command))).length;
    assert.ok(closed > 50, `${closed} commands closed to a role`);
    assert.ok(asked >= addresses * roles.length + closed * 3, `${asked} probes of ${addresses} addresses`);
    t.diagnostic(`${asked} probes of ${commandsOfPages.length} commands by ${roles.length} roles, ${refused} refused`);
    const kept = (await refusals()).slice(before);
    assert.equal(kept.filter(({ reason, command }) => reason === "role" && command).length, refused);
  });

  test("no page links to a command that its reader may not run", async (t) => {
    let [read, links] = [0, 0];
    for (const role of roles)
      for (const { path, text } of (await walk.pages(role)).filter(isShown)) {
        read += 1;
        for (const command of offered(text)) {
          links += 1;
          assert.ok(mayRun(role, command), `${path} leads a ${role} to ${command.id}`);
        }
      }
    assert.ok(links > 1000, `${links} links`);
    t.diagnostic(`${links} links and forms of ${read} pages`);
  });

  test("self-refreshing parts of Now never offer a viewer a command of a higher role", async () => {
    const offeredTo = async (role: Role, path: string) => offered((await get(path, role)).text);
    let above = 0;
    for (const path of nowParts.keys()) {
      // The officer reads first, so a reading that both shared would have the officer's commands.
      above += (await offeredTo("officer", path)).filter((command) => !mayRun("viewer", command)).length;
      for (const command of await offeredTo("viewer", path))
        assert.ok(mayRun("viewer", command), `${path} leads a viewer to ${command.id}`);
    }
    assert.ok(above > 0);
  });

  test("a role opens and finds only the kinds of records that it may see", async () => {
    for (const role of roles)
      for (const [kind, { show, by }] of kinds) {
        const name = walk.subjects[by]!;
        const may = mayRun(role, site.commands.get(show)!);
        const path = `${pathOf(site.commands.get(show)!)}?${new URLSearchParams({ [by]: name })}`;
        const page = (await walk.pages(role)).find((each) => each.path === path)!;
        assert.equal(page.status, may ? 200 : 403, `${role} opens ${kind}`);
        const found = await find(name, role);
        // A single result opens its record; several results are listed.
        const isFound = new RegExp(`data-label="Kind">(?:<[^>]+>)*${kind}<`).test(found.text);
        const isOpen = !found.text.includes("<h1>Find</h1>") && found.text.includes(name);
        assert.equal(isFound || isOpen, may, `${role} finds ${kind} ${name}`);
      }
  });

  test("a stored answer is shown only to its author's role and to higher roles", async () => {
    const { by, send, origin } = walk.operators;
    for (const owner of roles) {
      const body = new URLSearchParams({ _token: by[owner].token, text: "@example.com" }).toString();
      const sent = { method: "POST", cookie: by[owner].cookie, body, headers: { ...formType, Origin: origin } };
      const { status, headers } = await send("/find", sent);
      assert.equal(status, 303);
      const address = String(headers.location);
      assert.match(address, /_done=/);
      for (const role of roles)
        for (const change of ["", "&_csv=1", "&_find=e", "&_page=1"]) {
          const { text } = await get(`${address}${change}`, role);
          assert.equal(text.includes("@example.com"), roles.indexOf(role) >= roles.indexOf(owner), `${role}${change}`);
        }
    }
  });

  test("a visitor who is not signed in gets only the sign-in page", async () => {
    const { send, origin } = walk.operators;
    const headers = { ...formType, Origin: origin };
    const body = new URLSearchParams({ text: walk.subjects.reference! }).toString();
    for (const path of [...placesOfPages, ...byPath.keys()]) {
      const asked = path.startsWith("/now/") ? undefined : `/sign-in?next=${encodeURIComponent(path)}`;
      const { status, headers: answered, text } = await send(path);
      assert.deepEqual([status, answered.location], asked ? [303, asked] : [401, undefined], path);
      assert.ok(!text.includes("@"), path);
    }
    for (const path of [...byPath.keys(), "/sign-out", "/passkeys/options"])
      assert.equal((await send(path, { method: "POST", body, headers })).status, 401, path);
  });
}

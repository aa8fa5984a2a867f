import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { listOf, memberWith } from "../../declare/command/answer-table.ts";
import { membersOf } from "../../declare/command/read-texts.ts";
import { type Command, mayRun, type Role, roles } from "../../declare/command.ts";
import { pagesOfFeatures } from "../../features.ts";
import { everyCommand } from "../../wire/every-command.ts";
import { everyRecord } from "../../wire/every-record.ts";
import { busySettings, fillBusyDay, type Subjects } from "./busy-day.fixture.ts";
import { formType, type Operators, startOperators } from "./operators.fixture.ts";
import { nowParts } from "./routes/now-routes.ts";
import { pathOf, siteMap } from "./site-map.ts";
import { asksByUrl } from "./view/command-form.ts";

const site = siteMap(await everyCommand(), pagesOfFeatures, everyRecord);
const commands = [...site.commands.values()];
const byPath = new Map(commands.map((command) => [pathOf(command), command]));
const kinds = Object.entries(everyRecord);

/** The addresses of a command: its form, and if a browser asks by its URL its answer and the CSV of that. */
function addressesOf(command: Command<never>, subjects: Subjects): string[] {
  const path = pathOf(command);
  if (!asksByUrl(command)) return [path];
  const query = new URLSearchParams({ _run: "1" });
  for (const { name, isRequired } of membersOf(command.input)) if (isRequired) query.set(name, subjects[name]!);
  return [path, `${path}?${query}`, ...(listOf(command.answer) ? [`${path}?${query}&_csv=1`] : [])];
}

for (const engine of usualEngines)
  suite(`what each role gets of the console on ${engine.name}`, () => {
    let operators: Operators;
    let subjects: Subjects;
    before(async () => {
      operators = await startOperators(engine, { ...busySettings, DUBA_TRUST_PROXY: "127.0.0.1" });
      subjects = await fillBusyDay(operators.service);
    });
    after(() => operators.service.close());

    const get = (path: string, role: Role) => operators.send(path, { cookie: operators.by[role].cookie });
    const find = (text: string, role: Role) => operators.post("/find", operators.by[role], { text });
    /** The commands that a page leads to: by its links and by its forms. */
    const offered = (text: string) =>
      [...text.matchAll(/(?:href|action|hx-post|hx-get)="(\/[^"?#]*)/g)].flatMap(([, path]) => byPath.get(path!) ?? []);

    test("a role gets no page, CSV or run of a command beyond it, and each attempt is audited", async (t) => {
      const { by, post, deedOf, refusals } = operators;
      const before = (await refusals()).length;
      let [asked, refused] = [0, 0];
      for (const role of roles)
        for (const command of commands) {
          const may = mayRun(role, command);
          for (const address of addressesOf(command, subjects)) {
            const { status, headers, text } = await get(address, role);
            asked += 1;
            assert.equal(status, may ? 200 : 403, `${role} gets ${address}`);
            if (!may) refused += 1;
            else if (headers["content-disposition"] === undefined && memberWith("holds", command.answer) === undefined)
              assert.match(text, /<h1>/, address);
          }
          if (may) continue;
          assert.equal((await post(pathOf(command), by[role], {})).status, 403, `${role} runs ${command.id}`);
          assert.equal((await post(`${pathOf(command)}?_confirm=1`, by[role], {})).status, 403, command.id);
          assert.equal((await deedOf(pathOf(command), by[role], {})).status, 403, `${role} signs ${command.id}`);
          asked += 3;
          refused += 3;
        }
      const addresses = commands.flatMap((command) => addressesOf(command, subjects)).length;
      const closed = roles.flatMap((role) => commands.filter((command) => !mayRun(role, command))).length;
      assert.ok(closed > 50, `${closed} commands closed to a role`);
      assert.equal(asked, addresses * roles.length + closed * 3);
      t.diagnostic(`${asked} probes of ${commands.length} commands by ${roles.length} roles, ${refused} refused`);
      const kept = (await refusals()).slice(before);
      assert.equal(kept.filter(({ reason, command }) => reason === "role" && command).length, refused);
    });

    test("no page leads to what its reader may not do", async (t) => {
      let [read, links] = [0, 0];
      for (const role of roles) {
        const answers = commands.filter((command) => mayRun(role, command) && asksByUrl(command));
        const pages = [
          ...site.places.map(({ path }) => path),
          "/now/live",
          "/now/tables",
          "/now/alarms",
          "/now/look-ups",
          ...answers.flatMap((command) => addressesOf(command, subjects).slice(0, 2)),
        ];
        for (const page of pages) {
          read += 1;
          for (const command of offered((await get(page, role)).text)) {
            links += 1;
            assert.ok(mayRun(role, command), `${page} leads a ${role} to ${command.id}`);
          }
        }
      }
      assert.ok(links > 1000, `${links} links`);
      t.diagnostic(`${links} links and forms of ${read} pages`);
    });

    test("parts of Now that refresh themselves never offer a viewer what only higher roles may do", async () => {
      assert.ok(offered((await get("/", "officer")).text).some((command) => !mayRun("viewer", command)));
      for (const path of nowParts.keys())
        for (const command of offered((await get(path, "viewer")).text))
          assert.ok(mayRun("viewer", command), `${path} leads a viewer to ${command.id}`);
    });

    test("a role sees only its own records, also by find", async () => {
      for (const role of roles)
        for (const [kind, { show, by }] of kinds) {
          const name = subjects[by]!;
          const may = mayRun(role, site.commands.get(show)!);
          const page = await get(`${pathOf(site.commands.get(show)!)}?${new URLSearchParams({ [by]: name })}`, role);
          assert.equal(page.status, may ? 200 : 403, `${role} opens ${kind}`);
          const found = await find(name, role);
          // One match opens its record, several are a table.
          const isFound = new RegExp(`data-label="Kind">(?:<[^>]+>)*${kind}<`).test(found.text);
          const isOpen = !found.text.includes("<h1>Find</h1>") && found.text.includes(name);
          assert.equal(isFound || isOpen, may, `${role} finds ${kind} ${name}`);
        }
    });

    test("a kept answer is shown to its role and higher ones only", async () => {
      const { by, send, origin } = operators;
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
            assert.equal(
              text.includes("@example.com"),
              roles.indexOf(role) >= roles.indexOf(owner),
              `${role}${change}`,
            );
          }
      }
    });

    test("a stranger gets only the page to sign in", async () => {
      const { send, origin } = operators;
      const headers = { ...formType, Origin: origin };
      const body = new URLSearchParams({ text: subjects.reference! }).toString();
      for (const path of [...site.places.map((place) => place.path), "/now/live", ...byPath.keys()]) {
        const asked = path.startsWith("/now/") ? undefined : `/sign-in?next=${encodeURIComponent(path)}`;
        const { status, headers: answered, text } = await send(path);
        assert.deepEqual([status, answered.location], asked ? [303, asked] : [401, undefined], path);
        assert.ok(!text.includes("@"), path);
      }
      for (const path of [...byPath.keys(), "/sign-out", "/passkeys/options"])
        assert.equal((await send(path, { method: "POST", body, headers })).status, 401, path);
    });
  });

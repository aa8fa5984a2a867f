import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { membersOf } from "../../src/declare/command/read-texts.ts";
import { isIdOrEmail } from "../../src/declare/fields.ts";
import { busySettings, fillBusyDay, type Subjects } from "../../src/features/console/busy-day.fixture.ts";
import { formType, type Operators, startOperators } from "../../src/features/console/operators.fixture.ts";
import { pathOf, siteMap } from "../../src/features/console/site-map.ts";
import { asksByUrl } from "../../src/features/console/view/command-form.ts";
import { pagesOfFeatures } from "../../src/features.ts";
import { journaled } from "../../src/ledger/ledger-rows.fixture.ts";
import { everyCommand } from "../../src/wire/every-command.ts";
import { everyRecord } from "../../src/wire/every-record.ts";
import { assertAbsent, bytesOf, overheard } from "./canaries.ts";
import type { Engine, FreshSettings } from "./engines.ts";
import { ask } from "./service.ts";
import { until } from "./until.ts";

const site = siteMap(await everyCommand(), pagesOfFeatures, everyRecord);
const commands = [...site.commands.values()];
/** What people write about a deed. Names and labels are of accounts and keys, and no note. */
const noted = commands.flatMap((command) => {
  const [text] = membersOf(command.input).filter(({ name }) => /^(?:note|reason)$/.test(name));
  return text ? [{ command, text: text.name }] : [];
});

/** Registers the tests of a suite: what people write, find and read in the console, on a service with a busy day. */
export function consoleCanaries(engine: Engine): void {
  let operators: Operators;
  let subjects: Subjects;
  let canaries: string[];
  const { engine: own, heard } = overheard(engine);
  const person = { bvn: "22000000017", phone: "08000000017" };

  before(async () => {
    const traced = { DUBA_LOG_LEVEL: "trace", DUBA_ACCESS_LOG: "all", DUBA_METRICS: "127.0.0.1:0" };
    const settings = { ...busySettings, ...traced, DUBA_TRUST_PROXY: "127.0.0.1" };
    operators = await startOperators(own, settings);
    const { service } = operators;
    subjects = await fillBusyDay(service);
    const headers = { "Idempotency-Key": "order-1", "Consent-Reference": "consent-1" };
    const body = { ...person, amount: "100" };
    const { json } = await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", headers, body });
    const { personal_info: info, residential_info: home, request_reference: reference } = json.data;
    subjects = { ...subjects, reference };
    canaries = [
      ...Object.values(person),
      ...[info.full_name, info.first_name, info.last_name, info.email, info.date_of_birth],
      ...[info.formatted_date_of_birth, home.residential_address],
    ].filter(Boolean);
    assert.ok(canaries.length > 7);
    // It becomes an event.
    const { db } = await service.store();
    await journaled(db, reference, { told_unknown: 1 }).execute();
    await until(async () => (await service.ask("/api/v2/events?after=0")).text.includes(reference));
  });
  after(() => operators.service.close());

  const by = () => operators.by.officer;
  const assertClean = (where: string, text: string) => {
    for (const canary of canaries) assert.ok(!text.includes(canary), `${where} holds "${canary}"`);
    // A short name stands in base64 by chance.
    assertAbsent(
      where,
      text,
      canaries.filter(({ length }) => length > 7),
    );
  };

  test("a note keeps no number of a person, wherever it is shown or stored", async () => {
    const { service } = operators;
    const { db } = await service.store();
    const unknown = async () => {
      const body = { bvn: "00000000006", phone: "08000000006", amount: "100" };
      const answer = await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body });
      const reference = answer.json.error.request_reference as string;
      await db.updateTable("verification").set({ started_at: 1 }).where("reference", "=", reference).execute();
      return reference;
    };
    /** In place of the subjects and examples, where a command acts on something else. */
    const own: Record<string, Record<string, string>> = {
      "ledger.release": { reference: await unknown() },
      "ledger.settle": { reference: await unknown() },
      "accounts.top-up": { account: "ops@kobopay.example" },
      "alarms.acknowledge": { alarm: "held:d4" },
      "catalogue.edit": { code: "MTNDATA 104", price: "105" },
      "prices.set": { account: "group:agents", codes: "dstv", margin: "1", price: "" },
      "catalogue.revert": { revision: "1" },
      "prices.remove": { account: "integrations@ajo-savings-cooperative.example", codes: "dstv" },
      "prices.join": { accounts: "till@lagos.example" },
      "prices.leave": { accounts: "till@lagos.example" },
      "books.adjust": { reference: "", credit: "5", months: "", sure: "true" },
    };
    let kept = 0;
    for (const { command, text } of noted) {
      const [example] = command.examples;
      const fields = Object.fromEntries(
        membersOf(command.input).flatMap(({ name, member }) => {
          const given = own[command.id]?.[name] ?? (example![name] && subjects[name]) ?? example![name];
          return given === undefined || member.holds || name === "dry_run" ? [] : [[name, [given].flat().join("\n")]];
        }),
      );
      const said = `Told by ${person.phone}: ${person.bvn}, +234 800 000 0017`;
      const who = by();
      const path = pathOf(command);
      const { json } = await operators.deedOf(path, who, { ...fields, [text]: said });
      if (json.options) assertClean(`the deed of ${command.id}`, json.page);
      const send = json.options ? operators.confirm : operators.post;
      const { text: page } = await send(path, who, { ...fields, [text]: said });
      if (page.includes('class="outcome')) kept += 1;
      // Without its file: the form says so, and repeats the note.
      else assert.match(page, /class="band problem"[\s\S]*is required/, command.id);
      assertClean(command.id, page);
    }
    assert.ok(kept > 12, `${kept} notes`);
  });

  test("find says nothing of a person, whatever somebody knows", async () => {
    const { service, send, origin } = operators;
    const { cookie, token } = by();
    for (const canary of [...canaries, `0${person.phone}`, "+234 800 000 0017"]) {
      const body = new URLSearchParams({ _token: token, text: canary }).toString();
      const headers = { ...formType, Origin: origin };
      const answer = await send("/find", { method: "POST", cookie, body, headers });
      assertClean("the address of what find found", String(answer.headers.location));
      const { text } = answer.status === 303 ? await send(String(answer.headers.location), { cookie }) : answer;
      assert.match(text, /Nothing found|does not search by/, `find ${canaries.indexOf(canary)}`);
      assertClean("what find found", text);
    }
    assert.ok(service.lines.length > 0);
    assertClean("what PostgreSQL heard", heard().toString("latin1"));
  });

  test("no statement holds a text that has not the form of an id, whatever somebody searches with it", async (t) => {
    if (engine.name !== "postgres") return t.skip("only PostgreSQL writes statements to a log");
    const { cookie } = by();
    const texts = [...canaries, "+234 800 000 0017", "0800-000-0017", "2348000000017"].filter((it) => !isIdOrEmail(it));
    assert.ok(texts.length > 5);
    const said = new Set<string>();
    for (const command of commands.filter(asksByUrl)) {
      const members = membersOf(command.input);
      const needed = members.filter(({ isRequired }) => isRequired).map(({ name }) => [name, subjects[name]!]);
      for (const { name, member } of members) {
        if (member.type !== "string" || member.enum) continue;
        const before = heard().length;
        for (const text of texts) {
          const query = new URLSearchParams({ _run: "1", ...Object.fromEntries(needed), [name]: text });
          assert.ok((await operators.send(`${pathOf(command)}?${query}`, { cookie })).status < 500);
        }
        const statements = heard().toString("latin1", before);
        if (texts.some((text) => statements.includes(text))) said.add(`${command.id} ${name}`);
      }
    }
    assert.deepEqual([...said], []);
  });

  test("no page, CSV, event, metric or log line holds personal data; only the subject export does", async () => {
    const { service, send, confirm } = operators;
    const { cookie } = by();
    const addresses = commands.flatMap((command) => {
      const path = pathOf(command);
      if (!asksByUrl(command)) return [path];
      const query = new URLSearchParams({ _run: "1" });
      for (const { name, isRequired } of membersOf(command.input)) if (isRequired) query.set(name, subjects[name]!);
      const about = Object.values(everyRecord)
        .filter(({ show }) => show === command.id)
        .map(({ by }) => `${path}?${new URLSearchParams({ [by]: subjects[by]! })}`);
      return [path, `${path}?${query}`, `${path}?${query}&_csv=1`, ...about];
    });
    for (const address of [
      ...site.places.map(({ path }) => path),
      "/now/live",
      "/now/tables",
      "/now/alarms",
      "/now/look-ups",
      "/now/sums",
      ...addresses,
    ]) {
      const { status, text, headers } = await send(address, { cookie });
      assert.equal(status, 200, address);
      assertClean(address, text + JSON.stringify(headers));
    }
    const shown = await send(`/ledger/show?reference=${subjects.reference}`, { cookie });
    assert.match(shown.text, /ending 0017/);
    assertClean("events", (await service.ask("/api/v2/events?after=0&limit=1000")).text);
    assertClean("the request log", (await service.ask("/api/v2/requests?limit=1000")).text);
    const port = await service.metrics!.listen();
    assertClean("the metrics", (await ask(port, "/metrics")).text);
    const { text: exported } = await confirm("/subjects/export", by(), { number: person.bvn });
    assert.ok(exported.includes(person.bvn));
    assertClean("the log", JSON.stringify(service.lines));
    const long = canaries.filter(({ length }) => length > 7);
    assertAbsent("the store", await bytesOf(service.settings as FreshSettings), long);
  });
}

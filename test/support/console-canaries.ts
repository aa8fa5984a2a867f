import assert from "node:assert/strict";
import { before, test } from "node:test";
import { membersOf } from "../../src/declare/command/read-texts.ts";
import { isIdOrEmail } from "../../src/declare/fields.ts";
import { formType } from "../../src/features/console/operators.fixture.ts";
import { pathOf } from "../../src/features/console/site-map.ts";
import { asksByUrl } from "../../src/features/console/view/command-form.ts";
import { journaled } from "../../src/ledger/ledger-rows.fixture.ts";
import { assertAbsent, bytesOf } from "./canaries.ts";
import type { FreshSettings } from "./engines.ts";
import { commandsOfPages, type PageWalk } from "./page-walk.ts";
import { ask } from "./service.ts";
import { until } from "./until.ts";

/** Commands with a note or a reason. Names and labels are left out: they belong to accounts and keys. */
const noted = commandsOfPages.flatMap((command) => {
  const [text] = membersOf(command.input).filter(({ name }) => /^(?:note|reason)$/.test(name));
  return text ? [{ command, text: text.name }] : [];
});

/** Registers the tests of a suite that no page of the console reveals a person's data. */
export function consoleCanaries(walk: PageWalk): void {
  const { person } = walk;

  before(async () => {
    const { service } = walk.operators;
    const { reference } = walk.subjects;
    // Reports the verification as an event, and waits until the event feed lists it.
    const { db } = await service.store();
    await journaled(db, reference!, { told_unknown: 1 }).execute();
    await until(async () => (await service.ask("/api/v2/events?after=0")).text.includes(reference!));
  });

  const by = () => walk.operators.by.officer;
  const assertClean = (where: string, text: string) => {
    for (const canary of walk.canaries) assert.ok(!text.includes(canary), `${where} holds "${canary}"`);
    // Short names occur in base64 by chance.
    assertAbsent(
      where,
      text,
      walk.canaries.filter(({ length }) => length > 7),
    );
  };

  test("no page shows a person's number that somebody wrote into a note", async () => {
    const { service } = walk.operators;
    const { db } = await service.store();
    const unknown = async () => {
      const body = { bvn: "00000000006", phone: "08000000006", amount: "100" };
      const answer = await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body });
      const reference = answer.json.error.request_reference as string;
      await db.updateTable("verification").set({ started_at: 1 }).where("reference", "=", reference).execute();
      return reference;
    };
    /** Inputs for commands that need other ones than the subjects and the examples. */
    const own: Record<string, Record<string, string>> = {
      "ledger.release": { reference: await unknown() },
      "ledger.settle": { reference: await unknown() },
      "accounts.top-up": { account: "till@lagostill.example" },
      "alarms.acknowledge": { alarm: "held:d4" },
      "catalogue.edit": { code: "MTNDATA 104", price: "105" },
      "prices.set": { account: "group:agents", codes: "dstv", margin: "1", price: "" },
      "catalogue.revert": { revision: "1" },
      "prices.remove": { account: "integrations@ajo-savings-cooperative.example", codes: "dstv" },
      "prices.join": { accounts: "till@lagostill.example" },
      "prices.leave": { accounts: "till@lagostill.example" },
      "books.adjust": { reference: "", credit: "5", months: "", sure: "true" },
    };
    let kept = 0;
    for (const { command, text } of noted) {
      const [example] = command.examples;
      const fields = Object.fromEntries(
        membersOf(command.input).flatMap(({ name, member }) => {
          const given = own[command.id]?.[name] ?? (example![name] && walk.subjects[name]) ?? example![name];
          return given === undefined || member.holds || name === "dry_run" ? [] : [[name, [given].flat().join("\n")]];
        }),
      );
      const said = `Told by ${person.phone}: ${person.bvn}, +234 800 000 0017`;
      const who = by();
      const path = pathOf(command);
      const { json } = await walk.operators.deedOf(path, who, { ...fields, [text]: said });
      if (json.options) assertClean(`the deed of ${command.id}`, json.page);
      const send = json.options ? walk.operators.confirm : walk.operators.post;
      const { text: page } = await send(path, who, { ...fields, [text]: said });
      if (page.includes('class="outcome')) kept += 1;
      // Sent without the required file: the form shows that problem, and the note again.
      else assert.match(page, /class="band problem"[\s\S]*is required/, command.id);
      assertClean(command.id, page);
    }
    assert.ok(kept > 12, `${kept} notes`);
  });

  test("find reveals nothing about a person to someone who searches with the person's data", async () => {
    const { service, send, origin } = walk.operators;
    const { cookie, token } = by();
    for (const canary of [...walk.canaries, `0${person.phone}`, "+234 800 000 0017"]) {
      const body = new URLSearchParams({ _token: token, text: canary }).toString();
      const headers = { ...formType, Origin: origin };
      const answer = await send("/find", { method: "POST", cookie, body, headers });
      assertClean("the address of what find found", String(answer.headers.location));
      const { text } = answer.status === 303 ? await send(String(answer.headers.location), { cookie }) : answer;
      assert.match(text, /Nothing found|does not search by/, `find ${walk.canaries.indexOf(canary)}`);
      assertClean("what find found", text);
    }
    assert.ok(service.lines.length > 0);
    assertClean("what PostgreSQL heard", walk.heard().toString("latin1"));
  });

  test("SQL contains a search text only if the text has the form of an id or an e-mail", async (t) => {
    if (walk.engine !== "postgres") return t.skip("only PostgreSQL writes statements to a log");
    const { cookie } = by();
    const texts = [...walk.canaries, "+234 800 000 0017", "0800-000-0017", "2348000000017"].filter(
      (it) => !isIdOrEmail(it),
    );
    assert.ok(texts.length > 5);
    const said = new Set<string>();
    for (const command of commandsOfPages.filter(asksByUrl)) {
      const members = membersOf(command.input);
      const needed = members.filter(({ isRequired }) => isRequired).map(({ name }) => [name, walk.subjects[name]!]);
      for (const { name, member } of members) {
        if (member.type !== "string" || member.enum) continue;
        const before = walk.heard().length;
        for (const text of texts) {
          const query = new URLSearchParams({ _run: "1", ...Object.fromEntries(needed), [name]: text });
          assert.ok((await walk.operators.send(`${pathOf(command)}?${query}`, { cookie })).status < 500);
        }
        const statements = walk.heard().toString("latin1", before);
        if (texts.some((text) => statements.includes(text))) said.add(`${command.id} ${name}`);
      }
    }
    assert.deepEqual([...said], []);
  });

  test("no page, CSV, event, metric, log line or store shows personal data; only the subject export does", async () => {
    const { service, send, confirm } = walk.operators;
    const { cookie } = by();
    for (const { path, status, text, headers } of await walk.readAs("officer")) {
      assert.equal(status, 200, path);
      assertClean(path, text + JSON.stringify(headers));
    }
    const shown = await send(`/ledger/show?reference=${walk.subjects.reference}`, { cookie });
    assert.match(shown.text, /ending 0017/);
    assertClean("events", (await service.ask("/api/v2/events?after=0&limit=1000")).text);
    assertClean("the request log", (await service.ask("/api/v2/requests?limit=1000")).text);
    const port = await service.metrics!.listen();
    assertClean("the metrics", (await ask(port, "/metrics")).text);
    const { text: exported } = await confirm("/subjects/export", by(), { number: person.bvn });
    assert.ok(exported.includes(person.bvn));
    assertClean("the log", JSON.stringify(service.lines));
    const long = walk.canaries.filter(({ length }) => length > 7);
    assertAbsent("the store", await bytesOf(service.settings as FreshSettings), long);
  });
}

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, suite, test } from "node:test";
import { gzipSync } from "node:zlib";
import { engines } from "../../../test/support/engines.ts";
import type { TestService } from "../../../test/support/service.ts";
import { until } from "../../../test/support/until.ts";
import { append } from "../../audit/append.ts";
import { completeMonth, storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { ledgerTrail } from "../../ledger/ledger-trail.ts";
import { newReference } from "../../ledger/reference.ts";
import { monthName, timeZone } from "../../runtime/time-zone.ts";
import { commandTimeouts } from "../../storage/timeouts.ts";
import { everyCommand } from "../../wire/every-command.ts";
import { type Operators, startOperators } from "./operators.fixture.ts";

// One engine is enough: the texts of pages do not depend on it.
suite("what pages of the console say", () => {
  let operators: Operators;
  let service: TestService;

  before(async () => {
    operators = await startOperators(engines[0]!);
    ({ service } = operators);
    for (const account of ["Shop", "Till"]) await service.newAccount(account);
  });
  after(() => service.close());

  const page = async (path: string) => (await operators.send(path, { cookie: operators.by.officer.cookie })).text;
  const post = async (path: string, fields: Record<string, string>) =>
    (await operators.post(path, operators.by.officer, fields)).text;
  const confirm = async (path: string, fields: Record<string, string>) =>
    (await operators.confirm(path, operators.by.officer, fields)).text;

  const invoice = async (csv: string) => {
    const { cookie, token } = operators.by.officer;
    const body = new FormData();
    body.set("_token", token);
    body.set("vendor", "dojah");
    body.set("invoice", new File([csv], "invoice.csv"));
    const headers = { Cookie: cookie, Origin: operators.origin };
    return {
      text: await (await fetch(`${operators.origin}/books/reconcile`, { method: "POST", headers, body })).text(),
    };
  };

  /**
   * Blocks all writes until closed. Retries asynchronously: a wait inside SQLite would block the service, which runs in
   * this process.
   */
  const lockWrites = async () => {
    const lock = new DatabaseSync(join(service.settings.dataDirectory, "duba.db"), { timeout: 0 });
    await until(() => {
      try {
        lock.exec("BEGIN IMMEDIATE");
        return true;
      } catch {
        return false;
      }
    });
    return lock;
  };

  const idOfTill = async () => {
    const accounts = (await service.store()).db.selectFrom("account").select("id");
    return (await accounts.where("email", "=", "till@example.com").executeTakeFirstOrThrow()).id;
  };

  /** Returns the name of the draft on a page. The look-behind skips ids in URLs that look alike. */
  const draftIn = (text: string) => /(?<=[ >])d\d+(?=[:.,<])/.exec(text)![0];

  test("the sentences of an empty list name no setting", async () => {
    for (const { id, only, none, noneThen } of await everyCommand())
      if (only !== "terminal") assert.doesNotMatch(`${none} ${noneThen?.says}`, /DUBA_/, id);
  });

  test("a time span in the URL of a list applies to its rows and its CSV", async () => {
    const now = Date.now();
    for (let at = 0; at < 12; at += 1) await service.newKey({ label: `Till ${at}` });
    const { db } = await service.store();
    const { id } = await db.selectFrom("api_key").select("id").where("label", "=", "Till 3").executeTakeFirstOrThrow();
    const used_at = now - 40 * 24 * 3_600_000;
    await db.insertInto("key_use").values({ key_id: id, used_at, address: "102.89.32.7" }).execute();
    const day = timeZone("Africa/Lagos")!.dayOf(used_at);
    assert.match(await page("/keys"), /<nav class="switch" aria-label="Last used">/);
    const csv = await page(`/keys?_csv=1&_from=${day}&_to=${day}`);
    assert.match(csv, /^id,.*\n.*Till 3.*\n$/);
    assert.match(await page("/keys?_from=1999-01-01&_to=1999-01-31"), /Nothing in these days\./);
  });

  test("the use over time has a row for each of 24 hours, 30 days or 12 months", async () => {
    const account = await idOfTill();
    for (const [span, rows, words] of [
      ["24h", 24, "24 hours"],
      ["30d", 30, "30 days"],
      ["12m", 12, "12 months"],
    ] as const) {
      const text = await page(`/books/use?account=${account}&span=${span}`);
      assert.match(text, new RegExp(`aria-current="true">${words}<`));
      assert.equal(text.split("<tbody>")[1]!.split("</tbody>")[0]!.split("<tr").length - 1, rows);
    }
  });

  test("without scripts, a form that needs a passkey says so above its first field", async () => {
    const form = (await page("/accounts/top-up")).split('<form class="command')[1]!;
    assert.ok(form.indexOf("<noscript>") > 0 && form.indexOf("<noscript>") < form.indexOf("<label"));
    assert.match(form, /<noscript><p class="warn">Your passkey confirms this[^<]*Switch scripts on first\./);
    assert.doesNotMatch(await page("/accounts/create"), /<noscript>/);
  });

  test("a long name is shortened in the page's head, and shown in full on hover", async () => {
    const name = `Ajo ${"Savings Cooperative ".repeat(8)}of Ibadan`;
    await post("/accounts/create", { name, email: "ajo@example.com" });
    assert.match(await page("/accounts/show?account=ajo@example.com"), new RegExp(`<h1 title="${name}">${name}</h1>`));
  });

  test("a catalogue code of several words is one line in a form", async () => {
    assert.match(await page("/prices/set"), /<input type="text" value=""[^>]* id="f-codes"/);
    const said = await confirm("/prices/set", { account: "shop@example.com", codes: "MTNDATA 104", price: "99.50" });
    assert.match(said, /revision \d+ is published/i);
    assert.match(await page("/prices/show?account=shop@example.com"), /MTNDATA 104/);
    const refused = await post("/prices/set", { account: "shop@example.com", codes: "MTNDATA", price: "99.50" });
    assert.match(refused, /A price is of one entry\. Add its code after MTNDATA\./);
  });

  test("pages work while the store refuses writes, and the page Now reports that writes are refused", async () => {
    await (await service.store()).db
      .updateTable("console_session")
      .set({ seen_at: Date.now() - 120_000 })
      .execute();
    const lock = await lockWrites();
    try {
      const begun = performance.now();
      assert.match(await page("/accounts"), /<h1>Accounts/);
      assert.match(await page("/"), /takes no writes/);
      assert.ok(performance.now() - begun < commandTimeouts.alone, "a page waited for the store");
    } finally {
      lock.close();
    }
  });

  test("only a waiting change can be approved", async () => {
    await confirm("/catalogue/edit", { code: "MTNDATA 104", price: "1900" });
    const decide = /<a class="button main" href="\/catalogue\/approve\?draft=d\d+">Approve…/;
    const [, waiting] = /href="\/catalogue\/approve\?draft=(d\d+)"/.exec(await page("/catalogue")) ?? [];
    assert.match(await page(`/catalogue/show?revision=${waiting}`), decide);
    assert.match(await page("/catalogue/show?revision=d1"), /published/);
    assert.doesNotMatch(await page("/catalogue/show?revision=d1"), decide);
  });

  test("a command that reads the whole ledger runs only when a person asks for it", async () => {
    const ring = await page("/keyring");
    assert.match(ring, /data-label="For">records<.*data-label="For">hashes</s);
    assert.match(ring, /<a class="button main" href="\/keyring\/show">What needs each key<\/a>/);
    assert.doesNotMatch(ring, /data-label="Needed by"/);
    assert.match(await page("/keyring/show"), /<button class="button main" id="send">Show<\/button>/);
    assert.match(await page("/keyring/show?_run=1"), /<td[^>]*data-label="Needed by"/);
  });

  test("an empty list says how rows appear, but not if a filter empties it", async () => {
    const then = /No entry of a source is mapped[\s\S]*first pull[\s\S]*href="\/sources\/pull">Pull now…/;
    assert.match(await page("/catalogue/map/list"), then);
    assert.doesNotMatch(await page("/catalogue/map/list?source=ebills"), /Pull now…<\/a><\/p>/);
  });

  test("a state's filter shows how many rows have the state, unless another filter is set", async () => {
    const { db, now } = await service.store();
    const { id } = await db.selectFrom("account").select("id").executeTakeFirstOrThrow();
    const unknown = { state: "unknown", charged: 0, charged_at: null, completed_at: null } as const;
    for (const mode of ["live", "test"] as const)
      await storeRows(db, verifiedRow(id, now(), { ...unknown, mode, reference: newReference(now()) }));
    assert.match(await page("/verifications"), />No outcome <b>2<\/b>/);
    assert.doesNotMatch(await page("/verifications?mode=test"), />No outcome <b>/);
    assert.match(await page("/events"), />Waiting</);
  });

  test("accounts show id, e-mail and name, and audit entries name the account", async () => {
    await post("/accounts/create", { name: "Zaria Lenders", email: "zaria@example.com" });
    const shown = await page("/accounts/show?account=zaria%40example.com");
    assert.match(shown, /<h1>Zaria Lenders<\/h1>/);
    assert.match(shown, />acc_\w+</);
    assert.match(shown, />zaria@example\.com</);
    assert.match(await page("/audit?kind=account.created"), /<span class="fact">Client Zaria Lenders<\/span>/);
    const invited = await page("/audit?kind=person.invited");
    assert.match(invited, /<span class="fact">Email <span class="id">officer@example\.com<\/span><\/span>/);
    const suspended = await post("/accounts/suspend", { account: "zaria@example.com" });
    assert.match(suspended, /The account Zaria Lenders is suspended since /);
  });

  test("the list of endpoints names the key that made an endpoint by the key's label", async () => {
    const made = { account: "till@example.com", label: "Till webhooks", scopes: ["events:manage"] };
    const { text: credential } = await service.newKey(made);
    const body = { url: "https://shop.example.com/duba" };
    assert.equal((await service.ask("/api/v2/events/endpoints", { method: "POST", body, credential })).status, 200);
    assert.match(await page("/events/endpoints/list"), /<td[^>]*data-label="Made by"[^>]*>key Till webhooks</);
  });

  test("a tab of an account's page shows the number of the account's keys", async () => {
    await service.newKey({ account: "sandbox@example.com" });
    assert.match(await page("/accounts/show?account=till@example.com"), />Keys <small>1<\/small><\/a>/);
  });

  test("amounts have thousands separators, and setting names keep their underscores", async () => {
    await confirm("/accounts/change", { account: "till@example.com", cap_naira: "2500000" });
    assert.match(await page("/accounts"), /<td[^>]*data-label="Monthly cap">.*0 % of ₦2,500,000<\/span><\/td>/);
    assert.match(
      await page("/accounts/show?account=till@example.com"),
      /<dt>Monthly cap<\/dt><dd>₦2,500,000<span class="kobo">\.00<\/span><\/dd>/,
    );
    assert.match(await page("/sources/status?_run=1&all=true"), /data-label="Missing">DUBA_VTPASS_API_KEY/);
  });

  test("a statement does not add test fees to live fees", async () => {
    const { db } = await service.store();
    const id = await idOfTill();
    const last = timeZone("Africa/Lagos")!.startOfMonth(completeMonth());
    const rows = (["live", "test"] as const).map((mode) =>
      verifiedRow(id, last, { mode, charged: 1, charged_at: last, reference: newReference(last) }),
    );
    await storeRows(db, ...rows);
    const statement = await page(`/books/statement?account=till@example.com&month=${completeMonth()}`);
    assert.match(statement, /Sums of live mode.*Sums of test mode/s);
    assert.doesNotMatch(statement, /<tfoot>/);
  });

  test("an account's page shows id, e-mail and name separately", async () => {
    const id = await idOfTill();
    const shown = await page("/accounts/show?account=till@example.com");
    for (const fact of ["<h1>Till</h1>", `>${id}<`, ">till@example.com<"]) assert.ok(shown.includes(fact), fact);
    assert.match(shown, /Rate limit<\/dt><dd>\d+\/(?:s|min|h) \(default\)/);
    const changed = await post("/accounts/change", { account: "shop@example.com", email: "bill@example.com" });
    assert.match(changed, /The account Shop pays /);
    assert.match(changed, /<span class="id">acc_/);
    await post("/accounts/change", { account: "bill@example.com", email: "shop@example.com" });
  });

  test("an account's page shows its last verifications, its keys, and money moved by people", async () => {
    await confirm("/accounts/top-up", { account: "till@example.com", amount: "5000", reason: "first transfer" });
    await confirm("/accounts/top-up", { account: "till@example.com", amount: "50", reason: "zero", take_back: "on" });
    const shown = await page("/accounts/show?account=till@example.com");
    const all = '<a href="/\\w+\\?account=till%40example\\.com">All</a>';
    assert.match(shown, new RegExp(`<h2>Verifications</h2>${all}.*BVN ending.*<h2>Keys</h2>${all}`, "s"));
    assert.doesNotMatch(shown, /<th[^>]*><a[^>]*>Client<\/a>/);
    const [, moves] = shown.split("Money in and back</h2>");
    assert.match(moves!, /taken back.*-₦50.*zero.*top up.*₦5,000.*first transfer/s);
  });

  test("the audit trail can show or exclude one kind of entry, and its empty filters read All and None", async () => {
    const all = await page("/audit?lines=100");
    assert.match(all, /<select id="f-without"[^>]*><option value="">None<\/option>/);
    assert.match(all, /<select id="f-kind"[^>]*><option value="">All<\/option>/);
    const rowsOf = (text: string) => text.slice(text.indexOf("<tbody")).match(/<tr/g)!.length;
    const [alone, others] = [
      await page("/audit?lines=100&kind=account.created"),
      await page("/audit?lines=100&without=account.created"),
    ];
    assert.ok(rowsOf(alone) > 0);
    assert.equal(rowsOf(alone) + rowsOf(others), rowsOf(all));
  });

  test("the page Vendors lists recent actions on vendors, newest first", async () => {
    assert.doesNotMatch(await page("/vendors"), /<h2>Recent changes/);
    const { db } = await service.store();
    const about = { vendor: "dojah", kind: "nin" };
    await append(db, ledgerTrail.routePaused("terminal:ada", { ...about, why: "answers", until: null }));
    const paused = Date.now();
    while (Date.now() === paused);
    await append(db, ledgerTrail.routeResumed("terminal:ada", about));
    const [, lately] = (await page("/vendors")).split("<h2>Recent changes</h2>");
    assert.match(lately!, /Vendor resumed.*Vendor paused: .*Dojah.*, its answers are wrong.*ada at the terminal/s);
  });

  test("the page Books shows the month's totals", async () => {
    const { db, now } = await service.store();
    const id = await idOfTill();
    const at = now();
    await storeRows(db, verifiedRow(id, at, { charged: 1, charged_at: at, fee: 12_345, reference: newReference(at) }));
    const [, figures] = /<dl class="figures">(.*?)<\/dl>/s.exec(await page("/books"))!;
    const named = [...figures!.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(
      ([, name, text]) => `${name} ${text!.replaceAll(/<.*?>/g, "")}`,
    );
    assert.deepEqual(named, ["Charged ₦123.45", "Vendors cost ₦0.00", "May be billed ₦0.00", "Margin ₦123.45"]);
  });

  test("a record's page has the record's name as its title", async () => {
    const month = new Date(new Date().setUTCDate(0)).toISOString().slice(0, 7);
    const statement = await page(`/books/statement?account=till@example.com&month=${month}`);
    assert.match(statement, new RegExp(`<title>Statement of Till · .*<h1>Till</h1>.*${monthName(month)}`, "s"));
    assert.match(await page("/prices/show?account=till@example.com"), /<title>Prices of Till · .*<h1>Till<\/h1>/s);
    assert.match(await page("/accounts/show?account=till@example.com"), /<h1>Till<\/h1>/);
  });

  test("Now shows changes made in the console at once, and other changes when opened", async () => {
    await page("/");
    const said = await confirm("/catalogue/edit", { code: "MTNDATA 113", price: "9000" });
    const draft = draftIn(said);
    const name = `held:${draft}`;
    assert.match(
      await page("/now/alarms"),
      /\(MTNDATA 113\): ₦[\d.,]+ → ₦9,000 \(.*, by officer@example\.com, waits for approval/,
    );
    const since = /<p>officer@example\.com, since <time datetime="[^"]+">\d\d:\d\d<\/time>/;
    assert.match(await page("/catalogue"), since);
    const price = { account: "till@example.com", codes: "MTNDATA 104", price: "900" };
    assert.match(await confirm("/prices/set", price), /MTNDATA 104: price for Till ₦\d+ → ₦900 \(/);
    const alarms = (await page("/now/alarms")).replaceAll(/<[^>]+>/g, "");
    assert.match(alarms, /MTNDATA 104 for Till: ₦900, by officer@example\.com, waits for approval\./);
    assert.match(alarms, /MTNDATA 104: price for Till ₦\d+ → ₦900 \(/);
    const { db, now } = await service.store();
    const acknowledged = { name, actor: "terminal:tunde", note: "", until: now() + 60_000, at: now() };
    await db.insertInto("alarm_acknowledgement").values(acknowledged).execute();
    for (const path of ["/", "/now/alarms"])
      assert.match(await page(path), /Acknowledged by tunde at the terminal until/);
  });

  test("the status page shows the band and the list of alarms that the page Now shows", async () => {
    await confirm("/catalogue/edit", { code: "MTNDATA 113", price: "9500" });
    const lock = await lockWrites();
    try {
      const [now, status] = [await page("/"), await page("/status")].map((text: string) => ({
        bands: text.match(/<\w+ class="band[\s\S]*?<\/h2>/g),
        list: /<div class="alarms">[\s\S]*?<\/ol><\/div>/.exec(text)![0],
      }));
      assert.match(now!.bands!.join(), /^<section class="band"[^<]*<h2>The store takes no writes/);
      assert.ok(now!.list.split("<li").length > 2, now!.list);
      assert.deepEqual(status, now);
    } finally {
      lock.close();
    }
  });

  test("a form accepts numbers as pages show them, and states problems in its own words", async () => {
    assert.match(
      await confirm("/books/adjust", {
        account: "till@example.com",
        credit: "1,250.50",
        reason: "Goodwill",
        sure: "true",
      }),
      /₦1,250\.50 given back to Till/,
    );
    const past = await post("/catalogue/edit", { code: "MTNDATA 104", price: "99", holds_from: "2020-01-01T00:00" });
    assert.match(past, /Holds from must be later than now\./);
    const { text } = await invoice("a,b\n1,2\n");
    assert.match(text, /Say which columns of the file these are\./);
    assert.match(text, /<select id="f-reference_column"[^>]*><option value="a">a<\/option><option value="b">b</);
    assert.match(
      await post("/catalogue/revert", { revision: "99" }),
      /no revision 99\. <a href="\/catalogue">All are in<\/a>/,
    );
  });

  test("unusual invoice headings work without scripts, and disputed lines can be downloaded", async () => {
    const { text } = await invoice(
      "Dojah Ltd\nInvoice,INV-11\n\nTxn No.,When,Customer,Total (₦)\nD-81,03/11/2026 14:05,22000000017,50\n",
    );
    assert.match(text, /Dojah: 0 of 1 lines agree, and ₦50\.00 is disputed\./);
    assert.match(text, /Read: “Txn No\.” as reference, “When” as time, “Customer” as number, “Total \(₦\)” as sum\./);
    assert.match(text, /<td[^>]*>only the vendor has it/);
    assert.doesNotMatch(text, /billed twice|22000000017/);
    assert.match(text, /<option value="Customer" selected>Customer<\/option>/);
    const [, csv = ""] = /<a class="button main" href="([^"]+)">CSV for the vendor</.exec(text) ?? [];
    const { text: lines } = await operators.send(csv.replaceAll("&amp;", "&"), {
      cookie: operators.by.officer.cookie,
    });
    assert.match(lines, /^difference,line,[^\n]*\nonly_vendor,5,D-81,/);
  });

  test("a scheduled change needs no approval, and can be rejected", async () => {
    const said = await confirm("/catalogue/edit", {
      code: "MTNDATA 113",
      price: "201",
      holds_from: "2099-01-01T00:00",
    });
    const draft = draftIn(said);
    const card = (await page("/catalogue")).split(`<h2>Change ${draft} is scheduled</h2>`)[1]!.split("</p>")[0]!;
    assert.match(card, /Reject/);
    assert.doesNotMatch(card, /Approve/);
  });

  test("the style sheet and our two scripts stay small", () => {
    const [sheet, ...scripts] = ["console.css", "console.js", "passkey.js"].map((name) =>
      readFileSync(new URL(`static/${name}`, import.meta.url), "utf8"),
    );
    const lines = (text: string) => text.split("\n").length - 1;
    assert.ok(lines(sheet!) <= 2_000 && gzipSync(sheet!).length <= 10 * 1024);
    assert.ok(scripts.reduce((sum, script) => sum + lines(script), 0) <= 220);
  });
});

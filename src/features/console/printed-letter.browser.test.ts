import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { findBrowser, missingBrowser, openWindow, startBrowser } from "../../../test/support/browser.ts";
import { startService, type TestService } from "../../../test/support/service.ts";
import { completeMonth, storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { longDay, monthName, nextMonth, timeZone } from "../../runtime/time-zone.ts";
import { officersSession } from "./busy-day.fixture.ts";

const zone = timeZone("Africa/Lagos")!;
const month = completeMonth();
const charges = 1_477;

/** Returns visible texts outside `main`, and visible buttons, fields and alarms. */
const ofTheConsole = `(() => {
  const pressed = [...document.querySelectorAll("main :is(button, summary, input, select, .button, .band, .pager a)")];
  const texts = pressed.filter((each) => each.checkVisibility()).map(({ outerHTML }) => outerHTML);
  for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode(); ) {
    const { parentElement: at, data } = walker.currentNode;
    if (data.trim() !== "" && at.checkVisibility() && !at.closest("main")) texts.push(data.trim());
  }
  return texts;
})()`;

// One engine is enough: printing does not depend on it.
suite("a printed statement", { skip: missingBrowser() }, () => {
  let service: TestService;
  let browser: Browser;
  let page: Page;
  let account: string;

  before(async () => {
    const business = { DUBA_CONSOLE: "127.0.0.1:0", DUBA_BUSINESS_NAME: "Kudi Checks Ltd", DUBA_TAX: "7.5% added" };
    [service, browser] = await Promise.all([startService(business), startBrowser(findBrowser())]);
    const { db } = await service.store();
    ({ id: account } = await db.selectFrom("account").select("id").executeTakeFirstOrThrow());
    await db.updateTable("account").set({ address: "14 Broad Street; Lagos", tax_number: "20481234-0001" }).execute();
    const begun = zone.startOfMonth(month);
    // Each of the first 28 days has charges, and the busiest day more than fit on a page.
    const moment = (at: number) => begun + Math.floor(28 * 86_400_000 * (at / charges) ** 1.4);
    await storeRows(db, ...Array.from({ length: charges }, (_, at) => verifiedRow(account, moment(at))));
    page = await openWindow(browser);
    const value = await officersSession(service);
    await page.context().addCookies([{ name: "duba_console", value, url: service.console!.origin }]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const statement = (more = "") =>
    `${service.console!.origin}/books/statement?account=${account}&month=${month}${more}`;

  test("a letter with 1,477 charges has at most 15 pages, and an annex page has 110 or more on average", async () => {
    await page.goto(statement("&for_client=on"));
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
    const pages = pdf.match(/\/Type \/Page\b/g)!.length;
    assert.ok(pages <= 15, `${pages} pages`);
    assert.ok(charges / (pages - 1) >= 110, `${charges / (pages - 1)} charges a page`);
  });

  test("a letter shows the client with address and tax number, the date of issue, and its tax", async () => {
    await page.goto(statement("&for_client=on"));
    const text = await page.locator("main").innerText();
    const issued = longDay(zone.dayOf(zone.startOfMonth(nextMonth(month))));
    assert.match(text, /To\s+Sandbox\s+14 Broad Street\s+Lagos\s+sandbox@example.com\s+Tax number 20481234-0001/);
    assert.match(text, new RegExp(`Issued\\s+${issued}\\s`));
    assert.match(text, /^VAT 7\.5 %\s+₦11,077\.50$/m);
    assert.equal(await page.title(), `Statement for ${monthName(month)} for Sandbox`);
  });

  test("a printed statement shows nothing of the console, also while a client is refused", async () => {
    const { db } = await service.store();
    await db.updateTable("account").set({ terms: '{"capKobo":1}' }).where("id", "=", account).execute();
    const spent = { account_id: account, period: zone.monthOf(Date.now()), kobo: 1, verifications: 1 };
    await db
      .insertInto("spending")
      .values({ ...spent, most_kobo: null, most_verifications: null })
      .execute();
    await page.goto(statement());
    await page.locator(".band").waitFor();
    await page.emulateMedia({ media: "print" });
    for (const more of ["&for_client=on", ""]) {
      await page.goto(statement(more));
      assert.deepEqual(await page.evaluate(ofTheConsole), [], `statement${more}`);
    }
  });
});

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, missingBrowser, startBrowser } from "../../test/support/browser.ts";
import { type Visitor, visit } from "../../test/support/passkey.ts";
import { startService, type TestService } from "../../test/support/service.ts";
import { join, said, sendForm } from "./console.fixture.ts";

// What a browser does here does not depend on the engine.
suite("an operator's work in a browser", { skip: missingBrowser(), timeout: 110_000 }, () => {
  let service: TestService;
  let browser: Browser;
  let origin: string;
  let ada: Visitor;

  before(async () => {
    [service, browser] = await Promise.all([
      startService({ DUBA_CONSOLE: "127.0.0.1:0", DUBA_TIME_ZONE: "Africa/Lagos" }),
      startBrowser(findBrowser()),
    ]);
    origin = service.console!.origin;
    ada = await join(browser, service.console!.firstLink!, "Ada");
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const bundles = async () =>
    (await ada.page.request.get(`${origin}/catalogue/export?_run=1&list=data-bundles`)).text();
  const unknown = async () => {
    const body = { bvn: "00000000006", phone: "08000000006", amount: "100" };
    const answer = await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body });
    const reference = answer.json.error.request_reference as string;
    const { db } = await service.store();
    await db.updateTable("verification").set({ started_at: 1 }).where("reference", "=", reference).execute();
    return reference;
  };
  /** Presses Tab until the focus is on what a person hears as this name. */
  const tabTo = async (name: RegExp) => {
    const { page } = ada;
    const focused = `(() => { const at = document.activeElement;
      return at.getAttribute("aria-label") || at.labels?.[0]?.textContent || at.textContent; })()`;
    for (let tries = 0; tries < 120; tries += 1) {
      await page.keyboard.press("Tab");
      if (name.test((await page.evaluate<string>(focused)).trim())) return;
    }
    assert.fail(`no way to ${name}`);
  };
  const press = async (name: RegExp) => {
    await tabTo(name);
    await opened(() => ada.page.keyboard.press("Enter"));
  };
  const opened = async (act: () => Promise<void>) => {
    await Promise.all([ada.page.waitForEvent("framenavigated"), act()]);
    await ada.page.waitForLoadState();
  };

  test("changes a price where it stands, and sees what became of it", async () => {
    const { page, faults } = ada;
    await page.goto(`${origin}/catalogue/entries?_run=1&_find=MTNDATA+104`);
    const price = page.getByLabel("Price of MTNDATA 104", { exact: true });
    await price.fill("105");
    await price.press("Enter");
    await said(page, "Revision 2 is published: 1 modified.");
    assert.equal(new URL(page.url()).pathname, "/catalogue/entries");
    await price.fill("no price");
    await price.press("Enter");
    await said(page, /Price must be an amount in naira above 0/);
    assert.deepEqual(faults, []);
  });

  test("drops a file, sees its faults by line, then the difference, and publishes", async () => {
    const { page, faults } = ada;
    const text = await bundles();
    const file = (changed: string) => ({
      name: "data-bundles.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(changed),
    });
    await page.goto(`${origin}/catalogue/import`);
    await page.getByLabel("File").setInputFiles([file(text.replace("MTNDATA,104,", "MTNDATA,,"))]);
    await page.getByRole("button", { name: "Check first" }).click();
    await said(page, /line \d+/i);
    await page.getByLabel("File").setInputFiles([file(text.replace(",200,200,", ",200,210,"))]);
    await page.getByRole("button", { name: "Check first" }).click();
    await said(page, "this was a dry run");
    assert.equal(await page.locator("#checked td", { hasText: /^210$/ }).count(), 1);
    assert.equal(await bundles(), text);
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await said(page, "Revision 3 is published: 1 modified.");
    assert.deepEqual(faults, []);
  });

  test("schedules a price at a time of the operator's zone, and rejects it beside what is served", async () => {
    const { page } = ada;
    const fields = { Price: "106", "Holds from": "2099-02-01T08:30", Note: "In spring" };
    await sendForm(page, `${origin}/catalogue/edit?code=MTNDATA+104`, fields);
    await said(page, /Scheduled as d\d+: 1 modified, from 2099-02-01 07:30Z on/);
    await page.goto(`${origin}/catalogue`);
    const card = page.locator(".card");
    assert.match(await card.innerText(), /is scheduled[\s\S]*In spring[\s\S]*MTNDATA 104\s+price\s+105\s+106/);
    await card.getByRole("link", { name: /^Reject/ }).click();
    await page.getByRole("button", { name: "Reject" }).click();
    await said(page, /is rejected/);
  });

  test("acknowledges an alarm, and settles verifications that no vendor answers", async () => {
    const { page, faults } = ada;
    await sendForm(page, `${origin}/catalogue/edit?code=MTNDATA+104`, { Price: "5000" });
    await page.goto(origin);
    await page
      .getByRole("row", { name: /held:d/ })
      .getByRole("link", { name: "Acknowledge" })
      .click();
    await page.getByLabel("Note").fill("Asked MTN <b>twice</b>");
    await page.getByRole("button", { name: "Acknowledge" }).click();
    await said(page, /is acknowledged until/);
    await page.goto(origin);
    await said(page, /until .*: Asked MTN <b>twice<\/b>/);
    const row = page.getByRole("row", { name: /held:d/ });
    assert.match(await row.innerText(), /acknowledged/);
    assert.equal(await row.getByRole("link", { name: "Acknowledge" }).count(), 0);

    const [released, settled] = [await unknown(), await unknown()];
    await page.goto(`${origin}/verifications?reference=${released}`);
    await page
      .getByRole("row", { name: new RegExp(released) })
      .getByRole("link", { name: "Release" })
      .click();
    await page.getByLabel("Reason").fill("Not on their list");
    await page.getByRole("button", { name: "Release" }).click();
    await said(page, `${released} is released`);
    await page.goto(`${origin}/ledger/show?reference=${released}`);
    await said(page, "verification.settled");
    assert.equal(await page.getByRole("link", { name: "Release" }).count(), 0);
    await sendForm(page, `${origin}/ledger/settle?reference=${settled}`, {
      Outcome: "not_found",
      Reason: "They say so",
    });
    await said(page, `${settled} is settled as not_found`);
    assert.deepEqual(faults, []);
  });

  test("does a day's work by keyboard alone", async () => {
    const { page } = ada;
    await page.goto(`${origin}/accounts`);
    await press(/^Create$/);
    await tabTo(/^Name/);
    await page.keyboard.type("By keyboard");
    await tabTo(/^Email/);
    await page.keyboard.type("keys@example.com");
    await opened(() => page.keyboard.press("Enter"));
    await said(page, /is created for By keyboard/);
    await press(/^Keys$/);
    await press(/^Create$/);
    await tabTo(/^Account \(/);
    await page.keyboard.type("keys@example.com");
    await opened(() => page.keyboard.press("Enter"));
    await said(page, "Save it now");
    await press(/^Catalogue$/);
    await press(/^Approve d\d+$/);
    await press(/^Approve$/);
    await said(page, /is published/);
    await press(/^Catalogue$/);
    await press(/^Revert$/);
    await press(/^Revert$/);
    await said(page, /waits for approval|is published/);
    await press(/^Accounts$/);
    await tabTo(/^Find in the table/);
    await page.keyboard.type("keys@example.com");
    await opened(() => page.keyboard.press("Enter"));
    await press(/^Suspend$/);
    await press(/^Suspend$/);
    await said(page, /is suspended since/);
    await press(/^Sign out$/);
    // A cookie that somebody planted before never becomes a session.
    await ada.context.addCookies([{ name: "duba_console", value: "planted", url: origin }]);
    await tabTo(/^Sign in with a passkey$/);
    await page.keyboard.press("Enter");
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    assert.ok((await ada.context.cookies()).every(({ value }) => value.length === 43));
  });

  test("does the same work without scripts", async () => {
    const storageState = await ada.context.storageState();
    const { page, faults, context } = await visit(browser, origin, { storageState, javaScriptEnabled: false });
    await page.goto(`${origin}/catalogue/entries?_run=1&_find=MTNDATA+104`);
    await page.getByLabel("Price of MTNDATA 104", { exact: true }).fill("107");
    await page
      .getByRole("row", { name: /MTNDATA 104/ })
      .getByRole("button", { name: "Save" })
      .click();
    await said(page, /is published|waits for approval/);
    const buffer = Buffer.from((await bundles()).replace(",200,210,", ",200,220,"));
    const chosen = [{ name: "data-bundles.csv", mimeType: "text/csv", buffer }];
    for (const [button, answer] of [
      ["Check first", "this was a dry run"],
      ["Import", /is published/],
    ] as const) {
      await page.goto(`${origin}/catalogue/import`);
      await page.getByLabel("File").setInputFiles(chosen);
      await page.getByRole("button", { name: button, exact: true }).click();
      await said(page, answer);
    }
    await sendForm(page, `${origin}/accounts/resume`, { Account: "keys@example.com" });
    await said(page, /is active/);
    const csv = await page.request.get(`${origin}/accounts?_sort=-name&_csv=1&_run=1`);
    assert.match(await csv.text(), /^id,name,[\s\S]*Sandbox[\s\S]*By keyboard/);
    await page.goto(origin);
    await said(page, "Look-ups a minute");
    await page.goto(`${origin}/books`);
    await said(page, "By vendor");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${origin}/sign-in`);
    assert.match(await page.locator("main").innerText(), /Switch scripts on to sign in/);
    assert.deepEqual(faults, []);
    await context.close();
  });
});

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, missingBrowser, startBrowser } from "../../../test/support/browser.ts";
import type { Visitor } from "../../../test/support/passkey.ts";
import { startService, type TestService } from "../../../test/support/service.ts";
import { recorded } from "../../access/access.fixture.ts";
import { changeTerms } from "../../access/accounts/terms.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { everyCommand } from "../../wire/every-command.ts";
import { join, said, sendOpened } from "./console.fixture.ts";
import { pathOf } from "./site-map.ts";

// One engine is enough: the browser's behaviour does not depend on it.
suite("forms in a browser", { skip: missingBrowser() }, () => {
  let service: TestService;
  let browser: Browser;
  let origin: string;
  let ada: Visitor;

  before(async () => {
    [service, browser] = await Promise.all([
      startService({ DUBA_CONSOLE: "127.0.0.1:0" }),
      startBrowser(findBrowser()),
    ]);
    origin = service.console!.origin;
    ada = await join(browser, service.console!.firstLink!, "Ada");
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  test("a form changes the prices of the filtered entries after a preview", async () => {
    const { page, problems } = ada;
    await page.goto(`${origin}/catalogue/entries?_run=1&provider=MTNDATA&max=3000`);
    const count = await page.locator("tbody tr").count();
    assert.ok(count > 1);
    await page.getByRole("link", { name: "Change prices" }).click();
    await page.getByLabel(/^By/).fill("3%");
    await page.getByLabel("Round").selectOption("5");
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await said(page, `${count} entries changed.`);
    assert.equal(await page.evaluate("document.activeElement.textContent"), `${count} prices rise by 3.9 % on average`);
    await page.getByRole("button", { name: `Publish ${count} prices` }).click();
    await said(page, `It makes these changes: ${count} entries changed.`);
    await page.getByRole("button", { name: "Confirm with your passkey" }).click();
    await said(page, new RegExp(`Revision \\d+ is published: ${count} entries changed\\.`));
    assert.deepEqual(problems, []);
  });

  test("a form sent after the session ended is restored after sign-in, and works once", async () => {
    const { page, problems } = ada;
    const { db } = await service.store();
    const endSession = () => db.deleteFrom("console_session").execute();
    const accounts = async () =>
      (await db.selectFrom("account").select(["name", "email"]).where("email", "like", "%lagos%").execute()).map(
        ({ name, email }) => [name, email],
      );
    const signIn = async () => {
      await said(page, "Your session has ended, and nothing was done.");
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await said(page, "Look at what you typed");
    };
    await page.goto(`${origin}/accounts/create`);
    await page.getByLabel(/^Name/).fill('Ìbàdàn "& Lagos"');
    await page.getByLabel(/^Email/).fill("lagos@example.com");
    await endSession();
    await page.getByRole("button", { name: "Create account" }).click();
    await signIn();
    assert.equal(new URL(page.url()).search, "?_typed=1");
    assert.equal(await page.getByLabel(/^Name/).inputValue(), 'Ìbàdàn "& Lagos"');
    assert.deepEqual(await accounts(), []);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL(/_did=/);
    assert.deepEqual(await accounts(), [['Ìbàdàn "& Lagos"', "lagos@example.com"]]);

    // A form with a file that needs a passkey.
    await page.goto(`${origin}/catalogue/import`);
    await page
      .getByLabel("File")
      .setInputFiles([{ name: "prices.csv", mimeType: "text/csv", buffer: Buffer.alloc(100_000, "x") }]);
    await page.getByLabel("Note").fill("Prices of Lagos");
    await endSession();
    await page.getByRole("button", { name: "Import files" }).click();
    await signIn();
    assert.equal(await page.getByLabel("Note").inputValue(), "Prices of Lagos");
    assert.equal(await page.getByLabel("File").inputValue(), "");
    // The browser logs each response with status 401.
    problems.length = 0;
  });

  test("a form has units in its fields, one filled button, a focused field, and no paragraph of help", async () => {
    const { page } = ada;
    const account = await service.newAccount("Danfo");
    await page.goto(`${origin}/accounts/change?account=${account}`);
    const form = page.locator("form.command");
    assert.equal(await page.locator("main header p:not(.crumb)").count(), 0);
    assert.deepEqual(await form.locator("button.main").allInnerTexts(), ["Change Danfo"]);
    assert.equal(await page.evaluate("document.activeElement.name"), "bvn_fee");
    assert.equal(await form.locator(".unit", { has: page.getByLabel("Monthly cap") }).innerText(), "₦");
    assert.equal(await page.getByLabel("Monthly cap").inputValue(), "");
    assert.equal(await page.getByLabel("Monthly cap").getAttribute("placeholder"), "None");
    await page.goto(`${origin}/routes/pause?vendor=dojah`);
    assert.deepEqual(await form.locator("button.main").allInnerTexts(), ["Pause Dojah"]);
    const choice = page.getByRole("group", { name: "Why" });
    assert.match(
      await choice.innerText(),
      /Load\s+It is slow[^.]*\. Ends by itself after 8 hours\.[\s\S]*Key\s[\s\S]*until you resume it/,
    );
    assert.equal(await choice.locator("input:checked").count(), 0);
  });

  test("the effect of a form is shown beside the form, so the first press asks for the passkey", async () => {
    const { page, problems } = ada;
    const account = await service.newAccount("Depot");
    await page.goto(`${origin}/accounts/change?account=${account}`);
    const beside = page.locator("[data-ahead]");
    await page.getByLabel("Monthly cap").fill("180000");
    await beside.getByText("₦180,000").waitFor();
    assert.equal(await beside.getByRole("button").count(), 0);
    await page.getByRole("button", { name: "Change Depot" }).click();
    await page.waitForURL(/_did=/);
    // A change made meanwhile is shown before the passkey is asked for.
    const wharf = await service.newAccount("Wharf");
    const { db } = await service.store();
    await changeTerms(recorded(db), wharf, { prepaid: true }, new TimeZone("Africa/Lagos"));
    await page.goto(`${origin}/accounts/top-up?account=${wharf}`);
    await page.getByLabel(/^Amount/).fill("5000");
    await page.getByLabel(/^Reason/).fill("Transfer 8841");
    await beside.getByText("₦5,000").first().waitFor();
    await db.updateTable("spending").set({ most_kobo: 77_700 }).where("period", "=", "prepaid").execute();
    await page.getByRole("button", { name: "Top up Wharf" }).click();
    await said(page, "₦5,777");
    await page.getByRole("button", { name: "Confirm with your passkey" }).click();
    await page.waitForURL(/_did=/);
    assert.deepEqual(problems, []);
  });

  test("the form of a pause has no preselected reason, and demands one", async () => {
    const { page } = ada;
    await page.goto(`${origin}/routes/pause?vendor=dojah`);
    await page.getByRole("button", { name: "Pause Dojah" }).click();
    await said(page, /Why must be one of load, money, answers, key/);
  });

  test("an emptied field removes the cap", async () => {
    const { page } = ada;
    const account = await service.newAccount("Kiosk");
    const change = async (cap: string) => {
      await page.goto(`${origin}/accounts/change?account=${account}`);
      await page.getByLabel("Monthly cap").fill(cap);
      await sendOpened(page);
      return page.locator(".landed").innerText();
    };
    await change("5000");
    assert.match(await change(""), /Monthly cap: ₦5,000\.00 → none/);
    assert.equal(await page.getByText("of ₦5,000").count(), 0);
  });

  test("no form that changes something shows the name of an environment variable", async () => {
    const { page } = ada;
    for (const { id, kind, only, store } of await everyCommand()) {
      if (kind === "read" || only === "terminal" || store === "own") continue;
      await page.goto(`${origin}${pathOf({ id })}`);
      assert.doesNotMatch(await page.locator("main").innerText(), /DUBA_/, id);
    }
  });
});

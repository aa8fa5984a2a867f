import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, missingBrowser, startBrowser } from "../../../test/support/browser.ts";
import { type Visitor, visit } from "../../../test/support/passkey.ts";
import { startService, type TestService } from "../../../test/support/service.ts";
import { until } from "../../../test/support/until.ts";
import { inviteAtTerminal, join, said, sendForm, sendOpened } from "./console.fixture.ts";
import { type Hands, keyboard, mouse } from "./hands.fixture.ts";

// One engine is enough: the browser's behaviour does not depend on it.
suite("an operator's work in a browser", { skip: missingBrowser() }, () => {
  let service: TestService;
  let browser: Browser;
  let origin: string;
  let ada: Visitor;
  /** The second person, once invited. */
  let grace: Visitor;

  before(async () => {
    [service, browser] = await Promise.all([
      startService({ DUBA_CONSOLE: "127.0.0.1:0", DUBA_TIME_ZONE: "Africa/Lagos", DUBA_FOUR_EYES: "on" }),
      startBrowser(findBrowser()),
    ]);
    origin = service.console!.origin;
    ada = await join(browser, service.console!.firstLink!, "Ada");
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const bundles = async ({ page }: Pick<Visitor, "page"> = ada) =>
    (await page.request.get(`${origin}/catalogue/export?_run=1&list=data-bundles`)).text();
  const unknown = async () => {
    const body = { bvn: "00000000006", phone: "08000000006", amount: "100" };
    const answer = await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body });
    const reference = answer.json.error.request_reference as string;
    const { db } = await service.store();
    await db.updateTable("verification").set({ started_at: 1 }).where("reference", "=", reference).execute();
    return reference;
  };
  test("an operator changes a price in its row with the passkey, and sees the result", async () => {
    const { page, problems } = ada;
    await page.goto(`${origin}/catalogue/entries?_run=1&_find=MTNDATA+104`);
    const price = page.getByLabel("Price of MTNDATA 104", { exact: true });
    const changed = async (text: string, revision: number) => {
      await price.fill(text);
      await price.press("Enter");
      await page.getByRole("button", { name: "Confirm with your passkey" }).click();
      await said(page, `Revision ${revision} is published: 1 entry changed.`);
    };
    await changed("105", 2);
    assert.equal(new URL(page.url()).pathname, "/catalogue/entries");
    await price.fill("no price");
    await price.press("Enter");
    await said(page, /Price must be an amount in naira above 0/);
    await changed("106", 3);
    await changed("105", 4);
    assert.deepEqual(problems, []);
  });

  test("a form that saved a file can be sent again", async () => {
    const { page } = ada;
    await page.goto(`${origin}/subjects/export`);
    await page.getByLabel(/^Number/).fill("22000000017");
    for (const _ of [1, 2]) {
      await page.getByLabel("BVN").check();
      await page.getByRole("button", { name: "Save the file" }).click();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Confirm with your passkey" }).click(),
      ]);
      assert.match(file.suggestedFilename(), /^receipt-.+\.json$/);
    }
  });

  test("an operator drops a file, sees problems by line, then the difference, and publishes", async () => {
    const { page, problems } = ada;
    const text = await bundles();
    const file = (changed: string) => ({
      name: "data-bundles.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(changed),
    });
    await page.goto(`${origin}/catalogue/import`);
    await page.getByLabel("File").setInputFiles([file(text.replace("MTNDATA,104,", "MTNDATA,,"))]);
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await said(page, /line \d+/i);
    await page.getByLabel("File").setInputFiles([file(text.replace(",200,200,", ",200,210,"))]);
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await said(page, "this was a dry run");
    assert.equal(await page.locator("#checked td", { hasText: /^₦210\.00$/ }).count(), 1);
    assert.equal(await bundles(), text);
    await sendOpened(page);
    await said(page, "Revision 5 is published: 1 entry changed.");
    assert.deepEqual(problems, []);
  });

  test("an operator schedules a price in the local time zone, and rejects it", async () => {
    const { page } = ada;
    const fields = { Price: "106", "Holds from": "2099-02-01T08:30", Note: "In spring" };
    await sendForm(page, `${origin}/catalogue/edit?code=MTNDATA+104`, fields);
    await said(page, /Scheduled as d\d+: 1 entry changed, from 1 Feb 2099 08:30 on/);
    await page.goto(`${origin}/catalogue`);
    const card = page.locator(".draft");
    assert.match(await card.innerText(), /is scheduled[\s\S]*In spring[\s\S]*MTNDATA 104\s+₦105\.00\s+₦106\.00/);
    await card.getByRole("link", { name: /^Reject/ }).click();
    await page.getByRole("button", { name: "Reject" }).click();
    await said(page, /is rejected/);
  });

  test("an operator acknowledges an alarm and settles verifications with an unknown outcome", async () => {
    const { page, problems } = ada;
    await sendForm(page, `${origin}/catalogue/edit?code=MTNDATA+104`, { Price: "5000" });
    await page.goto(origin);
    const alarm = page.getByRole("listitem").filter({ hasText: /MTNDATA 104.*waits for approval/ });
    await alarm.getByRole("button", { name: /^More/ }).click();
    await alarm.getByRole("link", { name: "Acknowledge…" }).click();
    await page.getByLabel("Note").fill("Asked MTN <b>twice</b>");
    await page.getByRole("button", { name: "Acknowledge" }).click();
    await said(page, /is acknowledged until/);
    await page.goto(origin);
    await said(page, /Asked MTN <b>twice<\/b>/);
    assert.match(await alarm.innerText(), /Acknowledged/);
    assert.equal(await alarm.locator("a", { hasText: "Acknowledge…" }).count(), 0);

    const [released, settled] = [await unknown(), await unknown()];
    await page.goto(`${origin}/verifications?reference=${released}`);
    const row = page.getByRole("row").filter({ hasText: released });
    await row.getByRole("button", { name: /^More/ }).click();
    await row.getByRole("link", { name: "Release…" }).click();
    await page.getByLabel("Reason").fill("Not on their list");
    await sendOpened(page);
    await said(page, "Released: it failed, and a retry asks a vendor again");
    await page.goto(`${origin}/ledger/show?reference=${released}`);
    await said(page, "Settled by hand: Not on their list");
    assert.equal(await page.locator("a", { hasText: "Release…" }).count(), 0);
    await sendForm(page, `${origin}/ledger/settle?reference=${settled}`, {
      Outcome: "not_found",
      Reason: "They say so",
    });
    await said(page, "Settled as not found");
    assert.deepEqual(problems, []);
  });

  /**
   * A day's work, from an invitation to signing out. `joins`: makes hands for the second person. `changer`: hands of
   * the first person that can use the passkey.
   */
  async function dayOfWork(hands: Hands, name: string, joins: (link: string) => Promise<Hands>, changer = hands) {
    const { page } = hands;
    const email = `${name}@example.com`;
    const second = await joins(await inviteAtTerminal(service, `second-${email}`, "officer"));

    await hands.go(/^Accounts$/);
    await hands.go(/^New account$/);
    await hands.fill(/^Name/, `Shop of ${name}`);
    await hands.fill(/^Email/, email);
    await hands.go(/^Create account$/);
    await said(page, `The account Shop of ${name} is created`);
    await hands.go(/^Keys$/);
    await hands.go(/^New key$/);
    await hands.fill(/^Client/, email);
    await hands.pick(/^Test/);
    await hands.go(/^Create key$/);
    const credential = await page.getByLabel("Key", { exact: true }).inputValue();
    const verified = await service.verify({ credential });
    assert.equal(verified.status, 200);
    const reference = verified.json.data.request_reference as string;

    const approved = async () => {
      const [, draft] = /waits for approval as (d\d+)/.exec(await changer.page.locator("main").innerText()) ?? [];
      await second.go(/^Catalogue/);
      await second.go(new RegExp(`^Approve ${draft}$`));
      await second.agree();
      await said(second.page, /is published/);
    };
    const before = await bundles();
    const [, price] = /,200,(\d+),/.exec(before)!;
    const buffer = Buffer.from(before.replace(`,200,${price},`, `,200,${Number(price) * 9},`));
    await changer.go(/^Catalogue/);
    await changer.open(/^More: Catalogue$/);
    await changer.go(/^Import files…$/);
    await changer.choose(/^File/, { name: "data-bundles.csv", mimeType: "text/csv", buffer });
    await changer.confirm(/^Import files$/);
    await approved();
    assert.notEqual(await bundles(), before);
    await changer.go(/^Catalogue/);
    await changer.open(/^More: \d+$/);
    await changer.go(/^Revert…$/);
    await changer.confirm(/^Revert/);
    await approved();
    assert.equal(await bundles(), before);

    await hands.go(/^Accounts$/);
    await hands.fill(/^Find in these rows/, email);
    await hands.go(/^Find$/);
    await hands.go(new RegExp(`^Shop of ${name}$`));
    await hands.open(/^More: this page$/);
    await hands.go(/^Suspend…$/);
    await hands.go(/^Suspend \S/);
    await said(page, /is suspended since/);
    await until(async () => (await service.ask("/api/v2/corporate-data/list", { credential })).status >= 400);

    await hands.go(/^Verifications/);
    await hands.fill(/^Find in these rows/, reference);
    await hands.go(/^Find$/);
    await hands.go(/^BVN ending 0017$/);
    await said(page, reference);

    // A statement needs a month that is over in Lagos as well.
    const charged_at = new Date(new Date().setUTCDate(0)).setUTCHours(12);
    const { db } = await service.store();
    await db.updateTable("verification").set({ charged_at }).where("reference", "=", reference).execute();
    await hands.go(/^Books$/);
    await hands.open(/^More: Books$/);
    await hands.go(/^Statement$/);
    await hands.fill(/^Client/, email);
    await hands.fill(/^Month/, new Date(charged_at).toISOString().slice(0, 7));
    await hands.go(/^Show$/);
    await said(page, reference);
    await hands.go(/^Sign out$/);
    assert.equal(new URL(page.url()).pathname, "/sign-in");
  }

  test("an operator does a day's work with the keyboard only", async () => {
    const { page, context, problems } = ada;
    await page.goto(origin);
    const hands = keyboard(page);
    await hands.go(/^People$/);
    await hands.go(/^Invite somebody…$/);
    await hands.fill(/^Email/, "third@example.com");
    await hands.fill(/^Role/, "operator");
    await hands.confirm(/^Invite somebody/);
    await said(page, "third@example.com is invited as operator");
    const joins = async (link: string) => {
      grace = await visit(browser, origin);
      await grace.page.goto(link);
      const hands = keyboard(grace.page);
      await hands.fill(/^Your name/, "Grace");
      await hands.go(/^Register a passkey$/);
      await grace.page.getByRole("navigation", { name: "Pages" }).waitFor();
      return hands;
    };
    await dayOfWork(hands, "keys", joins);
    // A planted cookie never becomes a session.
    await context.addCookies([{ name: "duba_console", value: "planted", url: origin }]);
    await keyboard(page).go(/^Sign in with a passkey$/);
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    assert.ok((await context.cookies()).every(({ value }) => value.length === 43));
    assert.deepEqual([...problems, ...grace.problems], []);
  });

  test("an operator does the same day's work without scripts, apart from passkeys", async () => {
    const withoutScripts = async (visitor: Visitor) => {
      const storageState = await visitor.context.storageState();
      const other = await visit(browser, origin, { storageState, javaScriptEnabled: false });
      await other.page.goto(origin);
      await said(other.page, "Live verifications");
      return other;
    };
    const first = await withoutScripts(ada);
    // Price changes and approvals need a passkey, and so scripts.
    let second: Visitor | undefined;
    const joins = async (link: string) => {
      second = await join(browser, link, "Second");
      return mouse(second.page);
    };
    await ada.page.goto(origin);
    await dayOfWork(mouse(first.page), "plain", joins, mouse(ada.page));
    await second!.context.close();
    assert.match(await first.page.locator("main").innerText(), /Switch scripts on to sign in/);
    assert.deepEqual(first.problems, []);
    await first.context.close();
  });

  test("without scripts, a file can be checked and a table saved, but no price changed in its row", async () => {
    const storageState = await grace.context.storageState();
    const { page, problems, context } = await visit(browser, origin, { storageState, javaScriptEnabled: false });
    await page.goto(`${origin}/catalogue/entries?_run=1&_find=MTNDATA+104`);
    await page.getByLabel("Price of MTNDATA 104", { exact: true }).fill("107");
    await page
      .getByRole("row", { name: /MTNDATA 104/ })
      .getByRole("button", { name: "Save" })
      .click();
    await said(page, /Your passkey must confirm this/);
    const buffer = Buffer.from((await bundles({ page })).replace(",200,210,", ",200,220,"));
    const chosen = [{ name: "data-bundles.csv", mimeType: "text/csv", buffer }];
    await page.goto(`${origin}/catalogue/import`);
    await page.getByLabel("File").setInputFiles(chosen);
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await said(page, "this was a dry run");
    const csv = await page.request.get(`${origin}/accounts?_sort=-name&_csv=1&_run=1`);
    assert.match(await csv.text(), /^id,name,[\s\S]*Shop of keys[\s\S]*Sandbox/);
    assert.deepEqual(problems, []);
    await context.close();
  });
});

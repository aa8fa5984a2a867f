import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { findBrowser, missingBrowser, startBrowser } from "../../../test/support/browser.ts";
import { usualEngines } from "../../../test/support/engines.ts";
import { addDevice, type Visitor, visit } from "../../../test/support/passkey.ts";
import { startService, type TestService } from "../../../test/support/service.ts";
import { join as joinWith, said, sendForm, sendOpened } from "./console.fixture.ts";

const missing = missingBrowser();

const html = `<img src=x onerror="document.title='run'"><b>`;

for (const engine of usualEngines)
  suite(`the console in a browser on ${engine.name}`, { skip: missing }, () => {
    let service: TestService;
    let browser: Browser;
    let origin: string;
    let ada: Visitor;

    before(async () => {
      [service, browser] = await Promise.all([
        startService({ DUBA_CONSOLE: "127.0.0.1:0", DUBA_FOUR_EYES: "on" }, engine),
        startBrowser(findBrowser()),
      ]);
      origin = service.console!.origin;
    });
    after(async () => {
      await browser?.close();
      await service?.close();
    });

    const join = (link: string, name: string) => joinWith(browser, link, name);
    const invite = async (email: string, role: string) => {
      await open(ada.page, "/people/invite", { Email: email, Role: role });
      return ada.page.getByLabel("Link").inputValue();
    };
    const open = (page: Page, path: string, fields: Record<string, string> = {}) =>
      sendForm(page, `${origin}${path}`, fields);
    /** Returns actors and facts of the audit entries of a kind. */
    const trail = async (kind: string) => {
      const { db } = await service.store();
      return db.selectFrom("audit_entry").select(["actor", "facts"]).where("kind", "=", kind).execute();
    };

    test("a person whose name is a script registers, cannot approve alone, signs out and back in", async () => {
      ada = await join(service.console!.firstLink!, `Ada ${html}`);
      await open(ada.page, "/people/change", { Person: "officer@localhost", Email: "ada@example.com" });
      await said(ada.page, / has the role officer\./);

      await open(ada.page, "/accounts/create", { Name: `Shop ${html}`, Email: "shop" });
      await said(ada.page, "Email must be an e-mail address without a number of ten digits, which may be a person's.");
      assert.equal(await ada.page.getByLabel("Name").inputValue(), `Shop ${html}`);
      await ada.page.getByLabel("Email").fill("shop@example.com");
      await ada.page.getByRole("button", { name: "Create account" }).click();
      await said(ada.page, /The account .+ is created/);

      await open(ada.page, "/keys/create", { Client: "shop@example.com", Label: html, Test: "on" });
      const key = await ada.page.getByLabel("Key", { exact: true }).inputValue();
      const verified = await service.verify({ credential: key });
      assert.equal(verified.status, 200);
      await ada.page.goto(`${origin}/keys`);
      const row = ada.page.getByRole("row", { name: /Shop/ });
      await row.getByRole("button", { name: /^More/ }).click();
      await row.getByRole("link", { name: "Roll…" }).waitFor();
      assert.ok(!(await ada.page.content()).includes(key));

      // A large price change waits for another person.
      await ada.page.goto(`${origin}/catalogue/entries?_run=1&_find=MTNDATA+104`);
      const entry = ada.page.getByRole("row", { name: /MTNDATA 104/ });
      await entry.getByRole("link", { name: "MTNDATA 104", exact: true }).click();
      await ada.page.getByLabel("Price").fill("1050");
      await sendOpened(ada.page);
      await said(ada.page, /waits for approval as d\d/);
      await ada.page.goto(`${origin}/catalogue`);
      await ada.page.getByRole("link", { name: "Approve" }).last().click();
      await said(ada.page, /another person must approve it/);

      await ada.page.getByRole("button", { name: "Sign out" }).click();
      await ada.page.waitForURL(`${origin}/sign-in`);
      await ada.page.goto(`${origin}/keys`);
      await ada.page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await ada.page.waitForURL(`${origin}/keys`);
      assert.deepEqual(ada.problems, []);
      assert.equal(await ada.page.title(), "Keys · Duba");
    });

    test("an irreversible action is shown before the passkey confirms it, and can be cancelled", async () => {
      const { id } = await service.newKey({ label: "to revoke" });
      const { page } = ada;
      await page.goto(`${origin}/keys/revoke?id=${id}`);
      await said(page, "Revoke to revoke?");
      await page.getByRole("button", { name: "Back" }).click();
      assert.equal(await page.getByLabel("Key", { exact: true }).inputValue(), id);
      assert.deepEqual(await trail("key.revoked"), []);
      await page.getByRole("button", { name: "Revoke" }).click();
      await page.getByRole("button", { name: "Confirm with your passkey" }).click();
      await said(page, /is revoked since/);
      const [revoked] = await trail("key.revoked");
      assert.deepEqual(JSON.parse(revoked!.facts).confirmation.input, { id });
      assert.deepEqual(ada.problems, []);
    });

    test("a first passkey confirms a second device's passkey, which can then remove the first passkey", async () => {
      const { page, device: laptop, problems } = await join(await invite("joan@example.com", "viewer"), "Joan");
      await page.getByRole("link", { name: "Joan" }).click();
      await page.getByRole("link", { name: "Add a passkey", exact: true }).click();
      // The laptop already has the person's passkey, so it makes no other.
      await page.getByLabel("Name").fill("Phone");
      await page.getByRole("button", { name: "Add" }).click();
      await said(page, /This device has a passkey of yours already/);
      await laptop.answers(false);
      const phone = await addDevice(page, "usb");
      await page.getByRole("button", { name: "Add" }).click();
      const confirm = page.getByRole("button", { name: "Confirm with your passkey" });
      await confirm.waitFor();
      await phone.answers(false);
      await laptop.answers(true);
      await confirm.click();
      await said(page, "The passkey Phone is added.");
      await laptop.lose();
      await phone.answers(true);
      await page.getByRole("link", { name: "Joan" }).click();
      const lost = page.getByRole("row", { name: /Chrome on Linux/ }).first();
      await lost.getByRole("button", { name: /^More/ }).click();
      await lost.getByRole("link", { name: "Remove…" }).click();
      await sendOpened(page);
      await said(page, /The passkey Chrome on Linux is removed/);
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.getByRole("link", { name: "Joan" }).click();
      assert.equal(await page.getByRole("row", { name: /Phone/ }).count(), 1);
      assert.deepEqual(problems, []);
      await page.context().close();
    });

    test("names are suggested while typing, and no personal number leaves the browser", async () => {
      const { page } = ada;
      const sent: string[] = [];
      page.on("request", (request) => {
        if (request.url().endsWith("?_names=1")) sent.push(new URLSearchParams(request.postData()!).get("text")!);
      });
      await page.goto(`${origin}/keys`);
      for (const number of ["2200\u20110000", "220\u200b000", "220/000", "٢٢٠٠٠٠", "220–000", "sandb"]) {
        await page.locator("#box").fill("");
        await page.locator("#box").pressSequentially(number);
      }
      await page
        .locator("#found")
        .getByRole("link", { name: /^Sandbox/ })
        .waitFor();
      assert.deepEqual(
        sent.filter((text) => /\p{Nd}(?:[^\p{Nd}]*\p{Nd}){5}/u.test(text)),
        [],
      );
      assert.ok(sent.includes("sandb"));
    });

    test("no URL contains a text that may be a person's number", async () => {
      const { page } = ada;
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      const said = (label: string) =>
        page.getByLabel(label).evaluate<string, { validationMessage: string }>((field) => field.validationMessage);
      for (const [path, label, text] of [
        ["/accounts", "Find in these rows", "+234 803\u2011123\u20114567"],
        ["/accounts", "Find in these rows", "22000000017"],
        ["/verifications", "Last 4 digits", "2200 0000 017"],
      ] as const) {
        await page.goto(`${origin}${path}`);
        if (path === "/verifications") await page.getByText("Filter", { exact: true }).click();
        await page.getByLabel(label).fill(text);
        await page.getByLabel(label).press("Enter");
        assert.match(await said(label), /number of a person/, text);
        await page.getByLabel(label).fill("0017");
        await Promise.all([page.waitForURL(/=0017/), page.getByLabel(label).press("Enter")]);
      }
      assert.deepEqual(
        asked.filter((url) => /4567|2200/.test(url)),
        [],
      );
    });

    test("after the session ended, Now leads to the sign-in page and back", async () => {
      const { page } = ada;
      await page.goto(origin);
      const { db } = await service.store();
      await db.deleteFrom("console_session").execute();
      await page.waitForURL(/\/sign-in\?next=%2F$/);
      assert.equal(await page.locator("main").count(), 1);
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.getByRole("heading", { name: "Now", exact: true }).waitFor();
    });

    test("a removed person's session ends at once, and a used invitation stays used", async () => {
      const link = await invite("mary@example.com", "viewer");
      const mary = await join(link, "Mary");
      const replay = await visit(browser, origin);
      await replay.page.goto(link);
      await replay.page.getByRole("button", { name: "Register a passkey" }).click();
      await said(replay.page, /This invitation was used/);
      await replay.context.close();
      await open(ada.page, "/people/remove", { Person: "mary@example.com" });
      await said(ada.page, "mary@example.com is removed.");
      await mary.page.goto(`${origin}/keys`);
      assert.match(mary.page.url(), /\/sign-in\?next=%2Fkeys$/);
      // The person's passkey is deleted as well.
      await mary.page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await said(mary.page, /Nobody has registered this passkey/);
      await mary.context.close();
    });
  });

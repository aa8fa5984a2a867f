import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { findBrowser, missingBrowser, startBrowser } from "../../test/support/browser.ts";
import { usualEngines } from "../../test/support/engines.ts";
import { type Visitor, visit } from "../../test/support/passkey.ts";
import { startService, type TestService } from "../../test/support/service.ts";
import { until } from "../../test/support/until.ts";
import { inviteAtTerminal, join as joinWith, said, sendForm, sendOpened } from "./console.fixture.ts";

const missing = missingBrowser();

const person = { bvn: "22000000017", phone: "08000000017", amount: "100" };
const html = `<img src=x onerror="document.title='run'"><b>`;

for (const engine of usualEngines)
  suite(`the console in a browser on ${engine.name}`, { skip: missing }, () => {
    let service: TestService;
    let browser: Browser;
    let origin: string;
    let ada: Visitor;
    let grace: Visitor;
    let reference: string;

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
    /** The actors and facts of the newest entries of a kind. */
    const trail = async (kind: string) => {
      const { db } = await service.store();
      return db.selectFrom("audit_entry").select(["actor", "facts"]).where("kind", "=", kind).execute();
    };

    test("a person registers, runs the service for a day, and signs out", async () => {
      ada = await join(service.console!.firstLink!, `Ada ${html}`);
      await open(ada.page, "/people/change", { Person: "officer@localhost", Email: "ada@example.com" });
      await said(ada.page, "ada@example.com has the role officer.");

      await open(ada.page, "/accounts/create", { Name: `Shop ${html}`, Email: "shop" });
      await said(ada.page, "Email must be an e-mail address.");
      assert.equal(await ada.page.getByLabel("Name").inputValue(), `Shop ${html}`);
      await ada.page.getByLabel("Email").fill("shop@example.com");
      await ada.page.getByRole("button", { name: "Create" }).click();
      await said(ada.page, /Account acc_\w+ is created/);

      await open(ada.page, "/keys/create", { Account: "shop@example.com", Label: html });
      const key = await ada.page.getByLabel("Key", { exact: true }).inputValue();
      const verify = () => service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body: person, credential: key });
      const verified = await verify();
      assert.equal(verified.status, 200);
      reference = verified.json.data.request_reference;
      await ada.page.goto(`${origin}/keys`);
      await ada.page
        .getByRole("row", { name: /shop@example\.com/ })
        .getByRole("link", { name: "Roll" })
        .waitFor();
      assert.ok(!(await ada.page.content()).includes(key));

      // The catalogue: one price from the table.
      await ada.page.goto(`${origin}/catalogue/entries?_run=1&_find=MTNDATA+104`);
      await ada.page
        .getByRole("row", { name: /MTNDATA 104/ })
        .getByRole("link", { name: "Edit", exact: true })
        .click();
      await ada.page.getByLabel("Price").fill("105");
      await ada.page.getByRole("button", { name: "Edit", exact: true }).click();
      await said(ada.page, "Revision 2 is published: 1 modified.");

      // A price far from the old one waits for somebody else.
      const files = [
        { name: "data-bundles.csv", mimeType: "text/csv", buffer: Buffer.from(await bundles("200,200,", "200,2000,")) },
      ];
      await ada.page.goto(`${origin}/catalogue/import`);
      await ada.page.getByLabel("File").setInputFiles(files);
      await ada.page.getByRole("button", { name: "Import", exact: true }).click();
      await said(ada.page, /waits for approval as d\d/);
      await ada.page.goto(`${origin}/catalogue`);
      await ada.page.getByRole("link", { name: "Approve" }).last().click();
      await sendOpened(ada.page);
      await said(ada.page, /another person must approve it/);

      grace = await join(await inviteAtTerminal(service, "grace@example.com", "officer"), "Grace");
      await approveHeld(grace.page);
      await until(async () => (await bundles()).includes("200,2000,"));
      await open(ada.page, "/catalogue/revert", { Revision: "3" });
      await said(ada.page, /waits for approval as d\d|Revision 4 is published/);
      if ((await ada.page.getByText(/waits for approval/).count()) > 0) await approveHeld(grace.page);
      await until(async () => !(await bundles()).includes("200,2000,"));

      await open(ada.page, "/accounts/suspend", { Account: "shop@example.com" });
      await said(ada.page, /is suspended since/);
      const listed = () => service.ask("/api/v2/corporate-data/list", { credential: key });
      await until(async () => (await listed()).status >= 400);

      await ada.page.goto(`${origin}/verifications?account=shop%40example.com&_find=${reference}`);
      await ada.page
        .getByRole("row", { name: new RegExp(reference) })
        .getByRole("link", { name: reference })
        .click();
      await said(ada.page, "*******0017");

      // A statement is of a month that is over.
      const charged_at = new Date(new Date().setUTCDate(0)).setUTCHours(12);
      const { db } = await service.store();
      await db.updateTable("verification").set({ charged_at }).where("reference", "=", reference).execute();
      const month = new Date(charged_at).toISOString().slice(0, 7);
      await open(ada.page, "/books/statement", { Account: "shop@example.com", Month: month });
      await said(ada.page, reference);

      await ada.page.getByRole("button", { name: "Sign out" }).click();
      await ada.page.waitForURL(`${origin}/sign-in`);
      await ada.page.goto(`${origin}/keys`);
      await ada.page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await ada.page.waitForURL(`${origin}/keys`);
      assert.deepEqual(ada.faults, []);
      assert.equal(await ada.page.title(), "Keys · Duba console");
    });

    const bundles = async (from = "", to = "") => {
      const reply = await ada.page.request.get(`${origin}/catalogue/export?_run=1&list=data-bundles`);
      return (await reply.text()).replace(from, to);
    };
    const approveHeld = async (page: Page) => {
      await page.goto(`${origin}/catalogue`);
      await page.getByRole("row", { name: /held/ }).getByRole("link", { name: "Approve" }).click();
      await sendOpened(page);
      await said(page, /is published/);
    };

    test("what nobody can undo is shown before the passkey confirms it, and can be left", async () => {
      const { id } = await service.newKey({ label: "to revoke" });
      const { page } = ada;
      await page.goto(`${origin}/keys/revoke?id=${id}`);
      await page.getByRole("button", { name: "Revoke" }).click();
      await said(page, "to revoke");
      await page.getByRole("button", { name: "Back" }).click();
      assert.equal(await page.getByLabel("ID").inputValue(), id);
      assert.deepEqual(await trail("key.revoked"), []);
      await sendOpened(page);
      await said(page, /is revoked since/);
      const [revoked] = await trail("key.revoked");
      assert.deepEqual(JSON.parse(revoked!.facts).confirmation.input, { id });
      assert.deepEqual(ada.faults, []);
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
      // The passkey is gone as well.
      await mary.page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await said(mary.page, /Nobody has registered this passkey/);
      await mary.context.close();
    });
  });

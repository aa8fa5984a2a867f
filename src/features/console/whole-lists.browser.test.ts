import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, missingBrowser, startBrowser } from "../../../test/support/browser.ts";
import { ran } from "../../../test/support/command-line.ts";
import type { Visitor } from "../../../test/support/passkey.ts";
import { startService, type TestService } from "../../../test/support/service.ts";
import { storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { newReference } from "../../ledger/reference.ts";
import { join } from "./console.fixture.ts";

const many = 2_400;
const started = Date.parse("2026-03-02T12:00:00Z");

// One engine is enough: the browser's behaviour does not depend on it.
suite("a list in a browser", { skip: missingBrowser() }, () => {
  let service: TestService;
  let browser: Browser;
  let ada: Visitor;

  before(async () => {
    [service, browser] = await Promise.all([
      startService({ DUBA_CONSOLE: "127.0.0.1:0" }),
      startBrowser(findBrowser()),
    ]);
    ada = await join(browser, service.console!.firstLink!, "Ada");
    const { db } = await service.store();
    const id = await service.newAccount("Shop");
    const rows = Array.from({ length: many }, (_, at) =>
      verifiedRow(id, started + at, { mode: "live", reference: newReference(started + at) }),
    );
    await storeRows(db, ...rows);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  test("a list's CSV has all rows of the filter, beyond the page, and equals the terminal's CSV", async () => {
    const { page } = ada;
    await page.goto(`${service.console!.origin}/verifications?mode=live`);
    assert.equal(await page.locator("tbody tr").count(), 50);
    const address = await page.getByText("CSV of all rows").getAttribute("href");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.evaluate(`location.href = ${JSON.stringify(address)}`),
    ]);
    const text = readFileSync(await file.path(), "utf8");
    assert.equal(text.trim().split("\n").length, many + 1);
    const { dataDirectory, databaseUrl } = service.settings;
    const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
    assert.equal((await ran(["ledger", "list", "--mode", "live", "--csv"], { environment })).out, text);
    const some = await ran(["ledger", "list", "--mode", "live", "--csv", "--limit", "2"], { environment });
    assert.equal(some.out.trim().split("\n").length, 3);
  });

  for (const [list, address] of [
    ["requests", "/requests"],
    ["entries of the audit trail", "/audit"],
    ["deliveries", "/events"],
  ] as const)
    test(`the list ${list} can be downloaded as CSV`, async () => {
      const { text, status } = await ada.page.evaluate<{ text: string; status: number }>(
        `fetch(${JSON.stringify(`${address}?_csv=1`)}).then(async (answer) => ({ status: answer.status, text: await answer.text() }))`,
      );
      assert.equal(status, 200);
      assert.match(text, /^(?:event,type|id,occurred_at|\w+,)/);
    });

  test("a time span is a link, and stays in the URL when a filter is added", async () => {
    const { page, problems } = ada;
    const { db, now } = await service.store();
    const id = (await db.selectFrom("account").select("id").where("email", "=", "shop@example.com").executeTakeFirst())!
      .id;
    const at = now() - 60_000;
    await storeRows(db, verifiedRow(id, at, { mode: "live", reference: newReference(at) }));
    await page.goto(`${service.console!.origin}/verifications`);
    await page.getByRole("navigation", { name: "Time" }).getByRole("link", { name: "Last hour" }).click();
    await page.waitForURL(/from=1h/);
    assert.equal(await page.locator("tbody tr").count(), 1);
    await page.getByRole("link", { name: "Verified" }).click();
    await page.waitForURL(/from=1h.*state=verified/);
    assert.equal(await page.getByRole("link", { name: "Last hour" }).getAttribute("aria-current"), "true");
    for (const list of ["verifications", "requests", "audit", "events"]) {
      await page.goto(`${service.console!.origin}/${list}`);
      for (const span of ["Today", "Yesterday", "7 days", "This month", "Last month"]) {
        await page.getByRole("navigation", { name: "Time" }).getByRole("link", { name: span, exact: true }).click();
        await page.waitForURL(/(?:from|since)=/);
        assert.equal(await page.getByRole("link", { name: span, exact: true }).getAttribute("aria-current"), "true");
        assert.equal(await page.getByRole("alert").count(), 0, `${list} ${span}`);
      }
      // Date fields take any other days.
      assert.equal(await page.locator(".filter input[type=date]").count(), 2, list);
    }
    assert.deepEqual(problems, []);
  });
});

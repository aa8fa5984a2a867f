import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, missingBrowser, startBrowser } from "../../../test/support/browser.ts";
import type { Visitor } from "../../../test/support/passkey.ts";
import { startService, type TestService } from "../../../test/support/service.ts";
import { busySettings } from "./busy-day.fixture.ts";
import { join, said } from "./console.fixture.ts";
import { type Hands, mouse } from "./hands.fixture.ts";

// One engine is enough: the browser's behaviour does not depend on it.
suite("after a change in the console", { skip: missingBrowser() }, () => {
  let service: TestService;
  let browser: Browser;
  let ada: Visitor;
  let hands: Hands;
  let account: string;

  before(async () => {
    [service, browser] = await Promise.all([startService(busySettings), startBrowser(findBrowser())]);
    ada = await join(browser, service.console!.firstLink!, "Ada");
    hands = mouse(ada.page);
    account = await service.newAccount("Danfo");
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const open = (path: string) => ada.page.goto(`${service.console!.origin}${path}`);
  const heading = () => ada.page.locator("main h1").innerText();
  const line = () => ada.page.locator(".landed .says").first().innerText();

  test("after a change the record's page opens, with one line about the change above it", async () => {
    const change = async (naira: string) => {
      await open(`/accounts/change?account=${account}`);
      await hands.fill(/^Monthly cap/, naira);
      await hands.confirm(/^Change/);
    };
    await change("180000");
    await change("350000");
    assert.equal(await heading(), "Danfo");
    assert.match(await line(), /^Monthly cap: ₦180,000.* → ₦350,000/);
    const address = new URL(ada.page.url());
    assert.equal(`${address.pathname} ${address.searchParams.get("account")}`, `/accounts/show ${account}`);
    // The line survives a reload, and disappears on the next page.
    await ada.page.reload();
    assert.match(await line(), /₦180,000/);
    await ada.page.getByRole("navigation", { name: "About it" }).getByRole("link", { name: "Overview" }).click();
    assert.equal(await ada.page.locator(".landed").count(), 0);
    assert.deepEqual(ada.problems, []);
  });

  test("after a refund the verification's page opens, with a line about the refund", async () => {
    const body = { bvn: "22000000017", phone: "08000000017", amount: "100" };
    const { json } = await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body });
    const reference = json.data.request_reference as string;
    await open(`/ledger/show?reference=${reference}`);
    await hands.go(/^Give back ₦/);
    await hands.fill(/^Reason/, "Charged twice");
    await hands.confirm(/^Give back$/);
    assert.match(ada.page.url(), /\/ledger\/show\?/);
    assert.match(await line(), /^₦[\d.]+ given back to Sandbox\.$/);
  });

  test("a new key's secret is shown once on the key's page, and a reload shows the page without it", async () => {
    await open(`/keys/create?account=${account}`);
    await hands.fill(/^Label/, "Checkout");
    await hands.pick(/^Live/);
    await hands.confirm(/^Create key$/);
    assert.equal(await heading(), "Checkout");
    assert.match(await ada.page.getByLabel("Key", { exact: true }).inputValue(), /^duba_live_/);
    assert.match(ada.page.url(), /\/keys\/show\?id=/);
    await ada.page.reload();
    assert.equal(await heading(), "Checkout");
    assert.doesNotMatch(await ada.page.content(), /duba_live_[0-9A-Za-z]{12}_/);
  });

  test("after the removal of a record its list opens, because the record has no page any more", async () => {
    await open(`/events/endpoints/add?url=https://shop.example.com/duba&account=${account}`);
    await hands.pick(/^Live/);
    await hands.confirm(/^Create endpoint/);
    const [endpoint] = await (await service.store()).db.selectFrom("event_endpoint").select("id").execute();
    await open(`/events/endpoints/remove?id=${endpoint!.id}`);
    await hands.agree();
    assert.match(ada.page.url(), /\/events\/endpoints\/list\?/);
    await said(ada.page, "The endpoint of shop.example.com is removed.");
  });
});

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { Operation } from "../src/operation/operation.ts";
import { everyOperation } from "../src/wire/every-operation.ts";
import { findBrowser, missingBrowser, startBrowser } from "./support/browser.ts";
import { startService, type TestService } from "./support/service.ts";

suite("the reference", { skip: missingBrowser() }, () => {
  let service: TestService;
  let browser: Browser;
  let page: Page;
  /** Values that a reader knows and the page does not. */
  let known: Record<string, string>;

  before(async () => {
    service = await startService();
    const { text: key } = await service.newKey();
    const headers = { "Idempotency-Key": "order-1001" };
    const body = { bvn: "22000000017", phone: "08000000017", amount: "100" };
    const verified = await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", headers, body, credential: key });
    known = {
      request_reference: verified.json.data.request_reference,
      request_id: String(verified.headers["x-request-id"]),
      password: key,
    };
    browser = await startBrowser(findBrowser());
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    await page.goto(`${service.url}/docs`, { waitUntil: "networkidle" });
    await page.getByPlaceholder("Token").first().fill(key);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  for (const operation of oneOfEachForm())
    test(`sends ${operation.id} with a fresh test key as it stands, and without optional headers`, async () => {
      const request = await send(page, operation, known);
      const response = (await request.response())!;
      assert.equal(response.status(), 200, await response.text());
      const sent = Object.keys(await request.allHeaders());
      const optional = ["duba-scenario", "if-none-match", "idempotency-key", "consent-reference", "traceparent"];
      assert.deepEqual(
        sent.filter((name) => optional.includes(name)),
        [],
      );
      const given = { ...Object.fromEntries(new URL(request.url()).searchParams), ...request.postDataJSON() };
      for (const name of Object.keys(operation.examples[0]!.input ?? {}))
        assert.ok(name in given || operation.path.includes(`{${name}}`), name);
    });
});

/** An operation for each way in which the reference fills in a request: the others differ in words only. */
function oneOfEachForm(): Operation<never>[] {
  const formOf = ({ method, path, access, carriage, input, examples }: Operation<never>) => {
    const given = Object.keys(examples[0]!.input ?? {}).length;
    const required = (input as { required?: string[] }).required?.length ?? 0;
    return [method, path.includes("{"), access, carriage, required > 0, given > required].join();
  };
  return [...Map.groupBy(everyOperation, formOf).values()].map(([first]) => first!);
}

/** Opens the form of an operation, fills in what the page cannot know, sends it, and gives the request. */
async function send(
  page: Page,
  { summary, path, input, carriage, examples }: Operation<never>,
  known: Record<string, string>,
) {
  await page.getByRole("link", { name: new RegExp(`^${summary} HTTP`) }).click();
  const pattern = new RegExp(`Test Request.*${path.replaceAll(/[{}]/g, "\\$&")}\\)`, "s");
  await page.getByRole("button", { name: pattern }).click();
  const own = Object.entries(known).filter(([name]) => name in input.properties);
  if (carriage === "body" && own.length > 0) {
    const body = { ...examples[0]!.input, ...Object.fromEntries(own) };
    await page.locator(".cm-content").fill(JSON.stringify(body));
  } else
    for (const [name, value] of own) {
      const row = page.getByRole("row").filter({ has: page.getByLabel(`Include ${name} in request`) });
      await row.getByRole("combobox", { name: "Value" }).fill(value);
    }
  const sent = page.waitForRequest((request) => new URL(request.url()).pathname.startsWith("/api/"));
  await page.getByRole("button", { name: /^Send/ }).first().click();
  const request = await sent;
  await page
    .getByText("200 OK")
    .or(page.getByText(/^4\d\d /))
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Close Client" }).click();
  return request;
}

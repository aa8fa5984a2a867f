import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { isKeyed, type Operation, scopes } from "../src/declare/operation.ts";
import { everyOperation } from "../src/wire/every-operation.ts";
import { findBrowser, missingBrowser, openWindow, startBrowser } from "./support/browser.ts";
import { suiteService } from "./support/service.ts";

const verifying = everyOperation.filter(isKeyed);
const optional = ["duba-scenario", "if-none-match", "consent-reference", "traceparent"];

suite("the reference", { skip: missingBrowser() }, () => {
  const service = suiteService();
  let browser: Browser;
  let page: Page;

  before(async () => {
    const { text: key } = await service.newKey({ scopes });
    browser = await startBrowser(findBrowser());
    page = await openWindow(browser);
    await page.goto(`${service.url}/docs`, { waitUntil: "networkidle" });
    await page.getByPlaceholder("Token").first().fill(key);
  });
  after(async () => {
    await browser?.close();
  });

  // The other operations need the verification and the endpoint that these make.
  const first = [verifying[0]!, everyOperation.find(({ id }) => id === "addEventEndpoint")!];
  for (const operation of new Set([...first, ...oneOfEachForm()]))
    test(`the reference sends ${operation.id} with a fresh test key as it stands, and without optional headers`, async () => {
      const request = await send(page, operation);
      const response = (await request.response())!;
      assert.equal(response.status(), 200, await response.text());
      const headers = await request.allHeaders();
      assert.deepEqual(
        optional.filter((name) => name in headers),
        [],
      );
      assert.equal("idempotency-key" in headers, isKeyed(operation));
      const given = { ...Object.fromEntries(new URL(request.url()).searchParams), ...request.postDataJSON() };
      for (const name of Object.keys(operation.examples[0]!.input ?? {}))
        assert.ok(name in given || operation.path.includes(`{${name}}`), name);
    });

  test("the reference sends each verification with a new idempotency key, or with the reader's own key", async () => {
    const [operation] = verifying as [Operation<never>];
    const keyOf = async (own?: string) => (await (await send(page, operation, own)).allHeaders())["idempotency-key"];
    assert.notEqual(await keyOf(), await keyOf());
    assert.equal(await keyOf("my-order-7"), "my-order-7");
  });
});

/**
 * An operation for each way in which the reference fills in a request. Operations with equal ways differ in words only.
 * Each kind of example value that the reader must replace is a way of its own.
 */
function oneOfEachForm(): Operation<never>[] {
  const formOf = ({ method, path, access, carriage, input, examples }: Operation<never>) => {
    const given = Object.keys(examples[0]!.input ?? {}).length;
    const required = (input as { required?: string[] }).required?.length ?? 0;
    const inPath = path.match(/\{\w+\}/)?.[0];
    return [method, inPath, access, carriage, required > 0, given > required].join();
  };
  return [...Map.groupBy(everyOperation, formOf).values()].map(([first]) => first!).filter((one) => !isKeyed(one));
}

/**
 * Fills in and sends the form of an operation, with the reader's idempotency key if the form has one. Returns the
 * request.
 */
async function send(page: Page, { summary, method, path }: Operation<never>, ownKey?: string) {
  await page.getByRole("link", { name: new RegExp(`^${summary} HTTP`) }).click();
  const pattern = new RegExp(`Test Request.*${method} ${path.replaceAll(/[{}]/g, "\\$&")}\\)`, "is");
  await page.getByRole("button", { name: pattern }).click();
  if (ownKey !== undefined) {
    const row = page.getByRole("row").filter({ has: page.getByLabel("Include Idempotency-Key in request") });
    await row.getByRole("combobox", { name: "Value" }).fill(ownKey);
  }
  const sent = page.waitForRequest((request) => new URL(request.url()).pathname.startsWith("/api/"));
  await page.getByRole("button", { name: /^Send/ }).first().click();
  const request = await sent;
  await page
    .getByText("200 OK")
    .or(page.getByText(/^4\d\d /))
    .first()
    .waitFor();
  const close = page.getByRole("button", { name: "Close Client" });
  await close.click();
  // A form that is opened while another form still closes would close as well.
  await close.waitFor({ state: "hidden" });
  return request;
}

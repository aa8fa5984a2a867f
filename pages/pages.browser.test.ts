import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { accessOperations } from "../src/access/operations/index.ts";
import { catalogueOperations } from "../src/catalogue/operations/index.ts";
import type { Operation } from "../src/declare/operation.ts";
import { namedGuides } from "../src/http/pages/guides.ts";
import { registerPages } from "../src/http/pages/index.ts";
import { serving } from "../src/http/server.fixture.ts";
import { identityOperations } from "../src/verification/operations/index.ts";
import { findBrowser, missingBrowser, openWindow, startBrowser } from "../test/support/browser.ts";
import { until } from "../test/support/until.ts";

const operations: Operation<never>[] = [...catalogueOperations, ...identityOperations, ...accessOperations];

const missing = missingBrowser();

suite("in a browser", { skip: missing }, () => {
  let app: Awaited<ReturnType<typeof serving>>;
  let origin: string;
  let browser: Browser;

  before(async () => {
    app = await serving((app) => {
      app.get("/healthz", () => ({ status: 200, headers: {}, body: "" }));
      registerPages(
        app,
        { operations, version: "0.1.0", origin: "http://127.0.0.1:8080", publicUrl: "", pathPrefixes: ["/api/v2"] },
        { addressOf: () => "", rateLimiters: null },
      );
    });
    origin = app.origin;
    browser = await startBrowser(findBrowser());
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  /** Opens a page and returns the errors that the browser reported. */
  async function open(path: string, look: { colorScheme: "light" | "dark"; width: number }) {
    const page = await openWindow(browser, {
      colorScheme: look.colorScheme,
      viewport: { width: look.width, height: 900 },
    });
    const problems: string[] = [];
    page.on("console", (line) => {
      if (["error", "warning"].includes(line.type())) problems.push(line.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (request) => {
      const { protocol, origin: host } = new URL(request.url());
      if (protocol !== "data:" && protocol !== "blob:" && host !== origin) problems.push(`left for ${request.url()}`);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(`${origin}${path}`, { waitUntil: path === "/docs" ? "networkidle" : "load" });
    return { page, problems, close: () => page.context().close() };
  }

  for (const look of [
    { colorScheme: "light", width: 1280 },
    { colorScheme: "dark", width: 360 },
  ] as const)
    test(`every page is complete, error-free and fits (${look.colorScheme}, ${look.width} wide), with one look`, async () => {
      const { page, problems, close } = await open("/", look);
      const accent = await page.evaluate<string>("getComputedStyle(document.querySelector('.content a')).color");
      const grounds = new Set<string>();
      for (const path of ["/", "/docs/errors", ...namedGuides.map(({ path }) => path), "/docs"]) {
        await page.goto(`${origin}${path}`, { waitUntil: path === "/docs" ? "networkidle" : "load" });
        if (path === "/docs") await page.getByRole("heading", { name: "Duba" }).waitFor();
        assert.equal(await page.getByRole("main").count(), 1, path);
        assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1, path);
        assert.equal(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"), 0, path);
        const [ground, text] = await page.evaluate<[string, string]>(
          "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]",
        );
        assert.equal(brightness(ground) < brightness(text), look.colorScheme === "dark", path);
        grounds.add(ground);
        assert.deepEqual(problems, [], path);
      }
      assert.equal(grounds.size, 1);
      await page.setViewportSize({ width: 1280, height: 900 });
      await page
        .getByRole("button", { name: /^Test Request/ })
        .first()
        .waitFor();
      const button = await page.evaluate<string>(
        "getComputedStyle([...document.querySelectorAll('button')]" +
          ".find((one) => one.textContent.includes('Test Request'))).backgroundColor",
      );
      assert.equal(button, accent);
      // Scalar may still be laying out the page.
      const fits =
        "[...document.querySelectorAll('pre')].every(({ parentElement: " +
        "frame }) => frame.scrollWidth <= frame.clientWidth)";
      await until(() => page.evaluate<boolean>(fits));
      for (const offer of [/ask ai/i, /generate mcp/i, /developer tools/i, /deploy/i, /share/i, /open api client/i])
        assert.equal(await page.getByText(offer).count(), 0, String(offer));
      await close();
    });

  test("an operation on the start page links to its section of the reference", async () => {
    const { page, problems, close } = await open("/", { colorScheme: "light", width: 1280 });
    await page.getByRole("link", { name: "Verify a BVN" }).click();
    const heading = page.getByRole("heading", { name: "Verify a BVN" });
    await heading.waitFor();
    await until(async () => {
      const top = (await heading.boundingBox())?.y ?? -1;
      return top > 0 && top < 900;
    });
    assert.deepEqual(problems, []);
    await close();
  });

  test("on a phone, each cell of a table keeps its column's name", async () => {
    const { page, close } = await open("/docs/sandbox", { colorScheme: "light", width: 390 });
    const label = await page.evaluate<string>(
      "getComputedStyle(document.querySelector('tbody td:nth-child(3)'), '::before').content",
    );
    assert.match(label, /retry with its key/i);
    await close();
  });

  test("a link to a failure scrolls to the failure", async () => {
    const { page, problems, close } = await open("/docs/sandbox", { colorScheme: "light", width: 1280 });
    await page.getByRole("link", { name: "phone_mismatch" }).click();
    await page.waitForURL(`${origin}/docs/errors#phone_mismatch`);
    assert.equal(await page.locator(":target h3").textContent(), "phone_mismatch");
    assert.deepEqual(problems, []);
    await close();
  });

  test("a button copies a block of code", async () => {
    const { page, problems, close } = await open("/docs/errors", { colorScheme: "light", width: 360 });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const own = page.locator("#provider_not_found");
    await own.getByRole("button", { name: "Copy" }).click();
    await own.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.equal(copied, "curl -i 'http://127.0.0.1:8080/api/v2/internet/data/lookup?provider=FOODATA'");
    assert.deepEqual(problems, []);
    await close();
  });
});

function brightness(color: string): number {
  return (color.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
}

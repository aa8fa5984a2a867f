import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Browser, Page, Request } from "playwright-core";
import { findBrowser, inaccessible, keepRules, missingBrowser, startBrowser } from "../../../test/support/browser.ts";
import { consolePages } from "../../../test/support/every-page.ts";
import { type Visitor, visit } from "../../../test/support/passkey.ts";
import { startService, type TestService } from "../../../test/support/service.ts";
import { busySettings, fillBusyDay, officersSession, type Subjects } from "./busy-day.fixture.ts";
import { sendForm } from "./console.fixture.ts";

/** Accessibility rules that the theme affects; and those that theme or width affect. */
const ofTheTheme = ["color-contrast"];
const ofTheLook = [...ofTheTheme, "target-size", "scrollable-region-focusable"];

/**
 * Describes each element of a page by what accessibility rules look at: its ancestors and attributes, whether it has
 * text, is too small to touch, overflows, has its own id, and refers to an existing one.
 */
const partsOfPage = `[...new Set([document.title === "", ...document.querySelectorAll("*")].map((element) => {
  if (!(element instanceof Element)) return "title " + element;
  const { width, height } = element.getBoundingClientRect();
  const nameOf = ({ tagName, className }) => tagName + "." + className;
  const forebears = [];
  for (let at = element; at && forebears.length < 3; at = at.parentElement) forebears.push(nameOf(at));
  const refers = (name) => element.getAttribute(name)?.split(" ").map((id) => document.querySelectorAll("#" + CSS.escape(id)).length);
  return JSON.stringify([
    forebears, element.getAttributeNames(), element.getAttribute("type"), element.getAttribute("role"),
    element.textContent.trim() === "", element.matches("a, button, input, select, textarea, summary") && Math.min(width, height) < 24,
    element.scrollWidth > element.clientWidth,
    element.id && document.querySelectorAll("#" + CSS.escape(element.id)).length,
    ["for", "aria-labelledby", "aria-describedby", "aria-controls"].map(refers), element.labels?.length,
  ]);
}))]`;

const twoLineRows = `[...document.querySelectorAll("main > .rows tbody tr")]
  .filter((row) => [...row.querySelectorAll(".also")].every((cell) => cell.querySelector(".empty-here")))
  .map((row) => row.getBoundingClientRect().height)`;

const hidesColumns = `[...document.querySelectorAll(".rows")].some((each) => each.scrollWidth > each.clientWidth)`;

/** Replaces amounts and times with the longest possible ones, because the busy day's data depends on the hour. */
const longerTexts = `for (const cell of document.querySelectorAll(".rows tbody td")) {
  const text = cell.textContent.trim();
  if (/^₦[\\d,]+\\.\\d\\d$/.test(text)) cell.textContent = "₦1,250,000.00";
  if (cell.matches(".time")) cell.textContent = "28 Nov 23:58";
}`;

// One engine is enough: the look of pages does not depend on it.
suite("every page of the console", { skip: missingBrowser() }, () => {
  let service: TestService;
  let browser: Browser;
  let origin: string;
  let ada: Visitor;
  let subjects: Subjects;

  before(async () => {
    [service, browser] = await Promise.all([startService(busySettings), startBrowser(findBrowser())]);
    origin = service.console!.origin;
    subjects = await fillBusyDay(service);
    ada = await visit(browser, origin);
    await keepRules(ada.page);
    const value = await officersSession(service);
    await ada.context.addCookies([{ name: "duba_console", value, url: origin }]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const look = async (page: Page, colorScheme: "light" | "dark", width: number) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
  };
  /** Returns by how many pixels the page is wider than the window. */
  const pixelsBeside = (page: Page) => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  const known = new Set<string>();
  /** Returns elements unlike any on an earlier page. Only these can break a rule anew. */
  const newParts = async (page: Page): Promise<string[]> => {
    const parts = (await page.evaluate<string[]>(partsOfPage)).filter((part) => !known.has(part));
    for (const part of parts) known.add(part);
    return parts;
  };
  const knownSorts = new Set<string>();
  /** Whether elements are of a new sort, so that their colours may be new. */
  const areNewSorts = (parts: readonly string[]): boolean => {
    const sorts = parts.map((part) => String(/"[^"]*"/.exec(part))).filter((sort) => !knownSorts.has(sort));
    for (const sort of sorts) knownSorts.add(sort);
    return sorts.length > 0;
  };
  /** Returns violations in both themes, on a phone and on a desktop. */
  const problemsOf = async (page: Page, path: string): Promise<string[]> => {
    const found: string[] = [];
    const tell = (problems: string[], look: string) =>
      found.push(...problems.map((problem) => `${path}, ${look}: ${problem}`));
    let [isNew, isNewSort] = [false, false];
    for (const [theme, width, rules] of [
      ["dark", 320, ofTheLook],
      ["light", 320, ofTheTheme],
      ["light", 2560, []],
      ["light", 1440, []],
      ["dark", 1280, ofTheTheme],
      ["light", 1280, undefined],
    ] as const) {
      if (rules === ofTheTheme && !isNewSort) continue;
      await look(page, theme, width);
      if ((await pixelsBeside(page)) !== 0) tell(["scrolls sideways"], `${width}`);
      if (width > 320 && (await page.evaluate(hidesColumns))) tell(["a table hides columns"], `${width}`);
      if (rules === ofTheLook) {
        const parts = await newParts(page);
        [isNew, isNewSort] = [parts.length > 0, areNewSorts(parts)];
      }
      if (isNew && rules?.length !== 0) tell(await inaccessible(page, rules), `${theme}, ${width}`);
    }
    return found;
  };

  test("on a desktop, large amounts and long dates fit the page because client names are shortened", async () => {
    const { page } = ada;
    const narrow: string[] = [];
    for (const path of [...consolePages(subjects).place, "/alarms/list?_run=1"]) {
      await page.goto(`${origin}${path}`);
      await page.evaluate(longerTexts);
      // A wider window shows more columns.
      for (const width of [1280, 1440]) {
        await look(page, "light", width);
        if (await page.evaluate(hidesColumns)) narrow.push(`${path}, ${width}`);
      }
    }
    assert.deepEqual(narrow, []);
  });

  for (const kind of ["place", "form", "answer"] as const)
    test(`each ${kind} is complete, error-free, small and accessible, in both themes and widths`, async () => {
      const { page, problems } = ada;
      const found: string[] = [];
      let requests: Request[] = [];
      page.on("request", (request) => requests.push(request));
      for (const path of consolePages(subjects)[kind]) {
        requests = [];
        const isDrawn = path === "/" || path.startsWith("/?");
        const reply = await page.goto(`${origin}${path}`, { waitUntil: isDrawn ? "networkidle" : "load" });
        assert.equal(reply!.status(), 200, path);
        // A request that the previous page made when it closed has no response.
        const sizes = await Promise.all(requests.map(async (request) => (await request.response())?.request().sizes()));
        const transferred = sizes
          .filter((size) => size !== undefined)
          .reduce((sum, size) => sum + size.responseBodySize + size.responseHeadersSize, 0);
        assert.ok(transferred > 1000 && transferred < 150_000, `${path} takes ${transferred} bytes`);
        const text = await reply!.text();
        const [plain, packed] = [Buffer.byteLength(text), gzipSync(text).length].map((bytes) => bytes / 1024);
        assert.ok(plain! <= 64 && packed! <= 8, `${path} is ${plain} KiB, ${packed} packed`);
        assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|<[^>]*\s(?:on\w+|style)=/, path);
        if (kind === "form") {
          // Nobody sets a setting on a page, and a field for a date says how to write one.
          assert.doesNotMatch((await page.locator("main form").allInnerTexts()).join(), /DUBA_/, path);
          assert.equal(await page.locator('input[type="date"][aria-describedby]').count(), 0, path);
        }
        found.push(...(await problemsOf(page, path)));
      }
      assert.deepEqual([...found, ...problems], []);
    });

  test("on a phone, a row of a wide table has two lines, and its other members can be unfolded", async () => {
    const { page } = ada;
    await look(page, "light", 390);
    for (const path of ["/verifications", "/accounts", "/keys", "/people", "/requests", "/catalogue", "/audit"]) {
      await page.goto(`${origin}${path}`);
      // Some rows have a further line for a member that others lack, such as a cap.
      const heights = await page.evaluate<number[]>(twoLineRows);
      // A word may be too long for the rest of its line.
      const longer = heights.filter((height) => height >= 3 * 24);
      assert.ok(heights.length > 0 && longer.length <= heights.length / 10, `${path}: ${heights}`);
    }
    const row = page.locator(".rows tbody tr").first();
    const facts = row.locator('[data-label="Facts"]');
    assert.equal(await facts.isVisible(), false);
    await row.getByText("More").click();
    await facts.waitFor();
  });

  test("on a phone, a vendor's name is not cut, and an audit entry's text has the width of its row", async () => {
    const { page } = ada;
    await look(page, "light", 320);
    await page.goto(`${origin}/vendors`);
    const isCut = `[...document.querySelectorAll("main > .rows .name")].map((each) => each.scrollWidth > each.clientWidth)`;
    assert.deepEqual([...new Set(await page.evaluate<boolean[]>(isCut))], [false]);
    await page.goto(`${origin}/audit`);
    const beside = `[...document.querySelectorAll("main > .rows .name")].map((each) =>
      each.closest("tr").clientWidth - each.clientWidth)`;
    assert.ok(Math.max(...(await page.evaluate<number[]>(beside))) <= 24);
  });

  test("on a desktop, a row of the audit trail is one line, which can be unfolded", async () => {
    const { page } = ada;
    await look(page, "light", 1280);
    await page.goto(`${origin}/audit?kind=catalogue.revised`);
    const heightsOf = () =>
      page.evaluate<number[]>(`[...document.querySelectorAll(".rows tbody tr")].map((row) => row.offsetHeight)`);
    const heights = await heightsOf();
    assert.ok(heights.length > 2 && heights.every((height) => height <= 37), String(heights));
    const long = page.locator(".rows tbody tr").filter({ hasText: "The starter catalogue" });
    await long.getByText("More").click();
    assert.ok((await heightsOf()).some((height) => height > 50));
  });

  test("pages show who paused a vendor until when, and who suspended an account since when", async () => {
    const { page } = ada;
    for (const path of ["/", "/vendors", "/upstreams/show?vendor=youverify"]) {
      await page.goto(`${origin}${path}`);
      assert.match(
        await page.locator("main").innerText(),
        /paused\s+by \S+ at the terminal( since \S+)? until resumed/,
        path,
      );
    }
    await page.goto(`${origin}/accounts/show?account=hello@uyofresh.example`);
    assert.match(await page.locator("main").innerText(), /suspended\s+by \S+ at the terminal since/);
  });

  test("the tabs of a record show the number of their rows", async () => {
    const { page } = ada;
    await page.goto(`${origin}/accounts/show?account=ops@kobopay.example`);
    const tabs = page.getByRole("navigation", { name: "About it" });
    assert.match(
      await tabs.innerText(),
      /Keys\s+2[\s\S]*Verifications\s+99\+[\s\S]*Requests\s+5[\s\S]*Money[\s\S]*Webhooks\s+1/,
    );
  });

  test("results of forms, and refusals, are as accessible as other pages", async () => {
    const { page } = ada;
    await sendForm(page, `${origin}/accounts/create`, { Email: "no e-mail" });
    const found = await problemsOf(page, "problems of a form");
    await sendForm(page, `${origin}/keys/create`, { Client: subjects.account!, Test: "test" });
    await page.getByLabel("Key", { exact: true }).waitFor();
    found.push(...(await problemsOf(page, "a new key")));
    await page.goto(`${origin}/keys/revoke?id=${subjects.id}`);
    await page.getByRole("button", { name: "Confirm with your passkey" }).waitFor();
    found.push(...(await problemsOf(page, "a deed to confirm")));
    await page.goto(`${origin}/nothing`);
    found.push(...(await problemsOf(page, "a page that is not there")));
    await ada.context.clearCookies();
    await page.goto(`${origin}/sign-in`);
    found.push(...(await problemsOf(page, "/sign-in")));
    assert.deepEqual(found, []);
  });
});

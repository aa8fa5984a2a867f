import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * Path of a Chromium: DUBA_TEST_CHROMIUM if it is set, else the first one that is installed. Throws a sentence that
 * says how to get one.
 */
export function findBrowser(): string {
  const named = process.env.DUBA_TEST_CHROMIUM;
  if (named) {
    if (isExecutable(named)) return named;
    throw new Error(`DUBA_TEST_CHROMIUM names ${named}, which cannot be run. Set it to the path of a Chromium.`);
  }
  const folders = ["/usr/bin", ...(process.env.PATH ?? "").split(delimiter).filter(Boolean)];
  const found = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
  if (found) return found;
  throw new Error(
    "No Chromium was found for the browser tests. Install one (Debian: apt-get install chromium) or set " +
      "DUBA_TEST_CHROMIUM to the path of one.",
  );
}

/** Says why browser tests are skipped here; false if they run. In CI, throws that sentence instead. */
export function missingBrowser(): string | false {
  try {
    findBrowser();
    return false;
  } catch (error) {
    if (process.env.CI) throw error;
    const { message } = error as Error;
    console.error(message);
    return message;
  }
}

/** Starts a headless browser without background activity. */
export function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      // Optimising scripts does not pay: no page lives long enough.
      "--js-flags=--no-opt --no-maglev",
    ],
  });
}

/** Opens a separate window, 1280 × 900 by default. Waits up to two minutes for an element: the machine may be busy. */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(120_000);
  return context.newPage();
}

const axe = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Adds axe to each page that opens from now on, which costs less than to add it in each call of `inaccessible`. */
export async function keepRules(page: Page): Promise<void> {
  await page.addInitScript(axe);
}

/**
 * Returns, for each accessibility rule that an open page breaks, the first place. Checks all rules of WCAG 2.2 AA, or
 * the given ones.
 */
export async function inaccessible(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = rules ? { runOnly: rules } : { rules: { "target-size": { enabled: true } } };
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe);
  return page.evaluate<string[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes[0].html))`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

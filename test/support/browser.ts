import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * Path of a Chromium: DUBA_TEST_CHROMIUM if it is set, else the first one that is installed. Throws a sentence that says
 * how to get one.
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
    "No Chromium was found for the browser tests. Install one (Debian: apt-get install chromium) or set DUBA_TEST_CHROMIUM to the path of one.",
  );
}

/** Starts a headless browser that does nothing of its own accord. */
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
    ],
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { mock } from "node:test";
import { busySettings, fillBusyDay, officersSession } from "../src/features/console/busy-day.fixture.ts";
import { findBrowser, startBrowser } from "./support/browser.ts";
import { startService } from "./support/service.ts";

/** `npm run pictures`: takes the pictures of `docs/console/` again, of a service with invented data at a fixed time. */
const folder = "docs/console";
const desk = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };

// Node's clock stands still, so that two runs differ in ids only.
mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-11-23T10:42:30Z") });
const [service, browser] = await Promise.all([startService(busySettings), startBrowser(findBrowser())]);
try {
  const { reference } = await fillBusyDay(service, { verifications: 30_000, days: 60 });
  const { origin } = service.console!;
  const pictures = [
    { name: "now", path: "/", viewport: desk, colorScheme: "light" },
    { name: "now-phone-dark", path: "/", viewport: phone, colorScheme: "dark" },
    { name: "verifications-dark", path: "/verifications", viewport: desk, colorScheme: "dark" },
    { name: "verification", path: `/ledger/show?reference=${reference}`, viewport: desk, colorScheme: "light" },
    { name: "catalogue", path: "/catalogue", viewport: desk, colorScheme: "light" },
  ] as const;
  for (const old of readdirSync(folder)) rmSync(`${folder}/${old}`);
  const cookie = { name: "duba_console", value: await officersSession(service), url: origin };
  for (const { name, path, ...look } of pictures) {
    const context = await browser.newContext({ ...look, deviceScaleFactor: 2 });
    await context.addCookies([cookie]);
    const page = await context.newPage();
    await page.goto(`${origin}${path}`, { waitUntil: "networkidle" });
    const browserSession = await context.newCDPSession(page);
    // A smaller file than Playwright writes, with equal sharpness.
    const { data } = await browserSession.send("Page.captureScreenshot", { format: "webp", quality: 80 });
    writeFileSync(`${folder}/${name}.webp`, Buffer.from(data, "base64"));
    await context.close();
  }
} finally {
  await browser.close();
  await service.close();
}

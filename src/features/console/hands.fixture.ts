import assert from "node:assert/strict";
import type { FileChooser, Page } from "playwright-core";
import { until } from "../../../test/support/until.ts";

/** A person at a page. Each action finds its element by the visible or spoken name. */
export interface Hands {
  page: Page;
  /** Follows a link or presses a button, and waits for the next page. */
  go(name: RegExp): Promise<void>;
  /** Presses a button that opens a menu. */
  open(name: RegExp): Promise<void>;
  /**
   * Presses a button, and confirms its effect with the passkey. Returns the number of presses: 1 if the effect was
   * shown beside the form.
   */
  confirm(name: RegExp): Promise<1 | 2>;
  /** Confirms the shown effect with the passkey. */
  agree(): Promise<void>;
  fill(label: RegExp, text: string): Promise<void>;
  /** Chooses a radio button. */
  pick(label: RegExp): Promise<void>;
  choose(label: RegExp, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void>;
}

const confirming = /^Confirm with your passkey$/;

async function loaded(page: Page, act: () => Promise<void>): Promise<void> {
  await Promise.all([page.waitForEvent("framenavigated"), act()]);
  await page.waitForLoadState();
}

/** Waits for the effect beside the form, if the form has one. Returns whether a single press is enough. */
async function isSaidAhead(page: Page): Promise<boolean> {
  const aside = page.locator("form:not([hidden]) [data-ahead]");
  if ((await aside.count()) === 0) return false;
  await aside.locator(".confirm").waitFor();
  return (await aside.locator("[data-danger]").count()) === 0;
}

/** A person with a mouse. */
export function mouse(page: Page): Hands {
  const press = (name: RegExp) =>
    page.getByRole("link", { name }).or(page.getByRole("button", { name })).first().click();
  return {
    page,
    go: (name) => loaded(page, () => press(name)),
    open: press,
    async confirm(name) {
      if (await isSaidAhead(page)) {
        await loaded(page, () => press(name));
        return 1;
      }
      await press(name);
      await this.agree();
      return 2;
    },
    agree: () => loaded(page, () => press(confirming)),
    async fill(label, text) {
      const field = page.getByLabel(label).first();
      if ((await field.evaluate((element) => element.tagName)) === "SELECT") await field.selectOption(text);
      else await field.fill(text);
    },
    pick: (name) => page.getByRole("radio", { name }).check(),
    choose: (label, file) => page.getByLabel(label).setInputFiles([file]),
  };
}

/** The accessible name of the focused element. */
const focused = `(() => { const at = document.activeElement;
  return at.getAttribute("aria-label") || at.labels?.[0]?.textContent || at.textContent; })()`;

/** A person with a keyboard only: presses Tab until the element has the focus, then its keys. */
export function keyboard(page: Page): Hands {
  const tabTo = async (name: RegExp) => {
    for (let tries = 0; tries < 150; tries += 1) {
      await page.keyboard.press("Tab");
      if (name.test((await page.evaluate<string>(focused)).trim())) return;
    }
    assert.fail(`no way to ${name}`);
  };
  return {
    page,
    async confirm(name) {
      const isSaid = await isSaidAhead(page);
      await tabTo(name);
      if (isSaid) {
        await loaded(page, () => page.keyboard.press("Enter"));
        return 1;
      }
      await page.keyboard.press("Enter");
      await this.agree();
      return 2;
    },
    async agree() {
      await page.locator("[data-confirm]").waitFor();
      await tabTo(confirming);
      await loaded(page, () => page.keyboard.press("Enter"));
    },
    async open(name) {
      await tabTo(name);
      await page.keyboard.press("Enter");
    },
    async go(name) {
      await tabTo(name);
      await loaded(page, () => page.keyboard.press("Enter"));
    },
    async fill(label, text) {
      await tabTo(label);
      const type = await page.evaluate<string>("document.activeElement.type");
      if (type !== "month") return page.keyboard.type(text);
      // A month field has one part for the month's name and one for the year.
      await page.keyboard.type(new Date(`${text}-01T00:00Z`).toLocaleString("en", { month: "long", timeZone: "UTC" }));
      await page.keyboard.press("ArrowRight");
      await page.keyboard.type(text.slice(0, 4));
    },
    async pick(label) {
      // A group of radio buttons is one tab stop; arrow keys move inside.
      while ((await page.evaluate("document.activeElement.type")) !== "radio") await page.keyboard.press("Tab");
      for (let tries = 0; tries < 10; tries += 1) {
        await page.keyboard.press(tries === 0 ? "Space" : "ArrowDown");
        if (label.test((await page.evaluate<string>(focused)).trim())) return;
      }
      assert.fail(`no choice ${label}`);
    },
    async choose(label, file) {
      let chooser: FileChooser | undefined;
      page.once("filechooser", (opened) => {
        chooser = opened;
      });
      await tabTo(label);
      let pressedAt = Number.NEGATIVE_INFINITY;
      await until(async () => {
        // On a busy machine Chromium once opened no file chooser, so the person presses again after a while.
        if (!chooser && performance.now() - pressedAt > 10_000) {
          await page.keyboard.press("Space");
          pressedAt = performance.now();
        }
        return chooser !== undefined;
      });
      await chooser!.setFiles([file]);
    },
  };
}

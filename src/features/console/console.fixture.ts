import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type Visitor, visit } from "../../../test/support/passkey.ts";
import type { TestService } from "../../../test/support/service.ts";
import { append } from "../../audit/append.ts";
import type { Role } from "../../declare/command.ts";
import { invitationLink } from "./people/invitation-link.ts";
import { invitePerson } from "./people/people-rows.ts";

/** Returns an invitation link made at a terminal. */
export async function inviteAtTerminal(service: TestService, email: string, role: Role): Promise<string> {
  const { db, now } = await service.store();
  const { secret } = await invitePerson({ db, audit: append, actor: "terminal", now }, { email, role });
  return invitationLink(service.console!.origin, secret);
}

/** Registers a passkey with an invitation link. */
export async function join(
  browser: Browser,
  link: string,
  name: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const visitor = await visit(browser, new URL(link).origin, options);
  await visitor.page.goto(link);
  await visitor.page.getByLabel("Your name").fill(name);
  await visitor.page.getByRole("button", { name: "Register a passkey" }).click();
  await visitor.page.getByRole("navigation", { name: "Pages" }).waitFor();
  return visitor;
}

/** Opens a form, fills it in by label, and sends it, with the passkey if needed. */
export async function sendForm(page: Page, address: string, fields: Record<string, string> = {}): Promise<void> {
  await page.goto(address);
  const form = page.locator("main form.command");
  for (const [label, value] of Object.entries(fields)) {
    const field = form.getByLabel(label, { exact: false }).first();
    const kind = await field.evaluate((element) => element.getAttribute("type") ?? element.tagName);
    if (kind === "SELECT") await field.selectOption(value);
    else if (kind === "radio") await field.check();
    else await field.fill(value);
  }
  await sendOpened(page);
}

/** Sends the form of the open page, with the passkey if needed. */
export async function sendOpened(page: Page): Promise<void> {
  const form = page.locator("main form.command");
  const left = page.waitForEvent("framenavigated");
  const confirm = page.locator("[data-confirm]");
  // A form that its link has filled in opens its confirmation by itself.
  if ((await form.getAttribute("data-filled")) === null) await form.locator(".buttons button").first().click();
  await Promise.race([left, confirm.waitFor()]).catch(() => left);
  if (await confirm.isVisible()) await confirm.click();
  await left;
}

/** Waits until the page shows a text. */
export async function said(page: Page, text: string | RegExp): Promise<void> {
  const main = page.locator("main");
  await main
    .getByText(text)
    .first()
    .waitFor({ timeout: 60_000 })
    .catch(async () => assert.fail(`${text} is not in ${await main.innerText()}`));
}

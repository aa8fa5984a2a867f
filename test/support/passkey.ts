import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { openWindow } from "./browser.ts";

/** A visitor's browser window with its own authenticator. `problems`: errors, warnings and requests elsewhere. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
  problems: string[];
  /** The authenticator with the visitor's passkey. */
  device: Device;
}

/** A virtual authenticator that signs without asking a person. */
export interface Device {
  /** Whether the authenticator responds. */
  answers(does: boolean): Promise<void>;
  lose(): Promise<void>;
}

/** Adds a virtual authenticator to a page, which can have only one that is `internal`. */
export async function addDevice(page: Page, transport: "internal" | "usb"): Promise<Device> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  const { authenticatorId } = await devTools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport, hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return {
    answers: async (enabled) => {
      await devTools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
    },
    lose: async () => {
      await devTools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    },
  };
}

/** Opens a browser window with a virtual authenticator. */
export async function visit(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Visitor> {
  const page = await openWindow(browser, options);
  const problems: string[] = [];
  page.on("console", (line) => {
    if (["error", "warning"].includes(line.type())) problems.push(`${line.text()} at ${page.url()}`);
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    const { protocol, origin: host } = new URL(request.url());
    if (protocol !== "data:" && host !== origin) problems.push(`left for ${request.url()}`);
  });
  return { page, context: page.context(), problems, device: await addDevice(page, "internal") };
}

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, missingBrowser, startBrowser } from "../../test/support/browser.ts";
import type { Visitor } from "../../test/support/passkey.ts";
import { startService, type TestService } from "../../test/support/service.ts";
import { recorded } from "../access/access.fixture.ts";
import { changeTerms } from "../access/accounts/terms.ts";
import { TimeZone } from "../runtime/time-zone.ts";
import { join, said } from "./console.fixture.ts";
import { type Hands, keyboard, mouse } from "./hands.fixture.ts";

/** Hands that count: a click, a text into one field, a choice and a paste are one action each. */
interface Counting extends Hands {
  /** Pastes what a client wrote into the box, and waits for the page that comes. */
  paste(text: string): Promise<void>;
  count(): number;
}

function counting(hands: Hands): Counting {
  let count = 0;
  const { page } = hands;
  const counted =
    <Given extends unknown[]>(times: number, act: (...given: Given) => Promise<void>) =>
    (...given: Given) => {
      count += times;
      return act(...given);
    };
  return {
    page,
    go: counted(1, hands.go),
    open: counted(1, hands.open),
    // The button of the form, and the one that uses the passkey.
    confirm: counted(2, hands.confirm),
    fill: counted(1, hands.fill),
    choose: counted(1, hands.choose),
    paste: counted(1, async (text: string) => {
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await page.keyboard.press("/");
      await Promise.all([page.waitForEvent("framenavigated"), page.keyboard.press("Control+V")]);
      await page.waitForLoadState();
    }),
    count: () => count,
  };
}

interface Given {
  reference: string;
  failed: string;
  unknown: string;
  account: string;
  /** Prepaid. */
  till: string;
}

interface Task {
  actions: number;
  does: (hands: Counting, given: Given) => Promise<void>;
}

let cap = 50_000;

/** Each begins on the start page. */
const tasks: Record<string, Task> = {
  "find by reference": {
    actions: 1,
    async does(hands, { reference }) {
      await hands.paste(reference);
      await said(hands.page, "BVN ending 0017");
      await said(hands.page, reference);
    },
  },
  "find by last four": {
    actions: 1,
    async does(hands, { reference }) {
      await hands.paste("0017");
      await said(hands.page, "BVN ending 0017");
      await said(hands.page, reference);
    },
  },
  "why did it fail": {
    actions: 1,
    async does(hands, { failed }) {
      await hands.paste(failed);
      // "₦100 was taken for nothing", with a reference: one paste says what happened, why, and what it cost.
      await said(hands.page, "What happened");
      const told = await hands.page.locator("main").innerText();
      assert.match(told, /failed[\s\S]*Charged\s+no/);
    },
  },
  "give back": {
    actions: 6,
    async does(hands, { reference }) {
      await hands.paste(reference);
      await hands.go(/^Give back ₦/);
      await hands.fill(/^Reason/, "Charged twice");
      await hands.confirm(/^Adjust$/);
      await hands.go(new RegExp(`^Back to ${reference}$`));
      await said(hands.page, /Gave back ₦/);
    },
  },
  "pause a vendor": {
    actions: 5,
    async does(hands) {
      await hands.paste("dojah");
      await hands.go(/^Pause…$/);
      // It is the last one, so that a passkey confirms it.
      await hands.confirm(/^Pause$/);
      await hands.go(/^Back to Dojah$/);
      await said(hands.page, "Paused by");
    },
  },
  "settle an unknown": {
    actions: 6,
    async does(hands, { unknown }) {
      await hands.paste(unknown);
      await hands.go(/^Settle…$/);
      await hands.fill(/^Reason/, "They say so");
      await hands.fill(/^Outcome/, "not_found");
      await hands.confirm(/^Settle$/);
      await said(hands.page, /is settled as not found/);
    },
  },
  "change a cap": {
    actions: 5,
    async does(hands, { account }) {
      await hands.paste(account);
      await hands.go(/^Change…$/);
      // A form that leaves what is there changes nothing.
      cap += 1000;
      await hands.fill(/^Monthly cap \(₦\)/, String(cap));
      await hands.confirm(/^Change$/);
      await said(hands.page, cap.toLocaleString("en"));
    },
  },
  "top up": {
    actions: 6,
    async does(hands, { till }) {
      await hands.paste(till);
      await hands.go(/^Top up…$/);
      await hands.fill(/^Amount/, "5000");
      await hands.fill(/^Reason/, "Transfer 8841");
      await hands.confirm(/^Top up$/);
      await said(hands.page, /The balance of Till is/);
    },
  },
  "new key": {
    actions: 5,
    async does(hands, { account }) {
      await hands.paste(account);
      await hands.go(/^New key$/);
      await hands.fill(/^Mode/, "live");
      await hands.confirm(/^Create$/);
      await hands.page.getByLabel("Key", { exact: true }).waitFor();
    },
  },
  "all MTN prices + 3 %": {
    actions: 6,
    async does(hands) {
      await hands.go(/^Catalogue/);
      await hands.go(/^Change prices…$/);
      await hands.fill(/^By/, "3%");
      await hands.fill(/^Provider/, "MTNDATA");
      await hands.confirm(/^Change prices$/);
      await said(hands.page, /is published/);
    },
  },
  "month's letter for a client": {
    actions: 3,
    async does(hands, { account }) {
      await hands.paste(account);
      await hands.go(/^Statement/);
      await hands.go(/^Letter$/);
      await said(hands.page, /^Statement for /);
    },
  },
  "check a vendor's invoice": {
    actions: 4,
    async does(hands) {
      const buffer = Buffer.from("reference,time,price\nD-1,2026-10-05 10:00,50\n");
      await hands.go(/^dojah$/i);
      await hands.go(/^Check an invoice$/);
      await hands.choose(/^Invoice/, { name: "october.csv", mimeType: "text/csv", buffer });
      await hands.go(/^Reconcile$/);
      await said(hands.page, /D-1/);
    },
  },
};

/** Nobody asks it here. */
const vendor = {
  ...{ DUBA_UPSTREAMS: "dojah", DUBA_DOJAH_URL: "http://127.0.0.1:9" },
  ...{ DUBA_DOJAH_APP_ID: "app", DUBA_DOJAH_KEY: "key" },
};

// What a browser does here does not depend on the engine.
suite("twelve tasks of an operator's day", { skip: missingBrowser() }, () => {
  let service: TestService;
  let browser: Browser;
  let ada: Visitor;
  let given: Given;

  before(async () => {
    [service, browser] = await Promise.all([
      startService({ DUBA_CONSOLE: "127.0.0.1:0", DUBA_LIMITS: "off", ...vendor }),
      startBrowser(findBrowser()),
    ]);
    ada = await join(browser, service.console!.firstLink!, "Ada");
    await ada.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const [account, till] = [await service.newAccount("Shop"), await service.newAccount("Till")];
    const { db } = await service.store();
    const verify = async (bvn: string) => {
      const body = { bvn, phone: bvn.replace(/^.../, "080"), amount: "100" };
      const { json } = await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body });
      return (json.data ?? json.error).request_reference as string;
    };
    given = {
      ...{ account, till, reference: await verify("22000000017") },
      ...{ failed: await verify("00000000005"), unknown: await verify("00000000006") },
    };
    await changeTerms(recorded(db), till, { prepaid: true }, new TimeZone("Africa/Lagos"));
    await db.updateTable("verification").set({ started_at: 1 }).where("reference", "=", given.unknown).execute();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  test("take as few actions as they say", async () => {
    for (const [name, { does, actions }] of Object.entries(tasks)) {
      await ada.page.goto(service.console!.origin);
      ada.page.setDefaultTimeout(8000);
      const hands = counting(mouse(ada.page));
      await does(hands, given);
      assert.equal(hands.count(), actions, name);
    }
    assert.deepEqual(ada.problems, []);
  });

  for (const name of ["find by reference", "top up", "change a cap", "new key"])
    test(`"${name}" is whole by keyboard`, async () => {
      await ada.page.goto(service.console!.origin);
      await tasks[name]!.does(counting(keyboard(ada.page)), given);
      assert.deepEqual(ada.problems, []);
    });
});

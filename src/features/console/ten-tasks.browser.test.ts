import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, missingBrowser, startBrowser } from "../../../test/support/browser.ts";
import { ran } from "../../../test/support/command-line.ts";
import type { Visitor } from "../../../test/support/passkey.ts";
import { startService, type TestService } from "../../../test/support/service.ts";
import { recorded } from "../../access/access.fixture.ts";
import { changeTerms } from "../../access/accounts/terms.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { busySettings } from "./busy-day.fixture.ts";
import { inviteAtTerminal, join, said } from "./console.fixture.ts";
import { type Hands, keyboard, mouse } from "./hands.fixture.ts";

/** Hands that count: a press, a choice, a file, a text in one field and a paste are one action each. */
interface Counting extends Hands {
  /** Pastes what a client wrote into the box, and waits for the page that comes. */
  paste(text: string): Promise<void>;
  count(): number;
}

function counting(hands: Hands): Counting {
  let count = 0;
  const { page } = hands;
  const counted =
    <Given extends unknown[]>(act: (...given: Given) => Promise<void>, times = 1) =>
    (...given: Given) => {
      count += times;
      return act.apply(hands, given);
    };
  return {
    page,
    go: counted(hands.go),
    open: counted(hands.open),
    // The button of the form, and the one that uses the passkey.
    confirm: counted(hands.confirm, 2),
    agree: counted(hands.agree),
    fill: counted(hands.fill),
    pick: counted(hands.pick),
    choose: counted(hands.choose),
    paste: counted(async (text: string) => {
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
  /** Where the person is: on the page of what it is about, which one paste opens. Default: the start page. */
  at?: (given: Given) => string;
  does: (hands: Counting, given: Given) => Promise<void>;
}

let cap = 50_000;
const accountPage = (account: string) => `/accounts/show?account=${account}`;

/** The work of most days: at most 28 actions in all. */
const tenTasks: Record<string, Task> = {
  "a complaint by paste": {
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
    actions: 4,
    at: ({ reference }) => `/ledger/show?reference=${reference}`,
    async does(hands) {
      await hands.go(/^Give back ₦/);
      await hands.fill(/^Reason/, "Charged twice");
      await hands.confirm(/^Give back$/);
      await said(hands.page, /given back to Sandbox/);
    },
  },
  "top up": {
    actions: 5,
    at: ({ till }) => accountPage(till),
    async does(hands) {
      await hands.go(/^Top up…$/);
      await hands.fill(/^Amount/, "5000");
      await hands.fill(/^Reason/, "Transfer 8841");
      await hands.confirm(/^Top up Till$/);
      await said(hands.page, /The balance of Till is/);
    },
  },
  "change a cap": {
    actions: 4,
    at: ({ account }) => accountPage(account),
    async does(hands) {
      await hands.go(/^Change…$/);
      // A form that leaves what is there changes nothing.
      cap += 1000;
      await hands.fill(/^Monthly cap/, String(cap));
      await hands.confirm(/^Change Shop$/);
      await said(hands.page, cap.toLocaleString("en"));
    },
  },
  "new key": {
    actions: 3,
    at: ({ account }) => accountPage(account),
    async does(hands) {
      await hands.go(/^New live key$/);
      await hands.confirm(/^Create key$/);
      await hands.page.getByLabel("Key", { exact: true }).waitFor();
    },
  },
  "pause a vendor": {
    actions: 3,
    at: () => "/upstreams/show?vendor=blusalt",
    async does(hands) {
      await hands.go(/^Pause…$/);
      await hands.pick(/^Load/);
      await hands.go(/^Pause Blusalt$/);
      await said(hands.page, /Blusalt is paused for all checks, until/);
    },
  },
  "approve a change": {
    actions: 2,
    at: () => "/catalogue",
    async does(hands) {
      await hands.go(/^Approve d\d+$/);
      await said(hands.page, "MTNDATA 104 now");
      await said(hands.page, "₦1,900.00");
      await hands.agree();
      await said(hands.page, /is published/);
    },
  },
  "check a vendor's invoice": {
    actions: 3,
    at: () => "/upstreams/show?vendor=dojah",
    async does(hands) {
      const buffer = Buffer.from("reference,time,price\nD-1,2026-10-05 10:00,50\n");
      await hands.go(/^Check an invoice$/);
      await hands.choose(/^Invoice/, { name: "october.csv", mimeType: "text/csv", buffer });
      await hands.go(/^Check an invoice$/);
      await said(hands.page, /D-1/);
    },
  },
  "month's letter for a client": {
    actions: 1,
    at: ({ account }) => accountPage(account),
    async does(hands) {
      await hands.go(/^Letter of last month$/);
      await said(hands.page, /^Statement for /);
    },
  },
  "an officer leaves": {
    actions: 2,
    at: () => "/people/show?person=grace@example.com",
    async does(hands) {
      await hands.go(/^Remove…$/);
      await said(hands.page, "Remove grace@example.com?");
      await hands.agree();
      await said(hands.page, "grace@example.com is removed.");
    },
  },
};

const moreTasks: Record<string, Task> = {
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
  "settle an unknown": {
    actions: 6,
    async does(hands, { unknown }) {
      await hands.paste(unknown);
      await hands.go(/^Settle…$/);
      await hands.fill(/^Reason/, "They say so");
      await hands.fill(/^Outcome/, "not_found");
      await hands.confirm(/^Settle$/);
      await said(hands.page, /^Settled as not found/);
    },
  },
  "pause the last vendor": {
    actions: 5,
    async does(hands) {
      await hands.paste("dojah");
      await hands.go(/^Pause…$/);
      await hands.pick(/^Load/);
      await hands.confirm(/^Pause Dojah$/);
      await said(hands.page, /Dojah is paused for all checks, until/);
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
};
const tasks = { ...tenTasks, ...moreTasks };

// What a browser does here does not depend on the engine.
suite("the tasks of an operator's day", { skip: missingBrowser() }, () => {
  let service: TestService;
  let browser: Browser;
  let ada: Visitor;
  let given: Given;

  before(async () => {
    [service, browser] = await Promise.all([startService(busySettings), startBrowser(findBrowser())]);
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
      account,
      till,
      reference: await verify("22000000017"),
      failed: await verify("00000000005"),
      unknown: await verify("00000000006"),
    };
    await inviteAtTerminal(service, "grace@example.com", "officer");
    const { dataDirectory, databaseUrl } = service.settings;
    const environment = { ...busySettings, DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
    await ran(["catalogue", "edit", "MTNDATA 104", "--price", "1900"], { environment });
    await changeTerms(recorded(db), till, { prepaid: true }, new TimeZone("Africa/Lagos"));
    await db.updateTable("verification").set({ started_at: 1 }).where("reference", "=", given.unknown).execute();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const begin = async ({ at }: Task, hands: Hands) => {
    await ada.page.goto(`${service.console!.origin}${at?.(given) ?? "/"}`);
    return counting(hands);
  };

  test("each task of an operator's day takes as few actions as stated", async () => {
    ada.page.setDefaultTimeout(8000);
    for (const [name, task] of Object.entries(tasks)) {
      const hands = await begin(task, mouse(ada.page));
      await task.does(hands, given);
      assert.equal(hands.count(), task.actions, name);
    }
    assert.deepEqual(ada.problems, []);
    const all = Object.values(tenTasks).reduce((sum, { actions }) => sum + actions, 0);
    assert.ok(all <= 28, `the ten tasks take ${all} actions`);
  });

  for (const name of ["find by reference", "top up", "change a cap", "new key"] as const)
    test(`"${name}" is whole by keyboard`, async () => {
      const task = tasks[name]!;
      await task.does(await begin(task, keyboard(ada.page)), given);
      assert.deepEqual(ada.problems, []);
    });
});

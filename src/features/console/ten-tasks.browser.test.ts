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

/**
 * Counts actions: a click or key that presses something, a choice, a file, a text in one field, or a paste into the
 * search box.
 */
interface Counting extends Hands {
  /** Pastes a client's text into the search box, and waits for the page. */
  paste(text: string): Promise<void>;
  count(): number;
}

function counting(hands: Hands): Counting {
  let count = 0;
  const { page } = hands;
  const counted =
    <Given extends unknown[]>(act: (...given: Given) => Promise<void>) =>
    (...given: Given) => {
      count += 1;
      return act.apply(hands, given);
    };
  return {
    page,
    go: counted(hands.go),
    open: counted(hands.open),
    async confirm(name) {
      const presses = await hands.confirm(name);
      count += presses;
      return presses;
    },
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
  /** A prepaid account. */
  till: string;
}

interface Task {
  actions: number;
  /** The page where the task starts. Default: Now. */
  at?: (given: Given) => string;
  does: (hands: Counting, given: Given) => Promise<void>;
}

const accountPage = (account: string) => `/accounts/show?account=${account}`;

/** The ten most frequent tasks: at most 26 actions in all. */
const tenTasks: Record<string, Task> = {
  "a complaint by a pasted sentence": {
    actions: 1,
    async does(hands, { failed }) {
      await hands.paste(`Good day, una take ₦100 for nothing! The ref na ${failed}, abeg check am.`);
      // One paste shows what happened, why, and the cost.
      await said(hands.page, "What happened");
      const told = await hands.page.locator("main").innerText();
      assert.match(told, /failed[\s\S]*Charged\s+no/);
    },
  },
  "give back ₦78": {
    actions: 4,
    at: ({ reference }) => `/ledger/show?reference=${reference}`,
    async does(hands) {
      await hands.go(/^Give back ₦/);
      await hands.fill(/^Amount|^Credit/, "78");
      await hands.fill(/^Reason/, "Charged twice");
      await hands.confirm(/^Give back$/);
      await said(hands.page, "₦78.00 given back to Sandbox.");
    },
  },
  "top up": {
    actions: 4,
    at: ({ till }) => accountPage(till),
    async does(hands) {
      await hands.go(/^Top up…$/);
      await hands.fill(/^Amount/, "5000");
      await hands.fill(/^Reason/, "Transfer 8841");
      await hands.confirm(/^Top up Till$/);
      await said(hands.page, /The balance of Till is/);
    },
  },
  "raise a refused client's cap from Now": {
    actions: 3,
    async does(hands) {
      await hands.go(/^Raise the cap$/);
      await hands.fill(/^Monthly cap/, "350000");
      await hands.confirm(/^Change Zaria$/);
      await said(hands.page, "→ ₦350,000");
    },
  },
  "a live key by the client's name": {
    actions: 3,
    async does(hands) {
      await hands.paste("Shop");
      await hands.go(/^New live key$/);
      await hands.confirm(/^Create key$/);
      await hands.page.getByLabel("Key", { exact: true }).waitFor();
    },
  },
  "pause Dojah for BVN": {
    actions: 3,
    at: () => "/upstreams/show?vendor=dojah",
    async does(hands) {
      await hands.go(/^Pause BVN…$/);
      await hands.pick(/^Answers/);
      await hands.go(/^Pause Dojah$/);
      await said(hands.page, /Dojah is paused for BVN, until resumed/);
    },
  },
  "approve a held change as second officer": {
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
  "check an invoice with odd headings": {
    actions: 3,
    at: () => "/upstreams/show?vendor=dojah",
    async does(hands) {
      const buffer = Buffer.from("Transaction Reference,Created At,Charge\nD-1,2026-10-05 10:00,50\n");
      await hands.go(/^Check an invoice$/);
      await hands.choose(/^Invoice/, { name: "october.csv", mimeType: "text/csv", buffer });
      await hands.go(/^Check an invoice$/);
      await said(hands.page, /D-1/);
    },
  },
  "letter of last month": {
    actions: 1,
    at: ({ account }) => accountPage(account),
    async does(hands) {
      await hands.go(/^Letter of last month$/);
      await said(hands.page, /^Statement for /);
    },
  },
  "offboard an officer": {
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
      await hands.paste("youverify");
      await hands.go(/^Pause (?:all|BVN)…$/);
      await hands.pick(/^Load/);
      await hands.confirm(/^Pause Youverify$/);
      await said(hands.page, /Youverify is paused for BVN, until/);
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

// One engine is enough: the browser's behaviour does not depend on it.
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
    await ran(["routes", "pause", "prembly", "--why", "answers", "--yes"], { environment });
    const zone = new TimeZone("Africa/Lagos");
    await changeTerms(recorded(db), till, { prepaid: true }, zone);
    const refused = await service.newAccount("Zaria");
    await changeTerms(recorded(db), refused, { capKobo: 18_000_000 }, zone);
    const { id } = await db.selectFrom("account").select("id").where("email", "=", refused).executeTakeFirstOrThrow();
    await db.updateTable("spending").set({ kobo: 18_000_000 }).where("account_id", "=", id).execute();
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

  test("each frequent task of an operator takes as many actions as the task states", async () => {
    for (const [name, task] of Object.entries(tasks)) {
      const hands = await begin(task, mouse(ada.page));
      await task.does(hands, given);
      assert.equal(hands.count(), task.actions, name);
    }
    assert.deepEqual(ada.problems, []);
    const all = Object.values(tenTasks).reduce((sum, { actions }) => sum + actions, 0);
    assert.ok(all <= 26, `the ten tasks take ${all} actions`);
  });

  for (const name of ["top up", "a live key by the client's name", "check an invoice with odd headings"] as const)
    test(`the task "${name}" can be done with the keyboard only`, async () => {
      const task = tasks[name]!;
      await task.does(await begin(task, keyboard(ada.page)), given);
      assert.deepEqual(ada.problems, []);
    });
});

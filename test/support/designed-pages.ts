import assert from "node:assert/strict";
import { test } from "node:test";
import { busySettings } from "../../src/features/console/busy-day.fixture.ts";
import { ran } from "./command-line.ts";
import type { PageWalk } from "./page-walk.ts";
import { noticed } from "./until.ts";

/** Registers the tests of a suite that pages show their main facts. */
export function designedPages(walk: PageWalk): void {
  const duba = async (...argv: string[]) => {
    const { dataDirectory, databaseUrl } = walk.operators.service.settings;
    const environment = { ...busySettings, DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
    const { exitCode, err } = await ran(argv, { environment });
    assert.equal(exitCode, 0, err);
  };
  const page = async (path: string) => {
    const { by, send } = walk.operators;
    return (await send(path, { cookie: by.officer.cookie })).text;
  };
  /** Returns the text of a page without its markup. */
  const said = async (path: string) => (await page(path)).replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

  test("a vendor's page shows its position, its prices by kind, its last 24 hours and recent changes", async () => {
    for (const vendor of ["dojah", "prembly"]) await duba("routes", "pause", vendor, "--check", "nin", "--yes");
    const text = await said("/upstreams/show?vendor=dojah");
    assert.match(text, /Asked first for BVN\. Not asked for NIN while it is paused\./);
    assert.match(text, /24 hours BVN NIN Price ₦70\.00 ₦90\.00/);
    assert.match(text, /Asked an hour \d+ found \d+/);
    assert.match(text, /Recent changes.*Vendor paused.*Dojah/);
    assert.doesNotMatch(text, /Missing nothing/);
    const other = await said("/upstreams/show?vendor=qoreid");
    assert.match(other, /Missing/);
    assert.doesNotMatch(other, /Vendor paused/);
  });

  test("the catalogue page shows the waiting draft, products by name, and one filled button", async () => {
    const filled = (text: string) => text.match(/<a class="button main"[^<]*/g);
    // No vendor of NINs is left, so the band offers the command that resumes one.
    const stopped = await noticed(
      () => page("/catalogue"),
      (text) => text.includes('class="band"'),
    );
    assert.match(filled(stopped)![0]!, />Resume \w+$/);
    for (const vendor of ["dojah", "prembly"]) await duba("routes", "resume", vendor, "--check", "nin");
    const text = await noticed(
      () => page("/catalogue"),
      (text) => !text.includes('class="band"'),
    );
    assert.equal(filled(text)!.length, 1);
    assert.match(text, /<a class="button main" href="\/catalogue\/approve\?draft=d4">Approve d4</);
    assert.match(text, /<td[^>]*class="[^"]*name[^"]*"[^>]*>[^<]*50 ?MB/);
    for (const group of ["Products", "Sources", "Special prices"])
      assert.match(text, new RegExp(`<li class="apart head">${group}</li>`));
  });

  test("an audit entry is shown as a sentence, and its facts are folded", async () => {
    const text = await page("/audit?kind=account.created");
    assert.match(text, /Account created: Zaria Lenders/);
    assert.match(await page("/audit?kind=catalogue.held"), /Catalogue held: change d4/);
    assert.match(text, /<td class="fold wide"><details><summary>More<\/summary><\/details>/);
  });

  test("bars on the books page are relative to the largest row, and have their own column", async () => {
    // A month that has just begun has no rows.
    const before = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10);
    const text = await page(`/books?from=${before}`);
    const bars = [...text.matchAll(/<td class="beside"><svg class="share"[^>]*><rect class="c1" width="(\d+)"/g)];
    assert.equal(Number(bars[0]![1]), 100);
    assert.ok(bars.length > 2 && bars.every(([, width]) => Number(width) <= 100));
  });

  test("forms offer accounts, people, keys and catalogue entries by name", async () => {
    const { db } = await walk.operators.service.store();
    await db.updateTable("person").set({ name: "Ada Obi" }).where("email", "=", "officer@example.com").execute();
    for (const [path, option] of [
      ["/keys/create", /<datalist id="accounts">.*<option value="it@zaria-lenders\.example">Zaria Lenders</],
      ["/people/change", /<datalist id="people">.*<option value="[^"]+">Ada Obi</],
      ["/keys/revoke", /<datalist id="keys">.*<option value="\w{12}">[^<]+ of Kobo Pay</],
      ["/catalogue/edit", /<datalist id="entries">.*<option value="MTNDATA 104">[^<]+</],
    ] as const)
      assert.match(await page(path), option, path);
  });

  test("a key's tab counts answered and refused requests by day", async () => {
    const { id, text: credential } = await walk.operators.service.newKey({ mode: "test" });
    await walk.operators.service.verify({ credential });
    await walk.operators.service.verify({ credential, bvn: "1" });
    await noticed(
      () => said(`/requests/key?id=${id}`),
      (text) => /Used and refused .*Day Answered Refused Failed here .*\d+ \w+ 1 1 0 /.test(text),
    );
  });
}

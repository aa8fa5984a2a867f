import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../../../test/support/engines.ts";
import { headerOf, looseGuard, pickFrom, plainForm, publishTo, removed } from "../../../catalogue/catalogue.fixture.ts";
import { lookupDataBundles } from "../../../catalogue/operations/lookupDataBundles.ts";
import { findDraft } from "../../../catalogue/revisions/draft.ts";
import { readSync } from "../sync/record.ts";
import { aboutTest, bundle, codesOf, openFollowing, pricesOf } from "./change-of-source.fixture.ts";
import { mappingRows } from "./mapping-rows.ts";

for (const engine of usualEngines)
  suite(`a change of source on ${engine.name}`, () => {
    test("after a change of source no code changes and nothing unmapped is served, across restarts", async (t) => {
      const { db, offers, at, restart, pull, pullApproved, run, audited } = await openFollowing(t, engine);
      await pullApproved("vtpass");
      const [codes, prices] = [codesOf(at.catalogue), pricesOf(at.catalogue)];
      assert.equal(codes.length, 12);
      const etag = () =>
        headerOf(plainForm(pickFrom(at.catalogue, lookupDataBundles, { provider: "MTNDATA" })), "ETag");
      const validator = etag();
      assert.ok(validator);

      at.catalogue = await restart("ebills");
      await pull();
      assert.deepEqual(pricesOf(at.catalogue), prices);
      assert.equal(etag(), validator);
      const waiting = await readSync(db, "ebills");
      assert.deepEqual([waiting?.result, waiting?.succeeded_at], ["unmapped", null]);
      assert.match(waiting!.sentences, /12 of ebills wait for a mapping.* 12 have no mapping from ebills/);
      assert.ok(at.catalogue.freshness[0]!.isStale);

      assert.deepEqual(await run("approve", { source: "ebills" }), { source: "ebills", entries: 12, left: 0 });
      assert.deepEqual(
        audited.map(({ kind, facts }) => [kind, facts]),
        [["catalogue.mapped", { source: "ebills", entries: 12 }]],
      );
      await pull();
      assert.deepEqual(codesOf(at.catalogue), codes);
      assert.deepEqual(
        pricesOf(at.catalogue),
        prices.map(([key, price]) => [key, Number(price) + 500]),
      );
      assert.equal((await readSync(db, "ebills"))?.result, "published");

      at.catalogue = await restart("vtpass");
      await pull();
      assert.deepEqual(pricesOf(at.catalogue), prices);
      offers.ebills = offers.ebills!.slice(1);
      at.catalogue = await restart("ebills");
      await pull();
      assert.deepEqual(codesOf(at.catalogue), codes.slice(1));
    });

    test("waiting changes of the old source are rejected once the new source supplies the list", async (t) => {
      const { db, offers, at, restart, pull, pullApproved } = await openFollowing(t, engine);
      await pullApproved("vtpass");
      const whole = offers.vtpass!;
      offers.vtpass = [];
      await pull();
      const { draft } = (await readSync(db, "vtpass"))!;
      assert.equal((await findDraft(db, draft!)).state, "held");
      offers.vtpass = whole;
      at.catalogue = await restart("ebills");
      await pull();
      assert.equal((await findDraft(db, draft!)).state, "rejected");
    });

    test("if two source entries look like one of ours, a person decides, and our code gets one at most", async (t) => {
      const { db, offers, at, restart, pull, pullApproved, run } = await openFollowing(t, engine);
      await pullApproved("vtpass");
      offers.ebills!.push(bundle("promo", "MTN Data Plan 3GB 30 days", 100));
      at.catalogue = await restart("ebills");
      await pull();
      const rows = () =>
        run<{ source_code: string; state: string; own: string | null }[]>("list", {
          source: "ebills",
          state: "unclear",
        });
      assert.deepEqual(
        (await rows()).map(({ source_code, own }) => [source_code, own]),
        [
          ["MTNDATA 93GB", null],
          ["MTNDATA PROMO", null],
        ],
      );
      const set = (code: string, own: string) =>
        run("set", { source: "ebills", list: "data-bundles", source_code: code, own });
      await set("mtndata 93gb", "MTN-3GB");
      await assert.rejects(set("MTNDATA promo", "mtn-3gb"), /MTNDATA 93GB of ebills has that code/);
      await assert.rejects(set("MTNDATA nothing", "x"), /knows no MTNDATA nothing in data-bundles of ebills/);
      await set("MTNDATA promo", "none");
      assert.deepEqual(await rows(), []);
      await run("approve", { source: "ebills", list: "data-bundles" });
      await pull();
      assert.equal(codesOf(at.catalogue).length, 12);
      const promo = (await mappingRows(db)).find(({ code }) => code === "MTNDATA PROMO");
      assert.deepEqual([promo?.state, promo?.own, promo?.decided_by], ["never", null, "operator:ada"]);
      const mapped = (await mappingRows(db)).find(({ code }) => code === "MTNDATA 93GB");
      assert.equal(mapped?.own, "mtn-3gb", "in the spelling that clients know");
    });

    test("a mapped code whose product changes keeps its last good entry until a person decides", async (t) => {
      const { db, offers, at, restart, pull, pullApproved, run } = await openFollowing(t, engine);
      await pullApproved("vtpass");
      at.catalogue = await restart("ebills");
      await pull();
      await run("approve", { source: "ebills" });
      await pull();
      const before = pricesOf(at.catalogue);
      const whole = offers.ebills!;
      const exchanged = new Map([
        ["93GB", "94GB"],
        ["94GB", "93GB"],
      ]);
      offers.ebills = whole.map((it) => ({ ...it, code: exchanged.get(it.code) ?? it.code }));
      await pull();
      assert.deepEqual(pricesOf(at.catalogue), before);
      const { result, sentences } = (await readSync(db, "ebills"))!;
      assert.equal(result, "unmapped");
      assert.match(sentences, /2 of ebills wait for a mapping, and are not served: MTNDATA 9[34]GB, MTNDATA 9[34]GB/);
      const states = async () =>
        (await mappingRows(db, "ebills"))
          .filter(({ state }) => state !== "approved")
          .map(({ code, state }) => [code, state]);
      assert.deepEqual(await states(), [
        ["MTNDATA 93GB", "unclear"],
        ["MTNDATA 94GB", "unclear"],
      ]);
      offers.ebills = whole;
      await pull();
      assert.deepEqual([await states(), (await readSync(db, "ebills"))!.result], [[], "unchanged"]);
      const longer = { ...whole[2]!, duration: "7 days", description: "MTN Data 3GB 7 days" };
      offers.ebills = whole.map((it, n) => (n === 2 ? longer : it));
      await pull();
      assert.deepEqual(await states(), [["MTNDATA 93GB", "unclear"]]);
      const own = "mtn-3gb";
      await run("set", { source: "ebills", list: "data-bundles", source_code: "MTNDATA 93GB", own });
      await pull();
      assert.deepEqual([await states(), (await readSync(db, "ebills"))!.result], [[], "published"]);
    });

    test("an approval never maps two entries to one code of ours, or an entry to a code of another size", async (t) => {
      const { db, at, restart, pull, pullApproved, run } = await openFollowing(t, engine);
      await pullApproved("vtpass");
      at.catalogue = await restart("ebills");
      await pull();
      // Proposals of an older version, which took 1.5GB for 15GB, and two entries for one.
      const propose = (code: string, own: string) =>
        db.updateTable("catalogue_mapping").set({ own }).where("code", "=", code).execute();
      await propose("MTNDATA 93GB", "mtn-4gb");
      await propose("MTNDATA 96GB", "mtn-7gb");
      assert.deepEqual(await run("approve", { source: "ebills" }), { source: "ebills", entries: 8, left: 4 });
    });

    test("a mapping file is imported completely, or not at all if a line is wrong or the run is dry", async (t) => {
      const { db, at, restart, pull, pullApproved, run, audited } = await openFollowing(t, engine);
      await pullApproved("vtpass");
      at.catalogue = await restart("ebills");
      await pull();
      type Answer = { changes: { source_code: string; own: string | null }[]; unchanged: number; left: number };
      const load = (text: string, more: object = {}) => {
        const file = [{ name: "mapping.csv", read: async () => new TextEncoder().encode(text) }];
        return run<Answer>("import", { source: "ebills", file, ...more });
      };
      const decided = async () =>
        (await mappingRows(db, "ebills"))
          .filter(({ decided_by }) => decided_by !== null)
          .map(({ code, own }) => [code, own]);
      const text = "own,source_code\nmtn-3gb,MTNDATA 93GB\nMTN-5GB,mtndata 94gb\nnone,MTNDATA 95GB\n,MTNDATA 96GB\n";
      const dry = await load(text, { dry_run: true });
      assert.deepEqual([await decided(), audited], [[], []]);
      const made = [
        ["MTNDATA 93GB", "mtn-3gb"],
        ["MTNDATA 94GB", "mtn-5gb"],
        ["MTNDATA 95GB", null],
      ];
      assert.deepEqual(
        [dry.changes.map(({ source_code, own }) => [source_code, own]), dry.unchanged, dry.left],
        [made, 0, 1],
      );
      assert.deepEqual((await load(text)).changes, dry.changes);
      assert.deepEqual(await decided(), made);
      assert.deepEqual([(await load(text)).unchanged, audited.length], [3, 1]);

      // Two entries that exchange their codes are no conflict. One code for two entries is a conflict.
      const swapped = await load("own,source_code,list\nmtn-5gb,MTNDATA 93GB,data-bundles\nmtn-3gb,MTNDATA 94GB,\n");
      assert.equal(swapped.changes.length, 2);
      const wrong = "own,source_code\nmtn-7gb,MTNDATA 97GB\nmtn-5gb,MTNDATA 98GB\nmtn-9gb,MTNDATA nothing\n";
      await assert.rejects(
        load(wrong),
        /^CatalogueError: line 4: name the list of MTNDATA nothing\.\nline 3: MTNDATA 93GB of ebills has that code/,
      );
      assert.deepEqual((await decided()).slice(0, 2), [
        ["MTNDATA 93GB", "mtn-5gb"],
        ["MTNDATA 94GB", "mtn-3gb"],
      ]);
    });

    test("a source's entry is not mapped to a code that another entry of the source has as its own", async (t) => {
      const { pullApproved, run } = await openFollowing(t, engine);
      await pullApproved("vtpass");
      const set = (code: string, own: string) =>
        run("set", { source: "vtpass", list: "data-bundles", source_code: `MTNDATA ${code}`, own });
      await assert.rejects(set("mtn-1gb", "mtn-2gb"), /MTNDATA MTN-2GB of vtpass has that code/);
      await set("mtn-2gb", "none");
      assert.deepEqual(await set("mtn-1gb", "mtn-2gb"), { source: "vtpass", entries: 1, left: 0 });
    });

    test("a proposed mapping is not approved once the catalogue's entry is gone", async (t) => {
      const { at, restart, pull, pullApproved, run } = await openFollowing(t, engine);
      await pullApproved("vtpass");
      at.catalogue = await restart("ebills");
      await pull();
      await publishTo(at.catalogue, removed("MTNDATA MTN-5GB"), aboutTest, { guard: looseGuard });
      assert.deepEqual(await run("approve", { source: "ebills" }), { source: "ebills", entries: 11, left: 1 });
    });
  });

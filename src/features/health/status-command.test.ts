import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { sql } from "kysely";
import { ran } from "../../../test/support/command-line.ts";
import { usualEngines } from "../../../test/support/engines.ts";
import { startService, suiteService } from "../../../test/support/service.ts";
import { append } from "../../audit/append.ts";
import type { SourceState } from "../../commands/alarm.ts";
import { isSqlite } from "../../storage/engine.ts";
import { openStore, type Store } from "../../storage/store.ts";
import { pauseRoute, resumeRoute } from "../../verification/routes/paused-vendors.ts";
import { verification } from "../backup/backup.fixture.ts";
import { never } from "../sources/sync/record.ts";

const day = 86_400_000;

/** Simulates a full disk: reads work, and every write is refused. */
async function refuseWrites(db: Store["db"]): Promise<void> {
  const refusal = isSqlite(db)
    ? ["create trigger full before update on fact begin select raise(abort, 'disk full'); end"]
    : [
        "create function out_of_room() returns trigger language plpgsql as 'begin raise disk_full; end'",
        "create trigger out_of_room before update on fact for each row execute function out_of_room()",
      ];
  for (const statement of refusal) await sql.raw(statement).execute(db);
}

for (const engine of usualEngines) {
  suite(`duba status on ${engine.name}`, () => {
    const service = suiteService({}, engine);
    let environment: Record<string, string | undefined>;
    const duba = (...argv: string[]) => ran(argv, { environment });
    const status = async () => {
      const { exitCode, out } = await duba("status", "--json");
      return { exitCode, ...JSON.parse(out) };
    };

    before(async () => {
      const { dataDirectory, databaseUrl } = service.settings;
      environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl, DUBA_UPSTREAM_PRICES: "dojah.bvn=50" };
    });

    test("duba status reports a Node version with published security holes, and the version to install", async (t) => {
      t.mock.property(process, "versions", { ...process.versions, node: "26.12.0" });
      const { exitCode, node, needs } = await status();
      assert.deepEqual([exitCode, node, needs.length], [1, "26.12.0", 1]);
      assert.match(needs[0], /^Node 26\.12\.0, .* Install Node 26\.12\.1 or newer, and restart Duba with it\.$/);
    });

    test("duba status shows a healthy service on one screen", async () => {
      const { exitCode, out, err } = await duba("status");
      assert.deepEqual([exitCode, err], [0, ""]);
      assert.match(out, /^version +\d+\.\d+\.\d+\nnode +\d+\.\d+\.\d+\nstore +(SQLite in \/|PostgreSQL at )/);
      assert.match(out, /\nserving instances +1\ncatalogue +revision 1 of \d{4}-.*\+01\n/);
      assert.match(out, /\nlast backup +never\nkeys that end within 14 days +0\n\nNothing needs a hand\.\n$/);
      assert.ok(out.split("\n").length < 24);
      assert.ok(!out.includes("postgres:postgres") && !out.includes("@"), "no user, no password");
    });

    test("duba status names each problem, with what to do", async () => {
      const { db } = await service.store();
      const now = Date.now();
      const { id } = await service.newKey({ mode: "live", label: "till", expiresAt: now + 5 * day });
      await db
        .updateTable("api_key")
        .set({ created_at: now - 9 * day })
        .where("id", "=", id)
        .execute();
      const old = { ...verification, account_id: "a", key_id: "k", mode: "live", created_at: now - 2 * 3_600_000 };
      const row = { ...old, sealed_record: null, state: "unknown", charged: 0 as const, charged_at: null };
      await db.insertInto("verification").values(row).execute();
      await db
        .insertInto("verification")
        .values({ ...row, reference: "of-the-sandbox", mode: "test" })
        .execute();
      const vendor = {
        instance: "i",
        upstream: "dojah",
        state: "ready",
        alarm: "no_money",
        ill_since: now - 60_000,
        last_answer_at: null,
        balance: 100_000,
      };
      await db
        .insertInto("upstream_status")
        .values({ ...vendor, kinds: '["bvn"]', last_failures: "{}", noted_at: now })
        .execute();
      await duba("catalogue", "edit", "MTNDATA", "104", "--price", "5000");
      await duba("catalogue", "edit", "MTNDATA", "104", "--price", "6000");
      await db
        .updateTable("catalogue_draft")
        .set({ created_at: now - 2 * day })
        .where("id", "=", 3)
        .execute();

      const found = await status();
      assert.equal(found.exitCode, 1);
      assert.deepEqual(
        [found.unknown_verifications, found.vendors[0].name, found.vendors[0].state, found.held],
        [1, "dojah", "no_money", ["d2", "d3"]],
      );
      assert.deepEqual(
        found.expiring_keys.map((key: { id: string }) => key.id),
        [id],
      );
      const needs = [
        // First the alarms about money, oldest first; then those that wait for a person.
        /^1 live verification has no outcome for more than an hour\. See them: duba ledger list --state unknown$/,
        /^The vendor dojah has an empty wallet\. Top up at the vendor, .+\. See more: duba upstreams status$/,
        new RegExp(
          `^The key ${id} of sandbox@example\\.com ends \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\\S*\\. Replace it: duba keys roll ${id}$`,
        ),
        /^.+ \(MTNDATA 104\): ₦100 → ₦6,000 \(\+5,900 %\), by terminal:.+: duba catalogue show d3$/,
        /^.+ \(MTNDATA 104\): ₦100 → ₦5,000 \(\+4,900 %\), by terminal:.+: duba catalogue show d2$/,
        /^There is no backup yet\. Make one: duba backup <file>$/,
      ];
      assert.equal(found.needs.length, needs.length, found.needs.join("\n"));
      for (const [at, need] of needs.entries()) assert.match(found.needs[at], need);
      const { exitCode, out, err } = await duba("status");
      assert.deepEqual([exitCode, err], [1, ""], "a pipe has what needs a hand");
      const since = /\n {2}since \d{4}-\d\d-\d\d \d\d:\d\d\S*(?=\n)/g;
      const told = out.replaceAll(since, "");
      assert.ok(told.endsWith(`\n\n${found.needs.join("\n")}\n`), out);
      assert.equal(out.match(since)?.length, 5, "all but the backup say since when");
      assert.match(out, /\nvendors +dojah \(wallet is empty since \d{4}-\d\d-\d\d \d\d:\d\d\S*\)\n/);

      // An acknowledged alarm needs nobody, until the acknowledgement ends.
      const alarms = async () => {
        const listed = JSON.parse((await duba("alarms", "list", "--json")).out) as Record<string, string>[];
        return listed.map(({ alarm, state, note }) => [alarm, state, note]);
      };
      const open = await alarms();
      const listed = JSON.parse((await duba("alarms", "list", "--json")).out) as Record<string, unknown>[];
      const unknown = listed.find(({ alarm }) => alarm === "unknown")!;
      assert.deepEqual([unknown.count, unknown.since], [1, new Date(now - 2 * 3_600_000).toISOString()]);
      assert.deepEqual(
        listed.map(({ alarm, rank, since }) => [alarm, rank, since]),
        [
          ["unknown", 2, new Date(now - 2 * 3_600_000).toISOString()],
          ["vendor:dojah", 2, new Date(now - 60_000).toISOString()],
          [`key:${id}`, 3, new Date(now - 9 * day).toISOString()],
          ["held:d3", 3, new Date(now - 2 * day).toISOString()],
          ["held:d2", 3, listed.at(-2)!.since],
          ["backup", 3, null],
        ],
      );
      assert.ok(Date.parse(String(listed.at(-2)!.since)) >= now);
      assert.ok(open.every(([, state]) => state === "open"));
      assert.match((await duba("alarms", "list")).out, /^vendor:dojah +costs money +open /m);
      const note = "Paid them, duba_live_x and 08012345678";
      await duba("alarms", "acknowledge", "vendor:dojah", "--for", "2h", "--note", note);
      assert.deepEqual((await alarms())[1], ["vendor:dojah", "acknowledged", "Paid them, duba_… and …"]);
      const { needs: others, acknowledged } = await status();
      assert.deepEqual([others.length, acknowledged], [needs.length - 1, ["vendor:dojah"]]);
      await db.updateTable("alarm_acknowledgement").set({ until: now }).execute();
      assert.deepEqual(await alarms(), open);
      const nothing = await duba("alarms", "acknowledge", "vendor:nobody");
      assert.match(nothing.err, /^There is no such alarm\. There is unknown, vendor:dojah, key:/);
      assert.match((await duba("alarms", "acknowledge", "unknown", "--for", "31d")).err, /a length of time up to 30d/);

      // A rolled key ends on purpose.
      await duba("keys", "roll", id, "--overlap", "1h");
      await duba("keys", "change", id, "--expires", "3d");
      const [successor] = (await status()).expiring_keys;
      await duba("keys", "change", successor.id, "--expires", "never");
      assert.deepEqual((await status()).expiring_keys, []);
    });

    test("duba status states problem and remedy for each alarm of a vendor", async () => {
      const { db } = await service.store();
      const sentences = {
        no_money:
          "has an empty wallet. Top up at the vendor, then try it. A verification tries it a minute later, too.",
        bad_credentials: "refuses our credentials. It serves no attempt until somebody sets the right ones.",
        bad_settings: "refuses our settings. It serves no attempt until somebody corrects them.",
        answered_by_stand_in:
          "has a stand-in that answers in its place: its people are invented, so Duba rejects its answers. " +
          "Set the vendor's own address, or rehearse with DUBA_STAND_INS=on and a new data directory or database.",
        refused: "refuses all attempts. Its interface or our settings may have changed.",
        bad_response: "gives no plausible response. Its interface or our settings may have changed.",
        finds_nobody: "found none of 20 people in a row. Check its credentials, its product and our settings.",
        of_a_newer_version: "has the alarm of a newer version.",
      };
      const told: Record<string, string> = {};
      for (const alarm of Object.keys(sentences)) {
        await db.updateTable("upstream_status").set({ alarm }).execute();
        const { needs } = await status();
        told[alarm] = needs.find((need: string) => need.startsWith("The vendor dojah"));
      }
      await db.updateTable("upstream_status").set({ alarm: "no_money" }).execute();
      const wanted = Object.entries(sentences).map(([alarm, sentence]) => {
        // A trial would reach the stand-in too and prove nothing about the vendor, so the alarm offers no trial.
        const tries = alarm === "answered_by_stand_in" ? "" : "Try dojah: duba upstreams test dojah. ";
        return [alarm, `The vendor dojah ${sentence} ${tries}See more: duba upstreams status`];
      });
      assert.deepEqual(told, Object.fromEntries(wanted));
    });

    test("a vendor counts as unavailable until minutes pass without a failed attempt", async () => {
      const { db } = await service.store();
      const namesAfter = async (minutes: number) => {
        const failed = JSON.stringify({ no_money: Date.now() - minutes * 60_000 });
        await db.updateTable("upstream_status").set({ state: "half_open", last_failures: failed }).execute();
        return (await status()).alarms.map(({ alarm }: { alarm: string }) => alarm);
      };
      const [first] = await namesAfter(1);
      assert.equal(first, "no-vendor");
      const later = await namesAfter(6);
      assert.ok(later.includes("vendor:dojah") && !later.includes("no-vendor"), later.join());
      await db.updateTable("upstream_status").set({ state: "ready", last_failures: "{}" }).execute();
    });

    test("a pause for a check that the vendor does not offer has no effect anywhere", async () => {
      const store = await service.store();
      const room = { ...store, audit: append, actor: "terminal" };
      await store.db
        .updateTable("upstream_status")
        .set({ alarm: null, ill_since: null, noted_at: Date.now() })
        .execute();
      const refused = await duba("routes", "pause", "dojah", "--check", "nin");
      assert.deepEqual(
        [refused.exitCode, refused.err],
        [2, "--check must be one that dojah does: BVN.\nSee: duba routes pause --help\n"],
      );
      // The vendor may have offered the check when it was paused.
      await pauseRoute(room, { vendor: "dojah", kind: "nin", why: "load", until: null });
      const { vendors, alarms } = await status();
      assert.deepEqual([vendors[0].ready, vendors[0].paused_by, vendors[0].paused_checks], [true, null, []]);
      assert.deepEqual(
        alarms.filter(({ alarm }: { alarm: string }) => alarm.startsWith("paused")),
        [],
      );
      const shown = JSON.parse((await duba("upstreams", "show", "dojah", "--json")).out);
      assert.deepEqual([shown.state, shown.paused_by], ["ready", null]);
      await resumeRoute(room, { vendor: "dojah", kind: "nin" });
    });

    test("duba status omits the check of a pause if the vendor offers only one kind of check", async () => {
      const room = { ...(await service.store()), audit: append, actor: "terminal" };
      await pauseRoute(room, { vendor: "dojah", kind: "bvn", why: "load", until: null });
      const { vendors, needs } = await status();
      assert.deepEqual([vendors[0].paused, vendors[0].paused_checks], [true, ["bvn"]]);
      assert.ok(
        needs.some((need: string) => need.includes("The vendor dojah is paused by terminal until")),
        needs,
      );
      const { out } = await duba("status");
      assert.match(out, /^vendors +dojah \(paused by terminal\)$/m);
      await resumeRoute(room, { vendor: "dojah", kind: "bvn" });
    });

    test("duba status names each followed source, and the entries priced below cost", async () => {
      const { db } = await service.store();
      const [now, minute] = [Date.now(), 60_000];
      const lately = { ended_at: now, result: "unchanged", begun_at: now - minute, succeeded_at: now - minute };
      await db
        .insertInto("catalogue_source")
        .values([
          { source: "ebills", ...never, ...lately },
          { source: "vtpass", ...never, ...lately, result: "unreachable", succeeded_at: now - 50 * minute },
        ])
        .execute();
      for (const cost of ["60", "110"]) await duba("catalogue", "edit", "MTNDATA", "104", "--cost", cost);
      const usual = environment;
      environment = {
        ...usual,
        DUBA_CATALOGUE_SOURCE: "data-bundles=ebills,cable-products=vtpass,cable-add-ons=baxi",
        DUBA_VTPASS_API_KEY: "any",
        DUBA_VTPASS_PUBLIC_KEY: "any",
        DUBA_BAXI_KEY: "any",
      };

      const found = await status();
      const shown = found.sources.map(({ name, stale, missed }: SourceState) => [name, stale, missed]);
      assert.deepEqual(shown, [
        ["ebills", false, 0],
        ["vtpass", false, 3],
        ["baxi", true, 0],
      ]);
      const alarms = found.alarms.map(({ alarm }: { alarm: string }) => alarm);
      const needs = found.needs.filter((need: string) => need.includes("below cost"));
      // The first pull from baxi is still running, so it is not late.
      const told = ["source:vtpass", "below-cost"];
      assert.deepEqual(
        alarms.filter((name: string) => /^(source|below)/.test(name)),
        told,
      );
      assert.match(needs[0], /^A price is below cost\. MTNDATA 104: .* below its cost of ₦110\. See all: duba doctor$/);
      const { out } = await duba("status");
      assert.match(out, /\nsource ebills +as of 2.*\nsource vtpass +as of 2/);

      const failed = { source: "baxi", ...never, begun_at: now - minute, ended_at: now, result: "unreachable" };
      await db.insertInto("catalogue_source").values(failed).execute();
      const baxi = (await status()).alarms.find(({ alarm }: { alarm: string }) => alarm === "source:baxi");
      assert.deepEqual(
        [baxi.what, baxi.since],
        ["The source baxi has given no lists yet. See why: duba sources status", new Date(now - minute).toISOString()],
      );

      environment = usual;
      await duba("catalogue", "edit", "MTNDATA", "104", "--cost", "unknown");
      assert.ok(!(await duba("status")).out.includes("below cost"));
    });
  });

  test(`duba status reports that the store refuses writes and that its clock is behind, on ${engine.name}`, async () => {
    await using own = await startService({}, engine);
    const { dataDirectory, databaseUrl } = own.settings;
    const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
    const { db } = await own.store();
    const ahead = { id: "ahead", occurred_at: Date.now() + 300_000, kind: "k", actor: "system", facts: "{}" };
    await db
      .insertInto("audit_entry")
      .values({ ...ahead, batch: null, position: 0 })
      .execute();
    const begun = Date.now();
    await ran(["status"], { environment });
    const worked = Date.now();
    await refuseWrites(db);
    const { exitCode, out } = await ran(["status"], { environment });
    const listed = JSON.parse((await ran(["alarms", "list", "--json"], { environment })).out) as Record<
      string,
      string
    >[];
    const since = Date.parse(listed.find(({ alarm }) => alarm === "store")!.since!);
    assert.ok(begun <= since && since <= worked, "the last write that worked was that of the status before");
    assert.equal(exitCode, 1);
    assert.match(out, /^store +.*\(takes no writes\)$/m);
    assert.match(out, /^The store takes no writes, so each verification is answered 500\./m);
    assert.match(out, /^The clock is (?:29\d|300) seconds behind the newest entry of the audit trail\./m);
    if (databaseUrl === undefined) assert.match(out, /^room left +[\d.]+ [GM]iB$/m);
  });

  test(`duba status reports that no instance serves, on ${engine.name}`, async () => {
    const place = await engine.ready();
    const kept = { ...engine, ready: async () => ({ ...place, dispose: async () => {} }) };
    await (await startService({}, kept)).close();
    const { dataDirectory, databaseUrl } = place.settings;
    const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
    const { exitCode, out } = await ran(["status"], { environment });
    assert.equal(exitCode, 1);
    assert.match(out, /\n\nNo instance serves this store\. Start one: duba serve\n {2}runbook: DubaDown\n$/);
    // While the store refuses writes, no instance can report that it serves.
    const store = await openStore({ ...place.settings, serving: false });
    await refuseWrites(store.db);
    await store.close();
    const refusing = await ran(["status"], { environment });
    assert.equal(refusing.exitCode, 1);
    const { out: said } = refusing;
    const cause =
      engine.name === "sqlite" ? /Its disk is not full: .+ left\. Figures/ : /See whether PostgreSQL answers, /;
    assert.match(said, /\n\nThe store takes no writes, so each verification is answered 500\. .+\n {2}since .+\n$/);
    assert.match(said, cause);
    assert.match(said, /; runbook: DubaStoreAway\n$/);
    await place.dispose();
  });
}

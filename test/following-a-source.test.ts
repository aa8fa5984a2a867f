import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { looseGuard, priced, publisherOf } from "../src/catalogue/catalogue.fixture.ts";
import { nameLists } from "../src/catalogue/revisions/list-codes.ts";
import { publish } from "../src/catalogue/revisions/publish.ts";
import { readConfig } from "../src/config/read-config.ts";
import { type LiveSource, openSource } from "../src/features/sources/vendors/open-source.ts";
import { features } from "../src/features.ts";
import { silent } from "../src/runtime/log.ts";
import { openStore } from "../src/storage/store.ts";
import { openTerminal } from "./support/catalogue-terminal.ts";
import { makeStore, ran, terminalActor } from "./support/command-line.ts";
import { engines, usualEngines } from "./support/engines.ts";
import { type ServiceResponse, sandboxKey, startService, type TestService } from "./support/service.ts";
import { noticed } from "./support/until.ts";

const bundles = "/api/v2/internet/data/lookup?provider=MTNDATA";
const corporate = "/api/v2/corporate-data/list";
const about = { author: "ops", source: "test", note: "" };

const followed = (url: string) => ({
  DUBA_CATALOGUE_SOURCE: "peer",
  DUBA_CATALOGUE_PULL_EVERY: "24h",
  DUBA_PEER_URL: url,
  DUBA_PEER_EMAIL: "sandbox@example.com",
  DUBA_PEER_KEY: sandboxKey,
  DUBA_LIMITS: "off",
});

const priceIn = ({ json }: ServiceResponse): string => json.data.data[0].price;

for (const engine of usualEngines)
  suite(`following another Duba on ${engine.name}`, () => {
    let source: TestService;
    let service: TestService;
    let environment: Record<string, string | undefined>;
    const sources = (...argv: string[]) => ran(["sources", ...argv], { environment });
    const ask = (headers = {}) => service.ask(bundles, { headers });
    /** Changes the source's price, and waits until the service serves the new price. */
    const reprice = async (naira: number) => {
      const { db } = await source.store();
      const publisher = publisherOf(db, { guard: { ...looseGuard, factor: 100 } });
      await publish(publisher, priced("MTNDATA 104", naira * 100), about);
      await noticed(
        () => source.ask(bundles),
        (response) => priceIn(response) === String(naira),
      );
    };

    before(async () => {
      source = await startService({ DUBA_LIMITS: "off" }, engine);
      service = await startService(followed(source.url), engine);
      const { dataDirectory, databaseUrl } = service.settings;
      environment = { ...followed(source.url), DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
    });
    after(async () => {
      await service.close();
      await source.close();
    });

    test("the follower pulls at its start, and says when its catalogue last agreed with the source", async () => {
      const response = await noticed(ask, ({ headers }) => "duba-catalogue-as-of" in headers);
      assert.equal(response.headers["duba-catalogue-stale"], undefined);
      assert.ok(Date.now() - Date.parse(String(response.headers["duba-catalogue-as-of"])) < 60_000);
      assert.equal(
        (await service.ask(corporate)).headers["duba-catalogue-as-of"],
        response.headers["duba-catalogue-as-of"],
      );
      assert.equal((await source.ask(bundles)).headers["duba-catalogue-as-of"], undefined);
      assert.equal((await source.ask(bundles)).headers["duba-catalogue-stale"], undefined);
    });

    test("after a pull, a change at the source is a revision in every process", async () => {
      await reprice(110);
      const tried = await sources("pull", "--dry-run");
      assert.equal(tried.exitCode, 0);
      assert.match(tried.out, /data-bundles +MTNDATA 104 +₦100\.00 +₦110\.00 +\+10 % +price/);
      assert.match(tried.err, /Nothing was changed/);
      assert.equal(priceIn(await ask()), "100");
      const before = await ask();
      const pulled = await sources("pull");
      assert.equal(pulled.exitCode, 0, pulled.err);
      assert.match(pulled.out, /Revision 2 is published: 1 entry changed\.\n$/);
      const after = await noticed(ask, (response) => priceIn(response) === "110");
      assert.notEqual(after.headers.etag, before.headers.etag);
      const later = String(before.headers["duba-catalogue-as-of"]);
      await noticed(ask, ({ headers }) => String(headers["duba-catalogue-as-of"]) > later);
      assert.match((await sources("pull")).out, /^Nothing changed/);
      const { db } = await service.store();
      const [revision] = await db.selectFrom("catalogue_revision").selectAll().where("number", "=", 2).execute();
      assert.deepEqual([revision?.author, revision?.source], [terminalActor, "peer"]);
    });

    test("a second pull gives the same catalogue as a first pull at that time", async () => {
      const values = { url: source.url, email: "sandbox@example.com", key: sandboxKey };
      const [following, anew] = await Promise.all([1, 2].map(() => openSource("peer", values, silent)));
      const pull = async ({ pull }: LiveSource) => {
        const pulled = await pull(new AbortController().signal);
        assert.ok(pulled.kind === "whole", JSON.stringify(pulled));
        return pulled.lists;
      };
      try {
        await pull(following!);
        await reprice(115);
        const lists = await pull(following!);
        const whole = await pull(anew!);
        assert.ok(lists["data-bundles"]!.some(({ price }) => price === "115"));
        for (const [list, entries] of Object.entries(whole)) {
          const changed: object[] = lists[list as keyof typeof lists]!;
          assert.deepEqual(
            new Set(changed.map((entry) => JSON.stringify(entry))),
            new Set(entries.map((entry) => JSON.stringify(entry))),
          );
        }
        await reprice(110);
      } finally {
        await following!.close();
        await anew!.close();
      }
    });

    test("the change feed states the age of the lists", async () => {
      const changes = await service.ask("/api/v2/catalogue/changes");
      assert.equal(changes.headers["duba-catalogue-as-of"], (await ask()).headers["duba-catalogue-as-of"]);
      assert.equal((await source.ask("/api/v2/catalogue/changes")).headers["duba-catalogue-as-of"], undefined);
    });

    test("an unchanged answer states when the source confirmed it, with the same ETag", async () => {
      const first = await ask();
      const etag = String(first.headers.etag);
      assert.equal((await sources("pull")).exitCode, 0);
      const same = await noticed(
        () => ask({ "If-None-Match": etag }),
        ({ headers }) => headers["duba-catalogue-as-of"] !== first.headers["duba-catalogue-as-of"],
      );
      assert.equal(same.status, 304);
      assert.equal(same.headers.etag, etag);
    });

    test("the status shows the last pull, and its exit code is 0 if that pull is in order", async () => {
      const well = await sources("status");
      assert.equal(well.exitCode, 0, well.out + well.err);
      assert.match(well.out, /^source +followed +missing +last_pull_at +result +as_of +age +stale +held\n/);
      assert.match(well.out, /\npeer +yes .* unchanged .* 0 min +no +-\n/);
      const [facts] = JSON.parse((await sources("status", "--json")).out);
      assert.deepEqual(
        [facts.source, facts.followed, facts.result, facts.stale, facts.held, facts.under_way],
        ["peer", true, "unchanged", false, null, false],
      );
      assert.ok(Number.isInteger(facts.age_seconds));
    });

    test("a pull whose entries wait for a mapping says so, and its exit code is 1", async (t) => {
      const terminal = await openTerminal(engine);
      t.after(() => terminal.close());
      const { DUBA_DATA, DUBA_DATABASE_URL } = terminal.environment;
      const store = await openStore({ dataDirectory: DUBA_DATA!, databaseUrl: DUBA_DATABASE_URL, serving: false });
      await nameLists(store.db, "vtpass", ["data-bundles"], 0);
      await store.close();
      const own = { environment: { ...environment, ...terminal.environment } };
      const pulled = await ran(["sources", "pull"], own);
      assert.match(pulled.err, /data-bundles: \d+ of peer wait for a mapping, and are not served/);
      assert.match(
        pulled.err,
        /wait for a mapping, and entries that clients see stay as they were\.\nSee them: duba catalogue map list\n$/,
      );
      assert.doesNotMatch(pulled.out, /Nothing changed/);
      assert.equal(pulled.exitCode, 1);
      const [{ result }] = JSON.parse((await ran(["sources", "status", "--json"], own)).out);
      assert.equal(result, "unmapped");
    });

    test("a price that moves far is held, and the status says so", async () => {
      await reprice(550);
      const pulled = await sources("pull");
      assert.equal(pulled.exitCode, 1);
      assert.match(pulled.err, /waits for approval as d3\. Duba does not serve it yet/);
      assert.equal(priceIn(await ask()), "110");
      const status = await sources("status");
      assert.equal(status.exitCode, 1);
      assert.match(status.out, /peer +yes .* held .* no +d3\n/);
    });

    test("while the source is away, the last good catalogue is served, and the commands say why", async () => {
      const away = { ...environment, DUBA_PEER_URL: "http://127.0.0.1:1" };
      for (const argv of [
        ["sources", "pull"],
        ["sources", "pull", "--dry-run"],
      ]) {
        const pulled = await ran(argv, { environment: away });
        assert.equal(pulled.exitCode, 1);
        assert.match(
          pulled.err,
          /^Duba changed nothing after the pull from peer:\nIt gives no access token now \(not_reached\)\.\n$/,
        );
      }
      assert.equal(priceIn(await ask()), "110");
      const status = await sources("status");
      assert.equal(status.exitCode, 1);
      assert.match(status.out, /unreachable/);
    });
  });

suite("a source that is followed", () => {
  test("answers are marked as stale when the last successful pull is too long ago", async (t) => {
    const source = await startService();
    const service = await startService(followed(source.url), undefined, { fixed: { staleAfter: 1000 } });
    t.after(() => service.close());
    const ask = () => service.ask(bundles);
    const asOf = (response: ServiceResponse) => response.headers["duba-catalogue-as-of"];
    const fresh = await noticed(ask, (response) => asOf(response) !== undefined);
    await source.close();
    const stale = await noticed(ask, ({ headers }) => headers["duba-catalogue-stale"] === "true");
    assert.equal(stale.status, 200);
    assert.equal(asOf(stale), asOf(fresh));
  });

  test("settings that name an unknown source, or one that is not set up, are refused", () => {
    const problemsOf = (environment: Record<string, string>) => {
      try {
        readConfig(environment, features);
      } catch (error) {
        return (error as Error).message;
      }
      return "";
    };
    assert.equal(
      problemsOf({ DUBA_CATALOGUE_SOURCE: "vtpass" }),
      "DUBA_CATALOGUE_SOURCE names vtpass, but DUBA_VTPASS_API_KEY, DUBA_VTPASS_PUBLIC_KEY must be set for it.",
    );
    assert.match(problemsOf({ DUBA_CATALOGUE_SOURCE: "dojah" }), /^DUBA_CATALOGUE_SOURCE must be peer, vtpass/);
    const several = "data-bundles=ebills,cable-products=vtpass,cable-add-ons=baxi";
    assert.equal(
      problemsOf({ DUBA_CATALOGUE_SOURCE: several, DUBA_BAXI_KEY: "k" }),
      "DUBA_CATALOGUE_SOURCE names vtpass, but DUBA_VTPASS_API_KEY, DUBA_VTPASS_PUBLIC_KEY must be set for it.",
    );
    for (const wrong of [
      "data-bundles",
      "data-bundles=baxi",
      "bundles=ebills",
      "data-bundles=ebills+vtpass",
      "data-bundles=ebills,data-bundles=vtpass",
      "data-bundles=ebills,",
    ])
      assert.match(problemsOf({ DUBA_CATALOGUE_SOURCE: wrong }), /^DUBA_CATALOGUE_SOURCE must be peer, vtpass/, wrong);
    assert.match(
      problemsOf({ DUBA_CATALOGUE_SOURCE: "data-bundles=baxi,cable-products=ebills" }),
      /, or empty\. baxi has no data-bundles, only cable-products, cable-add-ons\.$/,
    );
    const shared = problemsOf({ DUBA_PEER_URL: "nowhere", DUBA_CATALOGUE_SOURCE: "peer" });
    assert.equal(shared.match(/DUBA_PEER_URL must be/g)?.length, 1);
  });

  test("a source is listed with its missing settings, and cannot be pulled without them", async (t) => {
    const { settings, dispose } = await engines[0]!.fresh();
    t.after(dispose);
    await makeStore(settings);
    const environment = { DUBA_DATA: settings.dataDirectory };
    const listed = await ran(["sources", "status", "--all"], {
      environment: { ...environment, DUBA_VTPASS_API_KEY: "k" },
    });
    assert.equal(listed.exitCode, 0);
    assert.match(listed.out, /^vtpass +no +DUBA_VTPASS_PUBLIC_KEY /m);
    assert.match(listed.err, /^vtpass: VTpass's .* It has data-bundles, cable-products\.$/m);
    const pulled = await ran(["sources", "pull", "vtpass"], { environment });
    assert.equal(pulled.exitCode, 2);
    assert.match(pulled.err, /vtpass is not set up\. Set DUBA_VTPASS_API_KEY, DUBA_VTPASS_PUBLIC_KEY\./);
    const sources = { ...environment, DUBA_CATALOGUE_SOURCE: "data-bundles=ebills,cable-products=vtpass" };
    const keys = { DUBA_VTPASS_API_KEY: "k", DUBA_VTPASS_PUBLIC_KEY: "k" };
    const status = await ran(["sources", "status"], { environment: { ...sources, ...keys } });
    assert.equal(status.exitCode, 1);
    assert.match(status.err, /not pulled from vtpass yet.*\n.*not pulled from ebills yet/);
    assert.match(
      (await ran(["sources", "pull"], { environment: { ...sources, ...keys } })).err,
      /Several sources are selected\. Name one: ebills, vtpass\./,
    );
    assert.match(
      (await ran(["sources", "pull"], { environment })).err,
      /No source is selected\. Name one, or set DUBA_CATALOGUE_SOURCE\./,
    );
  });
});

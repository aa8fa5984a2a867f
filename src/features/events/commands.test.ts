import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { type Engine, usualEngines } from "../../../test/support/engines.ts";
import { suiteService } from "../../../test/support/service.ts";
import { until } from "../../../test/support/until.ts";
import { eventTypeNames } from "../../declare/event.ts";
import { openReceiver, readDelivery } from "./events.fixture.ts";

for (const engine of usualEngines)
  suite(`commands of events on ${engine.name}`, () => {
    const service = suiteService({ DUBA_EVENT_NETWORKS: "127.0.0.0/8" }, engine as Engine);
    let environment: Record<string, string | undefined>;
    const duba = (...argv: string[]) => ran(argv, { environment });
    const done = async (...argv: string[]) => {
      const { exitCode, out, err } = await duba(...argv, "--json");
      assert.equal(exitCode, 0, err);
      return JSON.parse(out);
    };
    const revoke = async () => {
      const { id } = await service.newKey();
      assert.equal((await duba("keys", "revoke", id, "--yes")).exitCode, 0);
      return id;
    };

    before(async () => {
      const { dataDirectory, databaseUrl } = service.settings;
      environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl, DUBA_EVENT_NETWORKS: "127.0.0.0/8" };
    });

    test("an endpoint receives a command's event with the body that the event feed shows", async (t) => {
      const receiver = await openReceiver();
      t.after(() => receiver.close());
      const [added, live] = [
        await done("events", "endpoints", "add", receiver.url, "--account", "sandbox@example.com", "--mode", "test"),
        await done("events", "endpoints", "add", receiver.url, "--account", "sandbox@example.com"),
      ];
      assert.match(added.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.deepEqual([live.mode, live.account, live.types], ["live", "sandbox@example.com", eventTypeNames]);
      const { next } = (await service.ask("/api/v2/events")).json;
      const tested = await done("events", "endpoints", "test", added.id);
      assert.deepEqual([tested.delivered, tested.outcome], [true, "204"]);
      const { type, data } = readDelivery(added.secret, receiver.received.pop()!) as Record<string, unknown>;
      assert.deepEqual({ type, data }, { type: "endpoint.test", data: { endpoint: added.id } });

      const key = await revoke();
      await until(() => receiver.received.length === 1);
      const [delivery] = receiver.received;
      const polled = (await service.ask(`/api/v2/events?after=${next}`)).json;
      assert.deepEqual(polled.data, [JSON.parse(delivery!.body)]);
      assert.deepEqual(polled.data, [readDelivery(added.secret, delivery!)]);
      assert.deepEqual(
        [polled.data[0].type, polled.data[0].data.key, polled.data[0].mode],
        ["key.revoked", key, "test"],
      );

      const listed = await done("events", "endpoints", "list", "--account", "sandbox@example.com");
      assert.deepEqual(
        listed.map(({ id }: { id: string }) => id),
        [added.id, live.id],
      );
      for (const { id } of listed) await done("events", "endpoints", "remove", id, "--yes");
      assert.deepEqual(await done("events", "endpoints", "list"), []);
      const none = "There is no endpoint.";
      assert.equal((await duba("events", "endpoints", "list")).out, `${none} A client without one gets no events.\n`);
      const ofOne = await duba("events", "endpoints", "list", "--account", "sandbox@example.com");
      assert.equal(ofOne.out, `${none}\n`, "a filter may leave others out");
    });

    test("dead deliveries are listed, shown by the status, and sent again", async (t) => {
      const receiver = await openReceiver();
      t.after(() => receiver.close());
      const { id } = await done(
        "events",
        "endpoints",
        "add",
        receiver.url,
        "--account",
        "sandbox@example.com",
        "--mode",
        "test",
      );
      receiver.behaves = () => 500;
      const { db } = await service.store();
      await revoke();
      await until(() => receiver.received.length === 1);
      await until(async () => (await done("events", "list", "--endpoint", id))[0].attempts === 1);
      const overdue = { give_up_at: 0 };
      await db.updateTable("event_delivery").set(overdue).where("endpoint_id", "=", id).execute();
      await db.updateTable("event_endpoint").set({ next_at: 0 }).where("id", "=", id).execute();
      await until(async () => (await done("events", "list", "--state", "dead")).length === 1);
      const [dead] = await done("events", "list", "--state", "dead");
      assert.deepEqual([dead.type, dead.attempts, dead.outcome], ["key.revoked", 2, "500"]);
      const status = await duba("status", "--json");
      assert.equal(status.exitCode, 1);
      const { dead_deliveries, needs } = JSON.parse(status.out);
      assert.equal(dead_deliveries, 1);
      assert.ok(needs.some((sentence: string) => sentence.includes("duba events resend")));
      receiver.behaves = () => 204;
      assert.deepEqual(await done("events", "resend", id), { endpoint: id, events: 1 });
      await until(() => receiver.received.length === 3);
      assert.equal(new Set(receiver.ids()).size, 1);
      assert.match((await duba("events", "resend", id)).err, /No event is dead/);
    });

    test("an account has at most 10 endpoints in a mode, each with a URL of its own", async () => {
      const account = ["--account", await service.newAccount(`Many-${engine.name}`)];
      const add = (end: number, ...more: string[]) =>
        duba("events", "endpoints", "add", `https://shop.example.com/${end}`, ...account, ...more);
      const all = await Promise.all(Array.from({ length: 12 }, (_, end) => add(end)));
      assert.deepEqual(all.map(({ exitCode }) => exitCode).toSorted(), [...Array(10).fill(0), 1, 1]);
      assert.match(all.find(({ exitCode }) => exitCode === 1)!.err, /has 10 endpoints already/);
      assert.equal((await add(1, "--mode", "test")).exitCode, 0);
      assert.match((await add(1, "--mode", "test")).err, /The endpoint ep_\S{12} has this URL already/);
    });

    test("an endpoint's path is not shown when it is added or listed, because it may be a secret", async () => {
      const account = ["--account", await service.newAccount(`Secret-${engine.name}`)];
      const url = "https://hooks.example.com/services/T0/canary?token=canary";
      const added = await duba("events", "endpoints", "add", url, ...account);
      const listed = await duba("events", "endpoints", "list", ...account);
      for (const { exitCode, out } of [added, listed]) {
        assert.deepEqual([exitCode, out.includes("canary")], [0, false]);
      }
      assert.match(listed.out, /https:\/\/hooks\.example\.com\/…/);
    });

    test("several endpoints on one host have different names, the same in the list as at their addition", async () => {
      const account = ["--account", await service.newAccount(`Eight-${engine.name}`)];
      const shownIn = (out: string) => out.match(/https:\/\/many\.example\.com\/…[0-9a-f]{4}/g) ?? [];
      const added: string[] = [];
      for (let end = 1; end <= 8; end += 1) {
        const url = `https://many.example.com/hooks/shop?number=${end}`;
        added.push(JSON.parse((await duba("events", "endpoints", "add", url, ...account, "--json")).out).url);
      }
      assert.equal(new Set(shownIn(added.join(" "))).size, 8);
      assert.deepEqual(shownIn((await duba("events", "endpoints", "list", ...account)).out), added);
    });

    test("the test of a redirecting endpoint names the target's host, without the path", async (t) => {
      const receiver = await openReceiver();
      t.after(() => receiver.close());
      const account = ["--account", await service.newAccount(`Redirects-${engine.name}`)];
      const url = receiver.url.replace(/\/?$/, "/hook");
      const added = await duba("events", "endpoints", "add", url, ...account, "--mode", "test", "--json");
      const testIt = async (...more: string[]) =>
        duba("events", "endpoints", "test", JSON.parse(added.out).id, ...more);
      receiver.behaves = () => ({ redirect: "https://user:canary@www.example.com/canary?token=canary" });
      const { exitCode, out } = await testIt();
      assert.equal(exitCode, 1);
      assert.match(
        out,
        /it answered 302 and points to https:\/\/www\.example\.com\/…[0-9a-f]{4}\. Duba follows no redirect/,
      );
      assert.doesNotMatch(out, /canary|user/);
      receiver.behaves = () => ({ redirect: "/hook/" });
      const { origin } = new URL(receiver.url);
      assert.ok(JSON.parse((await testIt("--json")).out).points_to.startsWith(`${origin}/…`));
      for (const odd of ["mailto:somebody@example.com", "http://[", `/${"x".repeat(2_001)}`]) {
        receiver.behaves = () => ({ redirect: odd });
        assert.match((await testIt()).out, /: it answered 302\.\n/);
      }
    });

    test("bad endpoints are refused with a sentence", async () => {
      const closed = { ...environment, DUBA_EVENT_NETWORKS: "" };
      const refusal = async (url: string, ...more: string[]) => {
        const { exitCode, err } = await ran(["events", "endpoints", "add", url, ...more], { environment: closed });
        assert.equal(exitCode, 2);
        return err;
      };
      for (const url of [
        "ftp://shop.example.com",
        "shop.example.com",
        "https://ada:secret@shop.example.com",
        "https://x/#a",
      ])
        assert.match(await refusal(url), /must be an https:\/\/ URL/);
      for (const host of ["127.0.0.1", "10.1.2.3", "[::1]", "2130706433", "169.254.169.254"])
        assert.match(await refusal(`https://${host}/`), /private or reserved/);
      assert.match(await refusal("http://shop.example.com/"), /Use an https:\/\/ URL/);
      const account = ["--account", "sandbox@example.com"];
      assert.match(await refusal("https://shop.example.com/", ...account, "--type", "vendor.alarm"), /Only operators/);
      assert.match((await duba("events", "endpoints", "test", "ep_none")).err, /No endpoint has this id/);
    });
  });

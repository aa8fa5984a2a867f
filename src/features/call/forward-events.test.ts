import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { suiteService } from "../../../test/support/service.ts";
import { until } from "../../../test/support/until.ts";
import { run } from "../../cli/program.ts";
import { announce } from "../../storage/events/announce.ts";
import { openReceiver, readDelivery } from "../events/events.fixture.ts";

suite("duba listen", () => {
  const service = suiteService({ DUBA_LIMITS: "off" });
  const duba = (...argv: string[]) => ran(argv, { environment: { DUBA_DATA: service.settings.dataDirectory } });

  test("each event is forwarded once, signed like a webhook, with its response and the next cursor", async (t) => {
    const receiver = await openReceiver();
    t.after(() => receiver.close());
    const account = await service.newAccount("Listens");
    const [mine, first, second] = [1, 2, 3].map(() => service.newKey({ account }));
    const { text: key, id } = await mine!;
    await duba("keys", "revoke", (await first!).id, "--yes");
    // The service's first catalogue is the first event.
    receiver.behaves = () => (receiver.received.length <= 2 ? 204 : 500);
    const listening = ran(["listen", "after=0", "--forward-to", receiver.url, "--json"], {
      environment: { DUBA_URL: service.url, DUBA_API_KEY: key },
    });
    await until(() => receiver.received.length === 2);
    await duba("keys", "revoke", (await second!).id, "--yes");
    await until(() => receiver.received.length === 3);
    await duba("keys", "revoke", id, "--yes");
    const { exitCode, out, err } = await listening;
    assert.equal(exitCode, 1);
    const [, secret = ""] = /signed with (whsec_\S+)/.exec(err) ?? [];
    const events = receiver.received.map((delivery) => readDelivery(secret, delivery) as { id: string; type: string });
    assert.deepEqual(
      out
        .trimEnd()
        .split("\n")
        // The last line is the failure of the call with the revoked key.
        .slice(0, -1)
        .map((line) => {
          const { ms, ...facts } = JSON.parse(line);
          assert.ok(ms >= 0);
          return facts;
        }),
      events.map(({ id, type }, at) => ({
        event: id,
        type,
        request_reference: null,
        outcome: at < 2 ? "204" : "500",
      })),
    );
    assert.deepEqual(receiver.ids(), [...new Set(receiver.ids())]);
    const goesOn = new RegExp(
      `^To go on from here: duba listen --since \\S{72} --forward-to ${receiver.url} --secret `,
      "m",
    );
    assert.match(err, goesOn);
  });

  test("duba listen starts at a given time or cursor", async () => {
    const { text: key, id } = await service.newKey({ account: await service.newAccount("Resumes") });
    const { account } = (await service.ask("/api/v2/me", { credential: key })).json.data;
    const { db } = await service.store();
    const hour = 3_600_000;
    const happened = (ago: number, at = Date.now() - ago) => {
      const data = { key: `${ago / hour}hoursago`, revoked_at: new Date().toISOString() };
      const about = { audience: account.id, mode: null, about: String(ago) };
      return announce(db, { type: "key.revoked", ...about, data, at });
    };
    const twoHoursAgo = Math.floor(Date.now() / 1000) * 1000 - 2 * hour;
    for (const ago of [5, 3]) await happened(ago * hour);
    await happened(2 * hour, twoHoursAgo);
    await happened(hour);
    const { next } = (await service.ask("/api/v2/events", { credential: key })).json;
    await happened(hour / 2);
    const outs = ["4h", new Date(twoHoursAgo).toISOString().replace(".000", ""), next, "0"].map((since) => ({
      since,
      out: "",
    }));
    const environment = { DUBA_URL: service.url, DUBA_API_KEY: key, DUBA_TIME_ZONE: "Africa/Lagos" };
    const stdin = (async function* () {})();
    const listening = outs.map((each) => {
      const out = (text: string) => {
        each.out += text;
      };
      return run(["listen", "--since", each.since, "--json"], { out, err: () => {}, environment, stdin });
    });
    await until(() => outs.every(({ out }) => out.includes("0.5hoursago")));
    await duba("keys", "revoke", id, "--yes");
    await Promise.all(listening);
    assert.deepEqual(
      outs.map(({ out }) => [...out.matchAll(/"([\d.]+)hoursago/g)].map(([, ago]) => Number(ago))),
      [[3, 2, 1, 0.5], [2, 1, 0.5], [0.5], [5, 3, 2, 1, 0.5]],
    );
  });

  test("duba listen hears what duba trigger makes", async (t) => {
    const receiver = await openReceiver();
    t.after(() => receiver.close());
    const { text: key, id } = await service.newKey({ account: await service.newAccount("Triggers") });
    const environment = { DUBA_URL: service.url, DUBA_API_KEY: key };
    assert.equal((await ran(["trigger", "account.cap_warning"], { environment })).exitCode, 0);
    // `--forward-to` implies `--follow`.
    const listening = ran(["call", "listEvents", "after=0", "--forward-to", receiver.url], { environment });
    await until(() => receiver.received.length === 2);
    await duba("keys", "revoke", id, "--yes");
    await listening;
    const { type, rehearsed } = JSON.parse(receiver.received[1]!.body);
    assert.deepEqual([type, rehearsed], ["account.cap_warning", true]);
  });

  test("duba listen prints all events in the same columns, whatever their types and outcomes", async (t) => {
    const receiver = await openReceiver();
    t.after(() => receiver.close());
    receiver.behaves = () => (receiver.received.length === 2 ? "break" : 204);
    const { text: key, id } = await service.newKey({ account: await service.newAccount("Columns") });
    const environment = { DUBA_URL: service.url, DUBA_API_KEY: key };
    for (const type of ["account.cap_warning", "key.expiring", "verification.settled"])
      assert.equal((await ran(["trigger", type], { environment })).exitCode, 0);
    const listening = ran(["call", "listEvents", "after=0", "--forward-to", receiver.url], { environment });
    await until(() => receiver.received.length === 4);
    await duba("keys", "revoke", id, "--yes");
    const [head = "", ...lines] = (await listening).out.trimEnd().split("\n");
    assert.equal(lines.length, 4);
    for (const column of ["type", "request_reference", "outcome", "ms"])
      for (const line of lines) assert.match(line.slice(head.indexOf(column) - 2), /^ {2}\S/, `${head}\n${line}`);
  });

  test("duba listen explains the form of a wrong URL, secret or start", async () => {
    const listen = (...argv: string[]) => ran(["listen", ...argv], { environment: { DUBA_URL: service.url } });
    assert.match(
      (await listen("--forward-to", "localhost:3000")).err,
      /--forward-to must be an http:\/\/ or https:\/\/ URL/,
    );
    const { exitCode, err } = await listen("--forward-to", "http://127.0.0.1:1", "--secret", "hush");
    assert.deepEqual([exitCode, /whsec_ and then base64/.test(err)], [2, true]);
    assert.match((await listen("--secret", "hush")).err, /give both/);
    assert.match(
      (await listen("--since", "noon")).err,
      /--since must be a time ago such as 30min, .* 0 for the oldest/,
    );
    assert.match((await listen("after=0", "--since", "1h")).err, /give one/);
  });
});

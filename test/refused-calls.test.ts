import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { recorded } from "../src/access/access.fixture.ts";
import { changeTerms, topUp } from "../src/access/accounts/terms.ts";
import { argumentsOf } from "../src/declare/command/example-line.ts";
import { type Operators, startOperators } from "../src/features/console/operators.fixture.ts";
import { pathOf } from "../src/features/console/site-map.ts";
import { TimeZone } from "../src/runtime/time-zone.ts";
import { json, LocalVendor } from "../src/vendors/local-vendor.fixture.ts";
import { everyCommand } from "../src/wire/every-command.ts";
import foundFile from "../stand-ins/dojah/samples/found.json" with { type: "json" };
import { type Ran, ran } from "./support/command-line.ts";
import { usualEngines } from "./support/engines.ts";
import { noticed } from "./support/until.ts";

const { sample: found } = foundFile;

const lookUp = "/api/v2/corporate-data/list";

type Texts = Record<string, string | true>;

interface Client {
  name: string;
  email: string;
  key: { id: string; text: string };
}

/** A command with its input, by the client that the command affects. */
interface Deed {
  id: string;
  texts: (client: Client) => Texts;
  /** Whether the client is prepaid, with a balance of ₦1,000. */
  isPrepaid?: true;
  /** Whether the client's next call is refused. */
  refuses: boolean;
}

const terms = (texts: Texts, refuses: boolean): Deed => ({
  id: "accounts.change",
  texts: ({ email }) => ({ account: email, ...texts }),
  refuses,
});
const key = (id: string, texts: Texts, refuses: boolean): Deed => ({
  id: `keys.${id}`,
  texts: ({ key }) => ({ id: key.id, ...texts }),
  refuses,
});
const topUpBy = (amount: string, more: Texts, refuses: boolean): Deed => ({
  id: "accounts.top-up",
  texts: ({ email }) => ({ account: email, amount, reason: "Transfer", ...more }),
  isPrepaid: true,
  refuses,
});
const correction = (more: Texts, refuses: boolean): Deed => ({
  id: "books.adjust",
  texts: ({ email }) => ({ account: email, reason: "As agreed", sure: true, ...more }),
  isPrepaid: true,
  refuses,
});

/** Each client was charged ₦100.00 for one verification. */
const deeds: Deed[] = [
  terms({ cap_naira: "50" }, true),
  terms({ cap_naira: "100" }, true),
  terms({ cap_count: "1" }, true),
  terms({ prepaid: "on" }, true),
  terms({ limit_verification: "1/day" }, true),
  { ...terms({ bvn_fee: "950" }, true), isPrepaid: true },
  { ...terms({ bvn_fee: "900" }, false), isPrepaid: true },
  terms({ cap_naira: "300", cap_count: "2" }, false),
  terms({ limit_verification: "300/min", limit_negatives: "1/day", name: "Other" }, false),
  topUpBy("850", { take_back: true }, true),
  topUpBy("500", { take_back: true }, false),
  topUpBy("500", {}, false),
  correction({ debit: "850" }, true),
  correction({ debit: "100" }, false),
  { id: "accounts.suspend", texts: ({ email }) => ({ account: email }), refuses: true },
  key("revoke", {}, true),
  { id: "keys.revoke-all", texts: ({ email }) => ({ account: email }), refuses: true },
  key("roll", { overlap: "0s" }, true),
  key("roll", {}, false),
  key("change", { scope: "catalogue:read" }, true),
  key("change", { address: "10.0.0.0/8" }, true),
  key("change", { label: "till", expires: "90d" }, false),
];

/**
 * The other commands that change something, by what they change. No client's next call is refused because of one of
 * them.
 */
const others: Record<string, readonly string[]> = {
  "new or open again": ["accounts.create", "accounts.resume", "keys.create", "routes.resume", "sources.pull"],
  "words on a record": ["accounts.note", "ledger.note", "alarms.acknowledge", "alarms.acknowledge-all"],
  "what has no outcome yet, or had one": [
    ...["ledger.release", "ledger.settle", "books.settle-unknown", "books.price", "books.rebuild-sums"],
  ],
  "people of the console": [
    ...["people.invite", "people.change", "people.remove", "passkeys.add", "passkeys.remove"],
    ...["sessions.end", "sessions.end-others"],
  ],
  webhooks: [
    ...["events.endpoints.add", "events.endpoints.roll", "events.endpoints.remove"],
    ...["events.resend", "events.resend-all"],
  ],
  "one person, whose next verification is a new one": ["subjects.export", "subjects.erase"],
  "prices, codes and what is to be had: look-ups answer with them, or without them": [
    ...["catalogue.reject", "catalogue.edit", "catalogue.change-prices", "catalogue.map.propose"],
    ...["catalogue.map.approve", "catalogue.map.set", "catalogue.map.import", "prices.set", "prices.remove"],
    "prices.join",
  ],
  "a number of the vendor's own": ["upstreams.test"],
};

const commands = new Map((await everyCommand()).map((command) => [command.id, command]));

test("every changing command is tested for its effect on calls, or is listed as having no effect", () => {
  const changing = [...commands.values()].filter(({ kind, only }) => kind !== "read" && only !== "terminal");
  const removing = ["catalogue.import", "catalogue.revert", "catalogue.approve"];
  const tried = [...deeds.map(({ id }) => id), "routes.pause", ...removing];
  assert.deepEqual(
    changing.map(({ id }) => id).sort(),
    [...new Set([...tried, ...Object.values(others).flat()])].sort(),
  );
});

for (const engine of usualEngines)
  suite(`a deed that refuses calls says so before it is done, on ${engine.name}`, () => {
    let vendor: LocalVendor;
    let operators: Operators;
    const duba = (argv: readonly string[], stdin?: string): Promise<Ran> => {
      const { dataDirectory, databaseUrl } = operators.service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      return ran(argv, { environment, ...(stdin !== undefined && { stdin, isTTY: true }) });
    };
    const call = async ({ key }: Client) => {
      const body = { bvn: found.entity.bvn, phone: found.entity.phone_number1, amount: "100" };
      const path = "/api/v2/kyc/verify-bvn";
      return (await operators.service.ask(path, { method: "POST", body, credential: key.text })).status;
    };
    const clientOf = async (name: string, isPrepaid = false): Promise<Client> => {
      const { service } = operators;
      const email = await service.newAccount(name);
      if (isPrepaid) {
        const { db } = await service.store();
        await changeTerms(recorded(db), email, { prepaid: true }, new TimeZone("Africa/Lagos"));
        await topUp(recorded(db), email, { kobo: 100_000, reason: "Transfer" });
      }
      return { name, email, key: await service.newKey({ account: email, mode: "live" }) };
    };
    /**
     * The text that a person reads before the command runs: the question at the terminal, and the page of the console.
     * The command does not run.
     */
    const asked = async (id: string, texts: Texts) => {
      const command = commands.get(id)!;
      const fields = Object.entries(texts).map(([name, text]) => [name, text === true ? "on" : text]);
      const { json } = await operators.deedOf(pathOf(command), operators.by.officer, Object.fromEntries(fields));
      const { exitCode, err } = await duba(argumentsOf(command, texts), "no\n");
      return { page: json.page ?? "", isDanger: /button danger/.test(json.page), exitCode, err };
    };
    const names = ({ name, email }: Client, { page, err }: { page: string; err: string }) => {
      for (const [said, client, time] of [
        [page, name, /<time /],
        [err, email, /\d{4}-\d{2}-\d{2} \d{2}:\d{2}/],
      ] as const) {
        assert.ok(said.includes(client), said);
        assert.match(said, /₦[\d,]+\.\d{2}|asked once/);
        assert.match(said, time);
        assert.match(said, / at once/);
      }
    };

    before(async () => {
      vendor = await LocalVendor.start();
      vendor.behaviour = json(200, found);
      operators = await startOperators(engine, {
        DUBA_LIMITS: "off",
        DUBA_TIME_ZONE: "Africa/Lagos",
        DUBA_UPSTREAMS: "dojah",
        DUBA_DOJAH_URL: vendor.url,
        DUBA_DOJAH_APP_ID: "app",
        DUBA_DOJAH_KEY: "key",
      });
    });
    after(async () => {
      await operators.service.close();
      await vendor.close();
    });

    test("a command after which a client's calls are refused names client, sum and time first", async () => {
      const clients: Client[] = [];
      for (const [at, { id, texts, isPrepaid = false, refuses }] of deeds.entries()) {
        const client = await clientOf(`Till${at}`, isPrepaid);
        clients.push(client);
        assert.equal(await call(client), 200);
        const said = await asked(id, texts(client));
        const named = `${id} ${JSON.stringify(texts(client))}`;
        assert.equal(said.isDanger, refuses, named);
        if (refuses) {
          names(client, said);
          assert.match(said.err, /You did not confirm/);
          const alone = await duba(argumentsOf(commands.get(id)!, texts(client)));
          assert.equal(alone.exitCode, 2, alone.err);
          names(client, { ...said, err: alone.err });
          const done = await duba([...argumentsOf(commands.get(id)!, texts(client)), "--yes"]);
          assert.equal(done.exitCode, 0, done.err);
        } else assert.equal(said.exitCode, 0, said.err);
      }
      // Once the service has the last change, the service has all changes.
      const last = await clientOf("Last");
      const look = async () => (await operators.service.ask(lookUp, { credential: last.key.text })).status;
      assert.equal(await look(), 200);
      await duba(["accounts", "suspend", last.email, "--yes"]);
      await noticed(look, (status) => status === 401);
      for (const [at, { id, texts, refuses }] of deeds.entries()) {
        const status = await call(clients[at]!);
        assert.equal(status !== 200, refuses, `${id} ${JSON.stringify(texts(clients[at]!))}: ${status}`);
      }
    });

    test("a change that locks out a key's last address names that address", async () => {
      const client = await clientOf("Kiosk");
      assert.equal(await call(client), 200);
      const { db } = await operators.service.store();
      await db
        .insertInto("key_use")
        .values({ key_id: client.key.id, used_at: Date.now(), address: "127.0.0.1" })
        .execute();
      const { err, page } = await asked("keys.change", { id: client.key.id, address: "10.0.0.0/8" });
      for (const said of [err, page]) assert.match(said, /from 127\.0\.0\.1, as the last one, are refused at once/);
      const inside = await asked("keys.change", { id: client.key.id, address: "127.0.0.0/8" });
      assert.deepEqual([inside.exitCode, inside.isDanger], [0, false]);
    });

    test("a top-up asks for confirmation if the client is not prepaid, or if it repeats the last one", async () => {
      const client = await clientOf("Corner");
      const { id, texts } = topUpBy("500", {}, false);
      const idle = await asked(id, texts(client));
      assert.match(idle.err, /corner@example\.com is not prepaid: it uses its balance once it is\. To confirm, type /);
      assert.match(idle.page, /Corner<\/?[^>]*> is not prepaid|Corner is not prepaid/);
      const prepaid = await clientOf("Stall", true);
      assert.equal((await asked(id, texts(prepaid))).exitCode, 0);
      const again = await asked(id, texts(prepaid));
      assert.match(again.err, /The same amount came before: .+\. To confirm, type stall@example\.com: /);
      assert.ok(again.isDanger);
      assert.equal((await asked(id, { ...texts(prepaid), amount: "501" })).exitCode, 0);
    });

    test("pausing the last vendor names the client that called most", async () => {
      const client = await clientOf("Lagos");
      for (const _ of [1, 2, 3]) assert.equal(await call(client), 200);
      const said = await asked("routes.pause", { vendor: "dojah", why: "load", for: "2h" });
      assert.match(said.err, /Most for lagos@example\.com: 3, the last: \d{4}-/);
      assert.match(said.page, /Most for Lagos: 3/);
      assert.match(said.err, / 503 upstream_unavailable at once, until \d{4}-/);
      assert.ok(said.isDanger);
      const done = await duba(["routes", "pause", "dojah", "--why", "load", "--for", "2h", "--yes"]);
      assert.equal(done.exitCode, 0, done.err);
      await noticed(
        () => call(client),
        (status) => status === 503,
      );
    });

    /** The catalogue in a file, without the entries that `keeps` refuses. */
    const fileWithout = async (keeps: (entry: Texts) => boolean, change = (entry: Texts) => entry) => {
      const { out } = await duba(["catalogue", "export", "--format", "json"]);
      const lists = Object.entries(JSON.parse(out) as Record<string, Texts[]>);
      const left = lists.map(([list, entries]) => [list, entries.filter(keeps).map(change)] as const);
      const path = join(operators.service.settings.dataDirectory, "catalogue.json");
      await writeFile(path, JSON.stringify(Object.fromEntries(left)));
      return path;
    };
    /** The text that an officer reads in the console before the import of this file. */
    const pageOfImport = async (path: string) => {
      const { cookie, token } = operators.by.officer;
      const body = new FormData();
      for (const [name, value] of Object.entries({ _token: token, _form: randomUUID() })) body.set(name, value);
      body.set("file", new File([await readFile(path)], "catalogue.json"));
      const headers = { Cookie: cookie, Origin: operators.origin, Accept: "application/json" };
      const to = `${operators.origin}/catalogue/import?_confirm=1`;
      const { page } = (await (await fetch(to, { method: "POST", headers, body })).json()) as { page: string };
      return { page, isDanger: /button danger/.test(page) };
    };

    test("removing an entry in use names the clients whose look-ups are then refused", async () => {
      const client = await clientOf("Aerial");
      const path = "/api/v2/cable-tv/fetch-tv-add-ons?type=dstv&productCode=PRWE36";
      const addOns = async () => (await operators.service.ask(path, { credential: client.key.text })).status;
      const done = async (...argv: string[]) => {
        const { exitCode, out, err } = await duba(["catalogue", ...argv, "--yes"]);
        assert.equal(exitCode, 0, err);
        return /Revision (\d+) is published/.exec(out)![1]!;
      };
      const priced = await duba(["prices", "set", client.email, "dstv", "PRWE36", "--margin", "50"]);
      assert.equal(priced.exitCode, 0, priced.err);
      assert.equal(await addOns(), 200);
      const { db } = await operators.service.store();
      await noticed(
        () => db.selectFrom("api_request").select("serial").where("operation", "=", "fetchTvAddOns").execute(),
        ({ length }) => length > 0,
      );
      const says = ({ page, err, isDanger }: Awaited<ReturnType<typeof asked>>) => {
        assert.ok(isDanger);
        assert.match(err, /Look-ups that name dstv PRWE36 are answered 404 product_not_found, at once\./);
        assert.match(err, /in the last 7 days: aerial@example\.com \(the last: \d{4}-\d{2}-\d{2} \d{2}:\d{2}/);
        assert.match(err, /special price of what they no longer get: aerial@example\.com \(dstv PRWE36\)\./);
        assert.match(err, /To confirm, type \S+: .*You did not confirm/s);
        for (const said of [/404 product_not_found, at once/, /Aerial.*<time /s]) assert.match(page, said);
      };
      const isLeft = (entry: Texts) => entry.code !== "PRWE36" && entry.product_code !== "PRWE36";

      const gone = (status: number) => status === 404;
      const file = await fileWithout(isLeft);
      const { exitCode, err } = await duba(["catalogue", "import", file], "no\n");
      says({ ...(await pageOfImport(file)), exitCode, err });
      const removal = await done("import", file);
      await noticed(addOns, gone);

      const back = await asked("catalogue.revert", { revision: removal });
      assert.deepEqual([back.exitCode, back.isDanger], [0, false], back.err);
      await noticed(addOns, (status) => status === 200);
      const { out } = await duba(["catalogue", "history", "--limit", "1", "--json"]);
      const addition = String(JSON.parse(out).revisions[0].revision);
      says(await asked("catalogue.revert", { revision: addition }));
      const again = await done("revert", addition);
      await noticed(addOns, gone);
      await done("revert", again);
      await noticed(addOns, (status) => status === 200);

      const dearer = (entry: Texts) => (entry.code === "GOHAN" ? { ...entry, price: "90000" } : entry);
      const held = await duba(["catalogue", "import", await fileWithout(isLeft, dearer)]);
      const draft = /as (d\d+)/.exec(held.err)![1]!;
      says(await asked("catalogue.approve", { draft }));
      await done("approve", draft);
      await noticed(addOns, gone);
    });

    test("removing an unused entry needs no confirmation, and names accounts with a price for it", async () => {
      const client = await clientOf("Reseller");
      const priced = await duba(["prices", "set", client.email, "MTNDATA", "104", "--margin", "5"]);
      assert.equal(priced.exitCode, 0, priced.err);
      const file = await fileWithout(({ type, code }) => type !== "MTNDATA" || code !== "104");
      const { page, isDanger } = await pageOfImport(file);
      assert.match(page, /special price of what they no longer get: .*Reseller.* \(MTNDATA 104\)/s);
      assert.doesNotMatch(page, /are answered 404/);
      assert.ok(!isDanger);
      const { exitCode, err } = await duba(["catalogue", "import", file]);
      assert.equal(exitCode, 0, err);
    });
  });

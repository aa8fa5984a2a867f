import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { engines } from "../../../test/support/engines.ts";
import { append } from "../../audit/append.ts";
import { looseGuard, publisherOf } from "../../catalogue/catalogue.fixture.ts";
import { withEntries } from "../../catalogue/model/snapshot.ts";
import { publish } from "../../catalogue/revisions/publish.ts";
import { accessTrail } from "../../declare/access-trail.ts";
import { type Operators, startOperators } from "./operators.fixture.ts";

const many = 120;

for (const engine of engines)
  suite(`lists that are longer than a page on ${engine.name}`, () => {
    let operators: Operators;

    before(async () => {
      operators = await startOperators(engine);
      const { db, now } = await operators.service.store();
      // Many rows of the same time, which only the second column of the order distinguishes.
      const at = now() - 60_000;
      const each = Array.from({ length: many }, (_, number) => String(number).padStart(3, "0"));
      const request = {
        account_id: "acc_1",
        mode: "test",
        written_at: at,
        answered_at: at,
        key_id: "key_1",
        duration: 7,
      };
      const answer = { operation: "verifyBvn", status: 200, code: null, reference: null };
      await db
        .insertInto("api_request")
        .values(each.map((name) => ({ ...request, ...answer, serial: `long-${name}`, request_id: `request-${name}` })))
        .execute();
      await append(db, ...each.map((name) => accessTrail.accountResumed("terminal:ada", { account: `acc_${name}` })));
      const endpoint = { audience: "acc_1", mode: null, url: "https://shop.example.com/", types: "[]", secret: "v1:x" };
      const never = { former_secret: null, former_ends_at: null, lease_owner: null, leased_until: 0, made_by: null };
      await db
        .insertInto("event_endpoint")
        .values(
          each.map((id) => ({ id: `end_${id}`, ...endpoint, ...never, created_at: at, next_at: at, off_since: at })),
        )
        .execute();
      const event = { type: "key.expiring", audience: "acc_1", mode: null, about: "key_1", at, data: "{}" } as const;
      await db
        .insertInto("event")
        .values({ ...event, number: 900, id: "evt_long" })
        .execute();
      const delivery = { number: 900, place: 1, state: "delivered", attempts: 1, give_up_at: at } as const;
      const outcome = { tried_at: at, outcome: "200" };
      await db
        .insertInto("event_delivery")
        .values(each.map((name) => ({ ...delivery, ...outcome, endpoint_id: `end_${name}` })))
        .execute();
    });
    after(() => operators.service.close());

    const page = async (path: string) => {
      const { origin, by } = operators;
      const response = await fetch(`${origin}${path}`, { headers: { Cookie: by.viewer.cookie } });
      assert.equal(response.status, 200);
      return response.text();
    };

    /** Follows the links to older rows, and returns what all pages of a list name. */
    const walk = async (path: string, name: RegExp) => {
      const found: string[] = [];
      const sizes: number[] = [];
      for (let next: string | undefined = path; next !== undefined; ) {
        const text: string = await page(next);
        const own = new Set([...text.replaceAll(/\d{3,}\.[\w-]+/g, "").matchAll(name)].map(([each]) => each));
        found.push(...own);
        sizes.push(own.size);
        const [, older] = /<a class="more" href="([^"]+)">Older rows/.exec(text) ?? [];
        next = older?.replaceAll("&amp;", "&");
      }
      return { found: found.sort(), sizes };
    };

    test("requests, deliveries and the audit trail can be read page by page to the end, without repeats", async () => {
      const all = (before: string) =>
        Array.from({ length: many }, (_, at) => `${before}${String(at).padStart(3, "0")}`);
      const requests = await walk("/requests?operation=verifyBvn", /request-\d{3}/g);
      assert.deepEqual(requests, { found: all("request-"), sizes: [50, 50, 20] });
      assert.deepEqual((await walk("/events?state=delivered", /end_\d{3}/g)).found, all("end_"));
      assert.deepEqual((await walk("/audit/tail?kind=account.resumed", /acc_\d{3}/g)).found, all("acc_"));
    });

    test("the revisions of the catalogue can be limited to a time span", async () => {
      assert.match(await page("/catalogue/history?since=24h"), /Revision \d+ is served.*<tbody>/s);
      const none = await page("/catalogue/history?until=2001-01-01");
      assert.match(none, /Revision \d+ is served/);
      assert.doesNotMatch(none, /<tbody>/);
      assert.match(none, /<nav class="switch" aria-label="Time">/);
    });

    test("all revisions can be read on pages, at a terminal and as one CSV", async () => {
      const { db } = await operators.service.store();
      const notes = Array.from({ length: 60 }, (_, at) => `note-${String(at).padStart(3, "0")}`);
      for (const [at, note] of notes.entries()) {
        const content = { type: "MTNDATA", code: "PAGED", description: "Paged", value: "1GB", duration: "30 days" };
        const edits = [
          {
            subject: "data-bundles" as const,
            key: "MTNDATA PAGED",
            content: { ...content, amount: 78_500, price: 78_500 + at },
          },
        ];
        const about = { author: "ops", source: "test", note };
        await publish(publisherOf(db, { guard: looseGuard }), (base) => withEntries(base, edits), about);
      }
      const walked = await walk("/catalogue/history?_run=1", /note-\d{3}/g);
      assert.deepEqual(walked, { found: notes, sizes: [50, 10] });
      const lines = (await page("/catalogue/history?_run=1&_csv=1")).trim().split("\n");
      assert.match(lines[0]!, /^revision,published_at,author,source,note,added,modified,removed$/);
      for (const note of notes) assert.equal(lines.filter((line) => line.includes(note)).length, 1, note);
      const { dataDirectory, databaseUrl } = operators.service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      const duba = async (...more: string[]) => (await ran(["catalogue", "history", ...more], { environment })).out;
      assert.equal((await duba("--csv")).trim(), lines.join("\n"));
      const { next } = JSON.parse(await duba("--limit", "2", "--json"));
      const [older] = JSON.parse(await duba("--limit", "2", "--cursor", next, "--json")).revisions;
      assert.equal(older.note, "note-057");
    });
  });

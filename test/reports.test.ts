import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { append } from "../src/audit/append.ts";
import { invitePerson } from "../src/features/console/people/people-rows.ts";
import { beginSession } from "../src/features/console/people/sessions.ts";
import { silent } from "../src/runtime/log.ts";
import { RecordedLog } from "../src/runtime/recorded-log.fixture.ts";
import { ReportStore } from "../src/storage/reports.ts";
import { openStore, type Store } from "../src/storage/store.ts";
import { type Ran, ran } from "./support/command-line.ts";
import { engines, type Fresh } from "./support/engines.ts";
import { startService, type TestService } from "./support/service.ts";

const postgres = engines.find(({ name }) => name === "postgres")!;
const nobody = "postgres://nobody@127.0.0.1:1/none";

suite("reports on PostgreSQL with a second database for them", () => {
  let service: TestService;
  let copy: Fresh;
  let own: Store;
  let second: Store;

  /** `duba` of an operator who named this database for reports. */
  const duba = (readUrl: string, ...argv: string[]): Promise<Ran> =>
    ran(argv, {
      environment: {
        DUBA_DATA: service.settings.dataDirectory,
        DUBA_DATABASE_URL: service.settings.databaseUrl,
        DUBA_DATABASE_READ_URL: readUrl,
      },
    });

  before(async () => {
    copy = await postgres.ready();
    const readUrl = copy.settings.databaseUrl!;
    service = await startService({ DUBA_DATABASE_READ_URL: readUrl, DUBA_CONSOLE: "127.0.0.1:0" }, postgres);
    own = await service.store();
    second = await openStore({ ...copy.settings, serving: false });
    const { id } = await own.db.selectFrom("catalogue_history").select("id").executeTakeFirstOrThrow();
    await second.db.updateTable("catalogue_history").set({ id }).execute();
  });
  after(async () => {
    await second?.close();
    await service?.close();
    await copy?.dispose();
  });

  test("reports read the replica and say so, but no decision of the service reads the replica", async () => {
    const first = await service.verify({ key: "once" });
    assert.equal(first.status, 200, first.text);
    // The second database has no account, no key and no verification, which shows that the service never reads it for a
    // decision.
    const again = await service.verify({ key: "once" });
    assert.equal(again.headers["idempotency-replayed"], "true");

    const { request_reference: reference } = first.json.data;
    const { exitCode, out, err } = await duba(copy.settings.databaseUrl!, "ledger", "list", "--json");
    assert.equal(exitCode, 0, err);
    assert.deepEqual(JSON.parse(out).verifications, []);
    assert.equal(err, "Read from DUBA_DATABASE_READ_URL, which does not say how old its rows are.\n");
    const shown = await duba(copy.settings.databaseUrl!, "ledger", "show", reference, "--json");
    assert.equal(JSON.parse(shown.out).request_reference, reference);
    assert.equal(shown.err, "");
  });

  test("the console's page of a report says that it reads the replica", async () => {
    const room = { db: own.db, audit: append, actor: "terminal", now: own.now };
    const { person } = await invitePerson(room, { email: "ada@example.com", role: "viewer" });
    const headers = { Cookie: `duba_console=${await beginSession(own.db, person.id, own.now())}` };
    const page = async (path: string) => (await fetch(`${service.console!.origin}${path}`, { headers })).text();
    assert.match(
      await page("/verifications"),
      /Read from DUBA_DATABASE_READ_URL, which does not say how old its rows are/,
    );
    assert.doesNotMatch(await page("/keys"), /DUBA_DATABASE_READ_URL/);
  });

  test("reports read the store when the replica is away, and say why", async () => {
    const { exitCode, out, err } = await duba(nobody, "ledger", "list", "--json");
    assert.equal(exitCode, 0, err);
    assert.equal(JSON.parse(out).verifications.length, 1);
    assert.match(err, /^The replica cannot be read, so this is from the primary\. PostgreSQL at 127\.0\.0\.1:1 cannot/);

    const doctor = await duba(nobody, "doctor");
    assert.match(doctor.out, /The replica cannot be read/);

    const log = new RecordedLog();
    const reports = new ReportStore(nobody, own, log);
    for (let report = 1; report <= 2; report += 1) assert.equal((await reports.source()).db, own.db);
    assert.deepEqual(
      log.lines.map(({ message }) => message),
      ["The replica for reports cannot be read: reports are read from the primary"],
    );
    await reports.close();
  });

  test("reports read the store when the replica belongs to another store", async () => {
    const other = await postgres.ready();
    const reports = new ReportStore(other.settings.databaseUrl!, own, silent);
    try {
      const { db, ageRemark } = await reports.source();
      assert.equal(db, own.db);
      assert.match(ageRemark!, /names the database of another store/);
    } finally {
      await reports.close();
      await other.dispose();
    }
  });
});

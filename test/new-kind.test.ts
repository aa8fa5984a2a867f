import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { ChangedCopy } from "./support/changed-copy.ts";
import { engines, type Fresh } from "./support/engines.ts";
import { newFiles, newLines } from "./support/new-kinds.ts";
import { type ServedProcess, serveProgram } from "./support/process.ts";
import { type AskOptions, ask, sandboxKey } from "./support/service.ts";
import { noticed } from "./support/until.ts";

const copy = new ChangedCopy("new-kind", { newFiles, newLines });

const number = "7771234567";
const name = "Chidinma Okonkwo";
const good = { account: number, bank_code: "058", name, amount: "70" };
const passport = { passport: "B77123456", last_name: "Okonkwo", amount: "60" };

suite("a kind of check that is a value, an operation and its rows", () => {
  let service: ServedProcess;
  let fresh: Fresh;
  let live: string;
  let environment: Record<string, string>;
  let command: typeof import("./support/command-line.ts").ran;
  const answered: string[] = [];

  before(async () => {
    fresh = await engines[0]!.ready();
    environment = {
      DUBA_DATA: fresh.settings.dataDirectory,
      DUBA_BOOTSTRAP_KEY: sandboxKey,
      DUBA_ACCOUNT_FEE: "70",
      DUBA_PASSPORT_FEE: "60",
      DUBA_UPSTREAMS: "invented",
      DUBA_UPSTREAM_PRICES: "invented.account=50,invented.account.name_mismatch=10,invented.passport=40",
      DUBA_LIMIT_VERIFICATION: "1000/min",
      DUBA_LIMIT_IN_FLIGHT: "100",
      DUBA_LIMIT_SUBJECT: "3/h",
      DUBA_LIMIT_SUBJECT_NEGATIVES: "2/day",
    };
    [service, { ran: command }] = await Promise.all([
      serveProgram(process.execPath, [join(copy.folder, "src/main.ts"), "serve"], {
        ...environment,
        DUBA_LOG_LEVEL: "trace",
        DUBA_ACCESS_LOG: "all",
        DUBA_METRICS: "127.0.0.1:0",
      }),
      copy.load<typeof import("./support/command-line.ts")>("test/support/command-line.ts"),
    ]);
    live = (await duba("keys", "create", "--account", "sandbox@example.com", "--mode", "live")).trim();
  });
  after(async () => {
    await service.end("SIGKILL");
    await fresh.dispose();
  });

  async function duba(...argv: string[]): Promise<string> {
    return dubaWith("", ...argv);
  }

  async function dubaWith(stdin: string, ...argv: string[]): Promise<string> {
    const { exitCode, out, err } = await command(argv, { environment, stdin });
    assert.equal(exitCode, 0, err);
    return out;
  }

  async function verify(kind: "account" | "passport" | "licence", body: object, options: AskOptions = {}) {
    const response = await ask(service.port, `/api/v2/kyc/verify-${kind}`, {
      ...{ method: "POST", body, credential: live },
      ...options,
    });
    if (response.status !== 200) answered.push(response.text);
    return response;
  }

  const codeOf = async (...call: Parameters<typeof verify>) => {
    const { status, json } = await verify(...call);
    return `${status} ${json.error.code}`;
  };

  test("a new kind of check verifies, charges its own fee, and replays by idempotency key", async () => {
    const headers = { "Idempotency-Key": "first" };
    const { status, json } = await verify("account", good, { headers });
    assert.equal(status, 200, JSON.stringify(json));
    assert.match(json.message, /^[A-Z].* Verification Completed Successfully$/);
    const { request_reference, ...record } = json.data;
    const account_name = "CHIDINMA OKONKWO SANDBOX";
    assert.deepEqual(record, { account_number: number, bank_code: "058", account_name });
    const reordered = { name: "  chidinma   OKONKWO", amount: "70", bank_code: "058", account: "777 123 4567" };
    const again = await verify("account", reordered, { headers });
    assert.equal(again.headers["idempotency-replayed"], "true");
    assert.equal(again.json.data.request_reference, request_reference);
    for (const other of [{ name: "Chidinma Bello" }, { bank_code: "044" }, { account: "7771234568" }])
      assert.equal(await codeOf("account", { ...good, ...other }, { headers }), "422 idempotency_key_reused");
    const { json: passed } = await verify("passport", passport);
    const { request_reference: _, ...held } = passed.data;
    assert.deepEqual(held, {
      ...{ passport: "B77123456", first_name: "ADA", last_name: "OKONKWO", date_of_birth: "1990-01-31" },
    });
    const { verifications } = JSON.parse(await duba("ledger", "list", "--kind", "account", "--json"));
    assert.deepEqual(
      verifications.map((row: Record<string, unknown>) => [row.kind, row.state, row.fee, row.charged, row.subject]),
      [["account", "verified", "70", true, "*******4567"]],
    );
    const groups = await noticed(
      async () => JSON.parse(await duba("books", "summary", "--json")).groups,
      ({ length }) => length === 2,
    );
    assert.deepEqual(
      groups.map((row: Record<string, unknown>) => [row.kind, row.charged, row.fees, row.cost, row.margin]).sort(),
      [
        ["account", 1, "70", "50", "20"],
        ["passport", 1, "60", "40", "20"],
      ],
    );
  });

  test("for a new kind, a key or consent that contains the number or name is refused", async () => {
    for (const held of [`k-${number}`, "Chidinma-Okonkwo-1"]) {
      assert.equal(
        await codeOf("account", good, { headers: { "Idempotency-Key": held } }),
        "400 invalid_idempotency_key",
      );
      assert.equal(await codeOf("account", good, { headers: { "Consent-Reference": held } }), "422 validation_failed");
    }
    const { status } = await verify("account", good, { headers: { "Idempotency-Key": "3f2a058b-ok" } });
    assert.equal(status, 200, "a bank's code may stand in a key");
    const { json } = await verify("account", { ...good, account: `${number}1`, name: number });
    assert.deepEqual(
      json.error.fields.map(({ message }: { message: string }) => message),
      ["account must be 10 digits.", "name must be a name."],
    );
  });

  test("for a new kind, the same number at two banks counts as two subjects", async () => {
    const at = (bank_code: string) => verify("account", { ...good, account: "7770000099", bank_code });
    for (const status of [200, 200, 200, 429]) assert.equal((await at("011")).status, status);
    assert.equal((await at("033")).status, 200);
    const { json } = await at("011");
    assert.match(
      json.message,
      /^Your account may make 3 attempts at one bank account, retries included, within an hour\. /,
    );
    assert.match(json.message, / Send it again in \d{4} s\.$/);
  });

  test("a new kind of check has its own negative outcomes, each with a price", async () => {
    const negative = (kind: "account" | "passport", number: string) =>
      codeOf(kind, kind === "account" ? { ...good, account: number } : { ...passport, passport: number });
    assert.equal(await negative("account", "0000000001"), "404 account_not_found");
    assert.equal(await negative("account", "0000000002"), "422 account_name_mismatch");
    assert.equal(await negative("account", "0000000020"), "422 account_blocked");
    assert.equal(await negative("passport", "A00000001"), "404 passport_not_found");
    assert.equal(await negative("passport", "A00000002"), "422 passport_name_mismatch");
    const { verifications } = JSON.parse(await duba("ledger", "list", "--state", "name_mismatch", "--json"));
    assert.deepEqual(verifications.map(({ kind, charged }: Record<string, unknown>) => [kind, charged]).sort(), [
      ["account", false],
      ["passport", false],
    ]);
  });

  test("the sandbox has numbers of a new kind in the kind's own form", async () => {
    const { sandboxNumbers, reservedFor } = await copy.load<typeof import("../src/vendors/sandbox/numbers.ts")>(
      "src/vendors/sandbox/numbers.ts",
    );
    for (const [kind, first, count] of [
      ["account", "0000000001", 20],
      ["passport", "A00000001", 19],
      ["licence", "AAA00000AA01", 19],
    ] as const) {
      const numbers = sandboxNumbers(kind as never);
      assert.deepEqual([numbers[0]!.number, numbers.length], [first, count]);
      await Promise.all(
        numbers.map(async ({ number, result, retried }) => {
          if ((reservedFor({ kind: kind as never, number })?.delay ?? 0) > 0) return;
          const body = { ...(kind === "account" ? good : passport), last_name: "Okonkwo", [kind]: number };
          const options = { credential: sandboxKey, headers: { "Idempotency-Key": `s-${kind}-${number.slice(-2)}` } };
          for (const expected of [result, retried]) {
            const { status, json } = await verify(kind, body, options);
            assert.equal(status === 200 ? "VERIFIED" : `${status} ${json.error.code}`, expected, number);
          }
        }),
      );
    }
  });

  test("docs/sandbox.md has a table of the new kind", async () => {
    const { numbersTables } = await copy.load<typeof import("./support/numbers-tables.ts")>(
      "test/support/numbers-tables.ts",
    );
    const text = numbersTables();
    assert.match(
      text,
      /^Of a driver's licence:\n\n\| number \|.*\n.*\n\| `AAA00000AA01` \| `404 licence_not_found` \|/m,
    );
    assert.match(text, /^\| `AAA00000AA02` \| `422 licence_name_mismatch` \| the same \|/m);
    assert.doesNotMatch(text, /Of a NIN/);
  });

  test("a vendor of a new kind passes the conformance suite, and its stand-in plays every outcome", () => {
    const files = ["src/vendors/roads/roads.test.ts", "src/features/stand-in/stand-ins.test.ts"];
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", ...files], {
      cwd: copy.folder,
      encoding: "utf8" as const,
      env,
    });
    assert.equal(status, 0, stdout + stderr);
    for (const promise of [
      "roads is asked about a driver's licence as it documents, with the trace context",
      "the stand-in of roads",
    ])
      assert.ok(stdout.includes(`\nok`) && stdout.includes(promise), stdout);
  });

  test("a new kind's operation and failures state their version", async () => {
    const { paths, components } = (await ask(service.port, "/openapi.json")).json;
    for (const kind of ["licence", "account", "passport"]) {
      assert.equal(paths[`/api/v2/kyc/verify-${kind}`].post["x-since"], "0.2.0");
      assert.equal(components.schemas.FailureCode["x-since"][`${kind}_not_found`], "0.2.0");
      assert.equal(components.schemas.FailureCode["x-since"][`${kind}_name_mismatch`], "0.2.0");
    }
    assert.equal(components.schemas.FailureCode["x-since"].bvn_not_found, undefined);
  });

  test("events name a new kind, and only its answer contains number and name", async () => {
    for (const pasted of [number, passport.passport, `shop-1:${passport.passport}`]) {
      const { headers } = await ask(service.port, "/api/v2/corporate-data/list", {
        headers: { "X-Request-Id": pasted },
      });
      assert.notEqual(headers["x-request-id"], pasted);
    }
    const { text: polled } = await noticed(
      () => ask(service.port, "/api/v2/events?after=0&limit=1000"),
      ({ text }) => text.includes('"kind":"passport"') && text.includes('"kind":"account"'),
    );
    const metricsPort = Number(/127\.0\.0\.1:(\d+)\/metrics/.exec(service.written())![1]);
    const { text: measured } = await ask(metricsPort, "/metrics");
    assert.match(measured, /duba_answers_total/);
    const { text: requests } = await ask(service.port, "/api/v2/requests?limit=1000");
    assert.match(service.written(), /"operation":"verifyAccount"/);
    const places = { polled, measured, requests, log: service.written(), failures: answered.join("\n") };
    for (const [place, text] of Object.entries(places))
      for (const canary of [number, "7770000099", passport.passport, "Chidinma", "CHIDINMA", "Okonkwo", "OKONKWO"])
        assert.ok(!text.includes(canary), `${place} holds ${canary}`);
  });

  test("a person of a new kind is exported, erased and deleted like any other", async () => {
    const headers = { "Idempotency-Key": "kept" };
    const kept = { ...good, account: "7770000077" };
    assert.equal((await verify("account", kept, { headers })).status, 200);
    const [{ openStore }, { verificationRules }] = await Promise.all([
      copy.load<typeof import("../src/storage/store.ts")>("src/storage/store.ts"),
      copy.load<typeof import("../src/storage/retention/verification-rules.ts")>(
        "src/storage/retention/verification-rules.ts",
      ),
    ]);
    const { db, close } = await openStore({ ...fresh.settings, serving: false });
    const row = db.selectFrom("verification").select("sealed_record").where("subject_last4", "=", "0077");
    assert.notEqual((await row.executeTakeFirstOrThrow()).sealed_record, null);
    const times = { keyLifetime: 0, recordRetention: -60_000 };
    const rule = verificationRules(times).find((each) => each.name === "sealed records")!;
    const past = db.updateTable("verification").set({ completed_at: 1 }).where("subject_last4", "=", "0077");
    await past.execute();
    await db.transaction().execute((trx) => rule.remove(trx, 2));
    assert.equal((await row.executeTakeFirstOrThrow()).sealed_record, null);
    await close();
    assert.equal(await codeOf("account", kept, { headers }), "410 record_no_longer_held");

    const wrong = await command(["subjects", "export", "--kind", "account"], { environment, stdin: `${number}\n5\n` });
    assert.deepEqual([wrong.exitCode, /bank_code must be 3 digits/.test(wrong.err)], [2, true]);
    assert.ok(!wrong.err.includes(number));
    const out = join(fresh.settings.dataDirectory, "export.json");
    const subject = `${number}\n058\n`;
    await dubaWith(subject, "subjects", "export", "--kind", "account", "--out", out);
    const exported = JSON.parse(readFileSync(out, "utf8"));
    assert.deepEqual([exported.account, exported.bank_code], [number, "058"]);
    assert.equal(exported.verifications[0].record.account_name, "CHIDINMA OKONKWO SANDBOX");
    const erased = await dubaWith(subject, "subjects", "erase", "--kind", "account", "--yes", "--json");
    assert.equal(JSON.parse(erased).accounts[0].verifications, exported.verifications.length);
    assert.equal(
      await codeOf("account", good, { headers: { "Idempotency-Key": "first" } }),
      "410 record_no_longer_held",
    );
  });

  test("commands, reference, client and vendor tests know a new kind", async () => {
    const changed = JSON.parse(
      await duba("accounts", "change", "sandbox@example.com", "--account-fee", "55", "--json"),
    );
    assert.equal(changed.account_fee, "55");
    const asked = `${number}\n058\n${name}\n`;
    assert.match(await dubaWith(asked, "upstreams", "test", "invented", "--ask", "--kind", "account"), /verified/);
    const { paths, components } = (await ask(service.port, "/openapi.json")).json;
    assert.ok(paths["/api/v2/kyc/verify-account"] && components.schemas.AccountRecord);
    const [{ clientSource }, { everyOperation }] = await Promise.all([
      copy.load<typeof import("./support/client-source.ts")>("test/support/client-source.ts"),
      copy.load<typeof import("../src/wire/every-operation.ts")>("src/wire/every-operation.ts"),
    ]);
    assert.match(clientSource(everyOperation), /verifyPassport\(\s*input: VerifyPassportInput/);
  });

  test("a new kind counts towards caps, and appears in the console's forms and lists", async () => {
    await duba("accounts", "create", "--name", "Capped", "--email", "capped@example.com");
    await duba("accounts", "change", "capped@example.com", "--cap-count", "1");
    const credential = (await duba("keys", "create", "--account", "capped@example.com", "--mode", "live")).trim();
    assert.equal((await verify("passport", { ...passport, passport: "C77123456" }, { credential })).status, 200);
    const more = { ...passport, passport: "D77123456" };
    assert.equal(await codeOf("passport", more, { credential }), "402 spending_cap_reached");
    const { engines: ofCopy } = await copy.load<typeof import("./support/engines.ts")>("test/support/engines.ts");
    const { startOperators } = await copy.load<typeof import("../src/features/console/operators.fixture.ts")>(
      "src/features/console/operators.fixture.ts",
    );
    const operators = await startOperators(ofCopy[0]!);
    try {
      const page = async (path: string) => (await operators.send(path, { cookie: operators.by.operator.cookie })).text;
      assert.match(
        await page("/verifications?kind=passport"),
        /<option[^>]* selected[^>]*>[^<]*passport<.*No verifications\./is,
      );
      assert.match(
        await page("/accounts/change?account=sandbox@example.com"),
        /id="f-passport_fee"[^>]* placeholder="Default"/,
      );
    } finally {
      await operators.service.close();
    }
  });

  test("types and tests compile without a change to any other file", () => {
    assert.equal(copy.wrongTypes(), "");
  });
});

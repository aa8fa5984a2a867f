import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { openapi } from "../../pages/openapi/document.ts";
import { newestMigration } from "../../src/storage/migrations/migrate.ts";
import { openStore } from "../../src/storage/store.ts";
import { everyOperation } from "../../src/wire/every-operation.ts";
import { type Ran, ran } from "../support/command-line.ts";
import { engines } from "../support/engines.ts";
import { interfaceText, partsOf } from "../support/interface-parts.ts";
import { type KeptFacts, keptOutputs } from "../support/kept-stores.ts";
import { serveInProcess } from "../support/process.ts";
import { ask, sandboxKey } from "../support/service.ts";
import { until } from "../support/until.ts";

/**
 * `node test/stores/make.ts NAME`: writes a small store of each engine by this version into `test/stores/NAME`, with
 * its key ring, its backup, responses of a service on the store, and the names of all parts of the interface. The tests
 * of every later version upgrade that store. Needs `pg_dump`. All people in the store are the sandbox's invented ones.
 */
const [name] = process.argv.slice(2);
if (!name) throw new Error("Name the version whose store this is, such as 0.1.0.");
const folder = join("test/stores", name);
mkdirSync(folder, { recursive: true });

const parts = partsOf(openapi(everyOperation, name));
writeFileSync(join(folder, "interface.txt"), interfaceText(parts));

/** Numbers of the sandbox: four people with a record, then each other outcome. */
const numbers = [
  "22000000017",
  "22000000025",
  "22000000033",
  "22000000041",
  "00000000001",
  "00000000002",
  "00000000005",
];

for (const engine of engines) {
  const { settings, dispose } = await engine.fresh();
  const place = mkdtempSync(join(tmpdir(), "duba-kept-"));
  const keyring = join(place, "keyring");
  const environment = {
    DUBA_DATA: settings.dataDirectory,
    ...(settings.databaseUrl && { DUBA_DATABASE_URL: settings.databaseUrl }),
    ...{
      DUBA_KEYRING: keyring,
      DUBA_BOOTSTRAP_KEY: sandboxKey,
      DUBA_TIME_ZONE: "Africa/Lagos",
      DUBA_CONSOLE: "127.0.0.1:0",
    },
  };
  const duba = async (...argv: string[]): Promise<Ran> => {
    const done = await ran(argv, { environment });
    if (done.exitCode !== 0) throw new Error(`duba ${argv.join(" ")}: ${done.err}${done.out}`);
    return done;
  };
  const service = await serveInProcess(environment);
  const replies: KeptFacts["replies"] = {};
  for (const [at, bvn] of numbers.entries()) {
    const key = `kept-${at}`;
    const body = { bvn, phone: "08000000017", amount: "100" };
    const headers = { "Idempotency-Key": key };
    const { status, text } = await ask(service.port, "/api/v2/kyc/verify-bvn", { method: "POST", body, headers });
    replies[key] = { bvn, status, text };
  }
  const reference = JSON.parse(replies["kept-0"]!.text).data.request_reference;
  const account = ["--account", "sandbox@example.com"];
  await duba("accounts", "create", "--name", "Corner Shop", "--email", "shop@example.com");
  await duba("accounts", "change", "shop@example.com", "--prepaid", "on");
  await duba("accounts", "top-up", "shop@example.com", "5000", "--reason", "transfer of 3 November");
  await duba("keys", "create", "--account", "shop@example.com", "--mode", "live", "--label", "checkout");
  await duba(
    "books",
    "adjust",
    ...account,
    "--mode",
    "test",
    "--credit",
    "40",
    "--reference",
    reference,
    "--reason",
    "Goodwill",
  );
  await duba("ledger", "note", reference, "--note", "Their support asked");
  await duba("prices", "set", "shop@example.com", "MTNDATA", "--margin=-2.5%");
  await duba("catalogue", "change-prices", "--provider", "MTNDATA", "--by", "1%", "--note", "A change");
  await duba("events", "endpoints", "add", "https://shop.example.com/duba", "--account", "shop@example.com");
  await duba("people", "invite", "ada@example.com", "--role", "officer");
  await duba("backup", join(place, "backup"));
  const store = await openStore({ ...settings, serving: false });
  // The service follows the journal and seals the audit trail within seconds.
  const { db } = store;
  await until(async () => {
    const waiting = await db.selectFrom("verification_journal").select("number").execute();
    const unsealed = await db.selectFrom("audit_entry").select("id").where("batch", "is", null).execute();
    return waiting.length + unsealed.length === 0;
  });
  await store.close();
  await service.end("SIGTERM");

  const outputs: KeptFacts["outputs"] = {};
  for (const argv of keptOutputs) outputs[argv.join(" ")] = (await duba(...argv)).out;
  const keep = (file: string, bytes: Buffer) =>
    writeFileSync(join(folder, `${file}.gz`), gzipSync(bytes, { level: 9 }));
  keep(`${engine.name}.backup`, readFileSync(join(place, "backup")));
  copyFileSync(keyring, join(folder, `${engine.name}.ring`));
  if (settings.databaseUrl) {
    const options = ["--inserts", "--no-owner", "--no-privileges"];
    const dump = execFileSync("pg_dump", [...options, settings.databaseUrl], { encoding: "utf8" });
    // The lines that begin with a backslash are for psql.
    keep("postgres.sql", Buffer.from(dump.replaceAll(/^\\.*\n/gm, "")));
  } else {
    const database = new DatabaseSync(join(settings.dataDirectory, "duba.db"));
    database.exec("pragma journal_mode = delete");
    database.exec("vacuum");
    database.close();
    keep("duba.db", readFileSync(join(settings.dataDirectory, "duba.db")));
  }
  const facts: KeptFacts = { madeAt: Date.now(), outputs, replies };
  writeFileSync(join(folder, `${engine.name}.json`), `${JSON.stringify(facts, null, 2)}\n`);
  rmSync(place, { recursive: true });
  await dispose();
}
console.log(`${folder} has the stores of ${newestMigration}.`);

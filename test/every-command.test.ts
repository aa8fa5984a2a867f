import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { sql } from "kysely";
import { Clean, Errors } from "typebox/value";
import type { CommandContext } from "../src/commands/context.ts";
import { listOf, memberWith } from "../src/declare/command/answer-table.ts";
import { argumentsOf } from "../src/declare/command/example-line.ts";
import { type Member, membersOf, readTexts } from "../src/declare/command/read-texts.ts";
import { accept, type Command, mayBeDanger, mayRun, RoleError, roles } from "../src/declare/command.ts";
import { attemptRow, storeAttempts, storeRows, verifiedRow } from "../src/ledger/ledger-rows.fixture.ts";
import { TimeZone } from "../src/runtime/time-zone.ts";
import { openStore } from "../src/storage/store.ts";
import { allTables } from "../src/storage/tables.ts";
import { commandsOf, families } from "../src/wire/every-command.ts";
import { type Ran, ran } from "./support/command-line.ts";
import { type Engine, usualEngines } from "./support/engines.ts";
import { sandboxKey, startService } from "./support/service.ts";

type AnyCommand = Command<CommandContext>;
type Example = AnyCommand["examples"][number];

const bvn = "22000000017";
const lagos = new TimeZone("Africa/Lagos");

const everyCommand = (await Promise.all(families.map(commandsOf))).flat();

/** The reason why this suite does not run a command. Its own test runs the command. */
const runElsewhere: Record<string, string> = {
  serve: "It serves until a signal ends it.",
  "stand-in": "It serves until a signal ends it.",
  demo: "It serves until a signal ends it.",
  check: "It calls a server.",
  "upstreams.check": "It reads a file that somebody wrote.",
  "upstreams.file": "It prints samples about the person of our tests.",
  restore: "It needs a store that nobody has used.",
  "keyring.retire": "A key can go 5 minutes after its successor came.",
  "sources.pull": "It calls a vendor.",
  "catalogue.map.propose": "It calls a vendor.",
  "upstreams.test": "It calls a vendor.",
  "events.endpoints.test": "It calls a receiver.",
};

suite("every command", () => {
  test("every command has a name of its own, and a family of one command has that command's summary", () => {
    const ids = everyCommand.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)]);
    for (const { id, summary } of everyCommand.filter(({ id }) => !id.includes(".")))
      assert.equal(families.find(({ name }) => name === id)?.about, summary);
  });

  for (const command of everyCommand) {
    const { id, kind, gives, givesNothing, input, target = [], examples, records = [] } = command;
    const members = membersOf(input);
    suite(id, () => {
      test("every command refuses each role below the one that it requires", () => {
        for (const role of roles.slice(0, roles.indexOf(command.role)))
          assert.throws(() => accept(command, role, {}, lagos), RoleError);
        for (const role of roles.slice(roles.indexOf(command.role))) assert.ok(mayRun(role, command));
        if (kind !== "read") assert.ok(!mayRun("viewer", command));
      });

      test("a command that changes something names its audit entries, and a reading command names none", () => {
        assert.equal(records.length > 0, kind !== "read");
        if (kind === "danger")
          assert.ok(target[0] !== undefined, "a user interface asks the person to type the target");
      });

      test("a command that gives something away also changes something", () => {
        if (gives) assert.notEqual(kind, "read");
        if (givesNothing) assert.ok(gives && kind === "change", "what nobody can undo is always confirmed");
      });

      test("the help of every command names every input, and ends with an example", async () => {
        const { exitCode, out, err } = await ran([...id.split("."), "--help"]);
        assert.deepEqual({ exitCode, err }, { exitCode: 0, err: "" });
        for (const { name, member } of members) {
          const shown = target.includes(name) ? name : `--${name.replaceAll("_", "-")}`;
          assert.ok(member.private || out.includes(shown), `${name} is not in the help`);
          assert.match(member.description, /^[A-Z].*[.?]$/s);
        }
        assert.match(out, new RegExp(`\nExamples?:\n {2}duba ${id.replaceAll(".", " ")}`));
        assert.doesNotMatch(out.split(/\nExamples?:\n/)[1]!, /[<>]/, "a shell takes < and > for redirections");
      });

      if (members.some(({ member }) => member.private))
        test("a person's data on the command line is refused with a sentence that names standard input", async () => {
          const { exitCode, out, err } = await ran([...argumentsOf(command, examples[0]!), bvn]);
          assert.deepEqual([exitCode, out], [2, ""]);
          assert.match(err, /^Too many arguments\. .*standard input/);
          assert.ok(!err.includes(bvn.slice(0, 10)), err);
        });

      test("the examples of every command are accepted by its own reader", () => {
        assert.ok(examples.length > 0);
        for (const example of examples) assert.deepEqual(problemsOf(command, example), []);
      });

      if (kind === "danger")
        test("a command that asks for confirmation does nothing without a terminal or --yes", async () => {
          const { exitCode, out, err } = await ran(argumentsOf(command, examples[0]!), { stdin: `${bvn}\n` });
          // A command with an effect reads the store first, which does not exist here.
          assert.deepEqual([exitCode, out], [2, ""]);
          assert.match(err, command.effect ? /holds no store/ : /^Nothing was changed: .* With --yes: /);
        });

      test("each bad value is answered with a sentence that names the input, and exit code 2", async () => {
        for (const { name, member } of members) {
          const bad = badTextFor(member);
          if (bad === undefined) continue;
          const texts = {
            ...examples[0],
            ...(member.private ? {} : { [name]: member.type === "array" ? [bad] : bad }),
            ...(member.with && { [member.with]: true as const }),
          };
          const { exitCode, out, err } = await ran(argumentsOf(command, texts), { stdin: `${bad}\n` });
          assert.deepEqual([exitCode, out], [2, ""], err);
          const label = member.private ? `the ${name}` : target.includes(name) ? `<${name}>` : `--${name}`;
          assert.ok(err.includes(`${label.replaceAll("_", "-")} must be `), err);
          assert.ok(!err.includes(bad), err);
        }
      });
    });
  }
});

for (const engine of usualEngines)
  suite(`every command on ${engine.name}`, () => {
    let world: World;
    /** What the commands so far left. */
    let rows: Row[];
    before(async () => {
      world = await makeWorld(engine);
      rows = await world.dump();
    });
    after(() => world.close());

    for (const command of inOrder(everyCommand.filter(({ id }) => !(id in runElsewhere)))) {
      const { id, kind, answer: schema, records = [] } = command;
      test(`${id} ${kind === "read" ? "writes nothing" : "leaves its audit entry"}, and its answer matches the schema`, async () => {
        const example = world.inputs[id] ?? command.examples[0]!;
        const hasFiles = memberWith("holds", schema) !== undefined;
        const options = [
          ...(hasFiles || "lines" in schema ? [] : ["--json"]),
          ...(mayBeDanger(command) ? ["--yes"] : []),
        ];
        const before = rows;
        const { exitCode, out, err } = await world.duba([...argumentsOf(command, example), ...options], `${bvn}\n`);
        assert.ok(exitCode < 2 && out !== "", err);

        rows = await world.dump();
        const entries = newEntries(before, rows);
        assert.deepEqual(kind === "read" ? rows : [], kind === "read" ? before : []);
        if (kind !== "read") {
          const kinds = entries.map((entry) => entry.kind);
          assert.ok(
            kinds.length > 0 && kinds.every((each) => records.some(({ kind }) => kind === each)),
            JSON.stringify(kinds),
          );
          // A command on many records leaves an entry for each record.
          if (!id.endsWith("-all")) assert.deepEqual(kinds, [...new Set(kinds)]);
          for (const { actor } of entries) assert.match(actor, /^terminal(:|$)/);
        }

        if (!hasFiles && !("lines" in schema)) {
          const response = JSON.parse(out);
          assert.deepEqual([...Errors(schema, response)], []);
          assert.deepEqual(
            Clean(schema, structuredClone(response)),
            response,
            "it has no member that the schema lacks",
          );
        }
        const marked = memberWith("secret", schema);
        const shown = marked ? out.replace(JSON.parse(out)[marked], "") : out;
        for (const secret of world.secrets()) assert.ok(!`${shown}${err}`.includes(secret), secret.slice(0, 12));
        // Matches a whole key, because the name of a test database begins like a key.
        assert.doesNotMatch(`${shown}${err}`, /duba_(?:test|live)_[A-Za-z0-9]{12}_|duba_at_/);
        if (id !== "subjects.export") assert.ok(!`${out}${err}`.includes(bvn));

        if (kind !== "read" || hasFiles || "lines" in schema || !listOf(schema)) return;
        const csv = await world.duba([...argumentsOf(command, example), "--csv"], `${bvn}\n`);
        assert.doesNotMatch(csv.out, /\[object /);
      });
    }
  });

/** A store on which a service has run, and command lines on that store. */
interface World {
  /** Inputs that replace the first example of a command. */
  inputs: Record<string, Example>;
  duba(argv: readonly string[], stdin?: string): Promise<Ran>;
  /** All rows of all tables. */
  dump(): Promise<Row[]>;
  /** Texts that no answer may hold. */
  secrets(): string[];
  close(): Promise<void>;
}

interface Row {
  table: string;
  text: string;
}

async function makeWorld(engine: Engine): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "duba-every-"));
  const { settings, dispose } = await engine.ready();
  const ring = join(folder, "ring");
  const environment = {
    DUBA_DATA: settings.dataDirectory,
    DUBA_DATABASE_URL: settings.databaseUrl,
    DUBA_KEYRING: ring,
    DUBA_CONSOLE: "127.0.0.1:8090",
  };
  const service = await startService(
    { DUBA_LIMITS: "off", DUBA_KEYRING: ring },
    { ...engine, ready: async () => ({ settings, dispose: async () => {} }) },
  );
  const verified = await service.verify({ bvn, key: "order-1001", headers: { "Consent-Reference": "consent-1" } });
  const requestId = verified.headers["x-request-id"] as string;
  // Reading an entry of the request log first writes the waiting entries.
  await service.ask(`/api/v2/requests/${requestId}`);
  const unknown = await Promise.all(
    [1, 2].map(async (number) => {
      const body = { bvn: "00000000006", phone: `0800000004${number}`, amount: "100" };
      const response = await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body });
      return response.json.error.request_reference as string;
    }),
  );
  // From here on no service writes.
  await service.close();
  const store = await openStore({ ...settings, serving: false });
  // Long ago, so that no vendor can still answer.
  await store.db.updateTable("verification").set({ started_at: 1 }).where("reference", "in", unknown).execute();
  const duba = (argv: readonly string[], stdin = "") => ran(argv, { environment, stdin });
  const done = async (...argv: string[]) => {
    const made = await duba(argv);
    assert.ok(made.exitCode < 2, made.err);
    return made.out;
  };
  await done("accounts", "create", "--name", "Corner Shop", "--email", "shop@example.com");
  const [rolled, revoked] = await Promise.all(
    [1, 2].map(async () => JSON.parse(await done("keys", "create", "--account", "shop@example.com", "--json"))),
  );
  await done("prices", "set", "shop@example.com", "dstv", "--margin", "10");
  await done("accounts", "create", "--name", "Kiosk", "--email", "kiosk@example.com");
  await done("prices", "set", "group:agents", "dstv", "--margin", "5");
  await done("prices", "join", "agents", "kiosk@example.com");
  await done("people", "invite", "ada@example.com");
  await done("people", "invite", "grace@example.com");
  const prices = join(folder, "prices.csv");
  writeFileSync(prices, "account,codes,margin,price\nshop@example.com,gotv,5,\n");
  const bundles = await done("catalogue", "export", "--list", "data-bundles");
  const file = (name: string, from: string, to: string) => {
    assert.ok(bundles.includes(from), from);
    writeFileSync(join(folder, name), bundles.replace(from, to));
    return join(folder, name);
  };
  const held = async (price: string) => {
    const far = file("far.csv", "150MB 24Hrs,200,200,", `150MB 24Hrs,200,${price},`);
    return JSON.parse(await done("catalogue", "import", far, "--list", "data-bundles", "--json")).draft as string;
  };
  const invoice = join(folder, "invoice.csv");
  writeFileSync(invoice, "reference,bvn,price\nD-1,*******0017,50\n");
  const endpointOf = async (host: string) =>
    JSON.parse(
      await done("events", "endpoints", "add", `https://${host}/duba`, "--account", "shop@example.com", "--json"),
    );
  const [receiver, removed] = [await endpointOf("shelf.example.com"), await endpointOf("old.example.com")];
  // Duba publishes a revision for the receiver's event, and gives up on the delivery.
  await done("prices", "set", "shop@example.com", "startimes", "--margin", "10");
  await store.db.updateTable("event_delivery").set({ state: "dead" }).execute();
  const proposal = {
    source: "ebills",
    list: "data-bundles",
    state: "proposed",
    is_new: 1,
    about: "",
    why: "",
  } as const;
  await store.db
    .insertInto("catalogue_mapping")
    .values(
      ["231", "232"].map((own) => ({ ...proposal, code: `MTNDATA ${own}`, own, decided_by: null, decided_at: null })),
    )
    .execute();
  const mapping = join(folder, "mapping.csv");
  writeFileSync(mapping, "own,source_code\n233,MTNDATA 231\n");
  const event = await store.db.selectFrom("event").select("id").executeTakeFirst();
  const lastMonth = new Date(new Date().setUTCDate(0)).toISOString().slice(0, 7);
  const { id: accountId } = await store.db.selectFrom("account").select("id").executeTakeFirstOrThrow();
  const lost = verifiedRow(accountId, Date.parse(`${lastMonth}-02T12:00Z`), {
    ...{ state: "unknown", charged: 0, charged_at: null, completed_at: null },
  });
  await storeRows(store.db, lost);
  await storeAttempts(store.db, attemptRow(lost, { price: null, bill: null }));
  return {
    inputs: {
      "accounts.create": { name: "Other", email: "other@example.com" },
      "alarms.acknowledge": { alarm: "no-instance", note: "We start it at noon" },
      "keys.roll": { id: rolled.id },
      "keys.show": { id: rolled.id },
      "keys.use": { id: rolled.id },
      "requests.key": { id: rolled.id },
      "keys.change": { id: rolled.id, label: "till" },
      "keys.revoke": { id: revoked.id },
      "catalogue.import": {
        file: [file("near.csv", "50MB 24Hrs,100,100,", "50MB 24Hrs,100,110,")],
        list: "data-bundles",
      },
      "catalogue.map.import": { source: "ebills", file: [mapping] },
      // Not MTN, whose prices the held revision below needs unchanged.
      "catalogue.change-prices": { by: "3%", provider: "GLODATA" },
      "requests.list": { request_id: requestId },
      "catalogue.show": { revision: "1" },
      "catalogue.revert": { revision: "2" },
      "catalogue.approve": { draft: await held("2000") },
      "catalogue.reject": { draft: await held("3000") },
      "prices.remove": { account: "shop@example.com" },
      "ledger.release": { reference: unknown[0]!, reason: "The vendor does not know it" },
      "ledger.settle": { reference: unknown[1]!, outcome: "not_found", reason: "The vendor says so" },
      "ledger.note": { reference: verified.json.data.request_reference, note: "The client asked" },
      "events.show": { event: event!.id },
      "ledger.show": { reference: verified.json.data.request_reference },
      "books.statement": { account: "shop@example.com", month: lastMonth },
      "books.adjust": { account: "shop@example.com", credit: "100", reason: "Goodwill", sure: true },
      "events.endpoints.roll": { id: receiver.id },
      "events.endpoints.remove": { id: removed.id },
      "events.resend": { endpoint: receiver.id },
      "people.invite": { email: "mary@example.com", role: "operator" },
      "people.remove": { person: "grace@example.com" },
      "books.reconcile": { invoice: [invoice], vendor: "dojah", month: lastMonth },
      "books.settle-unknown": { invoice: [invoice], vendor: "dojah", month: lastMonth, reason: "Invoice 4411" },
      backup: { file: join(folder, "backup.jsonl") },
    },
    duba,
    async dump() {
      const rows = await Promise.all(
        Object.keys(allTables).map(async (table) => {
          const found = await sql`select * from ${sql.table(table)}`.execute(store.db);
          // The probe of the store writes its time into this row, so the row changes by itself.
          const rows = found.rows.map((row) => ({ table, text: JSON.stringify(row) }));
          return rows.filter(({ text }) => !text.includes('"name":"probe"'));
        }),
      );
      return rows.flat().sort((one, other) => (one.table + one.text < other.table + other.text ? -1 : 1));
    },
    secrets: () => [
      sandboxKey,
      receiver.secret,
      removed.secret,
      ...[...readFileSync(ring, "utf8").matchAll(/"([A-Za-z0-9+/]{43}=)"/g)].map(([, key]) => key!.slice(0, 12)),
    ],
    async close() {
      await store.close();
      await dispose();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Commands that end what other commands need come last. */
function inOrder(commands: readonly AnyCommand[]): AnyCommand[] {
  const last = ["keyring.rotate", "subjects.erase"];
  return commands.toSorted((one, other) => Number(last.includes(one.id)) - Number(last.includes(other.id)));
}

function newEntries(before: readonly Row[], after: readonly Row[]): { kind: string; actor: string }[] {
  const known = new Set(before.map(({ text }) => text));
  const added = after.filter(({ table, text }) => table === "audit_entry" && !known.has(text));
  return added.map(({ text }) => JSON.parse(text));
}

/** The problems of an example, but for the lines of standard input, which an example does not have. */
function problemsOf({ input }: AnyCommand, example: Example) {
  const isPrivate = (field: string) => membersOf(input).find(({ name }) => name === field)!.member.private;
  const texts = { ...example, ...filesOf(input, example) };
  return readTexts(input, texts as Parameters<typeof readTexts>[1], lagos).problems.filter(
    ({ field }) => !isPrivate(field),
  );
}

function filesOf(input: AnyCommand["input"], example: Example) {
  const members = membersOf(input).filter(({ member }) => member.holds === "file");
  return Object.fromEntries(members.map(({ name }) => [name, [example[name as keyof Example] ?? []].flat()]));
}

/** A text that is invalid for the member; undefined if every text is valid. */
function badTextFor(member: Member): string | undefined {
  const { read, enum: words } = member.items ?? member;
  const bad = "~no value~";
  return words || read?.(bad, lagos) === undefined ? (words || read ? bad : undefined) : undefined;
}

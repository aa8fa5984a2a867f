import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { parse } from "csv-parse/sync";
import { assertAbsent } from "../../../test/support/canaries.ts";
import { ran } from "../../../test/support/command-line.ts";
import { engines } from "../../../test/support/engines.ts";
import { suiteService } from "../../../test/support/service.ts";
import { entryOf } from "../../audit/append.ts";
import { accessTrail } from "../../declare/access-trail.ts";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { storeTrail } from "../../storage/store-trail.ts";
import { peopleTrail } from "../console/people/people-trail.ts";
import { subjectTrail } from "../data-subjects/subject-trail.ts";
import { alarmTrail } from "../health/alarm-trail.ts";
import { evidenceColumns } from "./evidence-files.ts";

const at = (day: string) => Date.parse(`${day}T12:00:00Z`);
const hash = (version: number, person: string) => `v${version}:${person.padEnd(22, "x")}`;
const person = "per_0123456789ab";

for (const engine of engines)
  suite(`duba evidence on ${engine.name}`, () => {
    const service = suiteService({ DUBA_LIMITS: "off", DUBA_CONSOLE: "127.0.0.1:0" }, engine);
    let folder: string;
    let out: string;
    let environment: Record<string, string | undefined>;
    const duba = (...argv: string[]) => ran(argv, { environment });
    const read = (file: string) => readFileSync(join(out, file), "utf8");
    const rowsOf = (file: string): Record<string, string>[] => parse(read(file), { columns: true });
    const write = (...argv: string[]) =>
      duba("evidence", "--from", "2026-01-01", "--to", `${new Date().getFullYear() + 1}-12-31`, "--out", out, ...argv);

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), "duba-evidence-"));
      out = `${folder}/evidence/`;
      const { dataDirectory, databaseUrl } = service.settings;
      environment = {
        DUBA_DATA: dataDirectory,
        DUBA_DATABASE_URL: databaseUrl,
        DUBA_CONSOLE: "127.0.0.1:0",
        DUBA_UPSTREAMS: "dojah",
        DUBA_RECORD_RETENTION: "36h",
        DUBA_DOJAH_APP_ID: "id",
        DUBA_DOJAH_KEY: "key",
      };
    });
    after(() => rmSync(folder, { recursive: true }));

    test("evidence counts people by hash, and gives a range if the hash key was rotated", async () => {
      const { db } = await service.store();
      const row = (day: string, version: number, who: string, changes = {}) =>
        verifiedRow("acc_1", at(day), { subject_hash: hash(version, who), ...changes });
      await storeRows(
        db,
        ...[row("2026-01-05", 1, "ada"), row("2026-02-05", 1, "ada"), row("2026-03-05", 1, "obi")],
        ...[row("2026-05-05", 2, "ada"), row("2026-05-06", 2, "ada"), row("2026-08-01", 2, "ada")],
        ...[row("2026-08-02", 2, "ada", { kind: "nin" }), row("2026-08-03", 2, "eve", { mode: "test" })],
        row("2026-08-04", 2, "x", { subject_hash: "erased" }),
      );
      await write();
      const [first, second] = ["2025-12-31T23:00:00.000Z", "2026-06-30T23:00:00.000Z"];
      assert.deepEqual(
        rowsOf("people.csv").map(({ to: _, ...row }) => Object.values(row).join(" ")),
        [`${first} bvn 2 3 5`, `${second} bvn 1 1 1`, `${second} nin 1 1 1`],
      );
    });

    test("evidence shows who had access when, and what was deleted, exported and erased", async () => {
      const { db } = await service.store();
      const entries: readonly [day: string, event: AuditEvent][] = [
        ["2026-01-10", peopleTrail.personInvited("terminal:ada", { person, email: "ada@example.com", role: "viewer" })],
        ["2026-01-11", accessTrail.personRegistered(`person:${person}`, { person, role: "viewer" })],
        ["2026-02-01", peopleTrail.personChanged("person:per_other", { person, changed: "role", role: "operator" })],
        ["2026-02-02", peopleTrail.personChanged(`person:${person}`, { person, changed: "name", role: "operator" })],
        ["2026-09-01", peopleTrail.personRemoved("terminal:ada", { person, email: "ada@example.com" })],
        ["2026-03-01", storeTrail.retentionSwept("system", { records: 3, keys: 4 })],
        ["2026-03-02", storeTrail.retentionSwept("system", { records: 2 })],
        ["2025-12-01", storeTrail.retentionSwept("system", { records: 9 })],
        ["2026-04-01", subjectTrail.erased("terminal:ada", { receipt: "rcp_1", records: 1, verifications: 2 })],
        [
          "2026-04-02",
          alarmTrail.acknowledged("terminal:ada", {
            alarm: "vendor:dojah",
            until: at("2026-04-03"),
            note: "Ask Ada",
          }),
        ],
      ];
      const rows = entries.map(([day, event]) => entryOf(event, at(day)));
      await db.insertInto("audit_entry").values(rows).execute();
      await write();
      const ofPerson = rowsOf("access.csv").filter(({ who }) => who === person);
      assert.deepEqual(
        ofPerson.map(({ what, from, until, by }) => [what, from!.slice(0, 10), until!.slice(0, 10), by]),
        [
          ["viewer", "2026-01-11", "2026-02-01", person],
          ["operator", "2026-02-01", "2026-09-01", "per_other"],
        ],
      );
      assert.ok(rowsOf("access.csv").some(({ what }) => /^test key of acc_\w+: catalogue:read/.test(what!)));
      assert.deepEqual(
        rowsOf("swept.csv")
          .filter(({ from }) => from!.startsWith("2025-12-31"))
          .map(({ what, removed }) => [what, removed]),
        [
          ["records", "5"],
          ["keys", "4"],
        ],
      );
      assert.deepEqual(rowsOf("requests-of-persons.csv"), [
        {
          at: "2026-04-01T12:00:00.000Z",
          what: "erased",
          receipt: "rcp_1",
          verifications: "2",
          records: "1",
          by: "terminal",
        },
      ]);
      assert.ok(
        rowsOf("incidents.csv").some(({ what, about }) => what === "alarm.acknowledged" && about === "vendor:dojah"),
      );
      const kept = rowsOf("retention.csv").find(({ rule }) => rule === "sealed records");
      assert.equal(kept?.kept_days, "1.5");
    });

    test("evidence contains the operator's statements, and names statements that are missing", async () => {
      const basis = join(folder, "basis.csv");
      writeFileSync(
        basis,
        "about,purpose,basis,country\nbvn,Know your customer,consent,\ndojah,,,Nigeria 22000000017\n",
      );
      assert.equal((await write("--basis", basis)).exitCode, 0);
      const [bvn, nin] = rowsOf("processing.csv");
      const whatIs = (about: string) => rowsOf("processing.csv").find((row) => row.about === about)!.what!;
      for (const kind of ["bvn", "nin"])
        for (const part of ["last four digits", "reference of the consent", "the vendor's reference of the look-up"])
          assert.ok(whatIs(kind).includes(part), part);
      assert.match(whatIs("accounts"), /name, e-mail, postal address, tax number/);
      assert.deepEqual([bvn!.purpose, bvn!.basis, nin!.basis], ["Know your customer", "consent", "not stated"]);
      const [dojah] = rowsOf("recipients.csv");
      assert.deepEqual([dojah!.vendor, dojah!.host, dojah!.attempts], ["dojah", "api.dojah.io", "0"]);
      assert.match(dojah!.country!, /^Nigeria \D+$/);
      // No cell runs in a spreadsheet, and only the owner can read the files, whatever the umask is.
      writeFileSync(basis, "about,purpose,basis,country\nbvn,=1+1,@SUM(A1),\ndojah,,,+cmd|' /C calc'!A0\n");
      const [before, loose] = [process.umask(0), join(folder, "loose")];
      try {
        assert.equal((await write("--basis", basis, "--out", `${loose}/`)).exitCode, 0);
      } finally {
        process.umask(before);
      }
      assert.equal(statSync(loose).mode & 0o777, 0o700);
      for (const file of readdirSync(loose)) assert.equal(statSync(join(loose, file)).mode & 0o777, 0o600, file);
      const [unsafe] = parse(readFileSync(join(loose, "processing.csv"), "utf8"), { columns: true }) as Record<
        string,
        string
      >[];
      assert.deepEqual([unsafe!.purpose, unsafe!.basis], ["'=1+1", "'@SUM(A1)"]);
      assert.match(readFileSync(join(loose, "recipients.csv"), "utf8"), /,'\+cmd/);
      writeFileSync(basis, "about,basis\nnobody,x\n");
      const { exitCode, err } = await write("--basis", basis);
      assert.equal(exitCode, 2);
      assert.match(err, /below "about" one of bvn, nin, accounts/);
    });

    test("evidence has a hash of each file, and says that it is no statement of compliance", async () => {
      const { exitCode, err } = await write();
      assert.deepEqual([exitCode, /11 files/.test(err)], [0, true], err);
      const sums = read("SHA256SUMS").trimEnd().split("\n");
      assert.deepEqual(
        sums.map((line) => line.split("  ")[1]),
        ["README.md", ...Object.keys(evidenceColumns)],
      );
      for (const line of sums) {
        const [sum, file = ""] = line.split("  ");
        assert.equal(createHash("sha256").update(read(file)).digest("hex"), sum, file);
      }
      for (const [file, columns] of Object.entries(evidenceColumns))
        assert.equal(read(file).split("\n")[0], columns.join(","), file);
      const readme = read("README.md");
      assert.match(readme, /not a statement of compliance/);
      for (const file of Object.keys(evidenceColumns)) assert.ok(readme.includes(`| ${file} |`), file);
      const { out: all } = await duba("evidence", "--from", "2026-01-01");
      for (const file of Object.keys(evidenceColumns)) assert.ok(all.includes(`==> ${file} <==\n`), file);
    });

    test("evidence holds nothing of persons, businesses or staff", async () => {
      const canaries = [
        "77712345678",
        "8099887766",
        "Canaryfola",
        "canary-consent",
        "staff-canary",
        "Canary Shop",
        "canary-note",
      ];
      const [bvn, phone, first_name] = canaries as [string, string, string];
      const verified = await service.ask("/api/v2/kyc/verify-bvn", {
        method: "POST",
        body: { bvn, phone: `0${phone}`, amount: "100", first_name },
        headers: { "Idempotency-Key": "k-canary", "Consent-Reference": "canary-consent" },
      });
      const { full_name, date_of_birth } = verified.json.data.personal_info;
      canaries.push(full_name, date_of_birth);
      await duba("people", "invite", "staff-canary@example.com", "--role", "operator");
      await duba("accounts", "create", "--name", "Canary Shop", "--email", "canary-note@example.com");
      await duba("accounts", "note", "canary-note@example.com", "--note", "canary-note");
      for (const verb of ["export", "erase"])
        assert.equal(
          (await ran(["subjects", verb, ...(verb === "erase" ? ["--yes"] : [])], { environment, stdin: bvn })).exitCode,
          0,
        );
      assert.equal((await duba("evidence", "--from", "2020-01-01", "--out", out)).exitCode, 0);
      assert.equal(rowsOf("requests-of-persons.csv").length, 3);
      for (const file of readdirSync(out)) assertAbsent(file, read(file), [...canaries, "example.com"]);
    });
  });

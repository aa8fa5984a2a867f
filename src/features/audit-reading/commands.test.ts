import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { type Ran, ran } from "../../../test/support/command-line.ts";
import { type Fresh, usualEngines } from "../../../test/support/engines.ts";
import { anchorPath, writeAnchor } from "../../audit/anchor/anchor.ts";
import { AnchorKeeper } from "../../audit/anchor/keeper.ts";
import { append, entryOf } from "../../audit/append.ts";
import { readHead, signFirstHead } from "../../audit/chain/head.ts";
import { signer } from "../../audit/chain/seal.ts";
import { sealEntries } from "../../audit/seal-batch.ts";
import { accessTrail } from "../../declare/access-trail.ts";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { keyringText } from "../../keyring/keyring.ts";
import { silent } from "../../runtime/log.ts";
import { openStore, type Store } from "../../storage/store.ts";

const sealKey = randomBytes(32);
const day = 86_400_000;

for (const { name, ready } of usualEngines) {
  suite(`the audit trail on ${name}, beside a process that serves`, () => {
    let place: Fresh;
    let store: Store;
    const ringFile = () => join(place.settings.dataDirectory, "ring");
    const anchorFile = () => anchorPath(ringFile());

    const begun = Date.now();

    function duba(argv: readonly string[], colours = false): Promise<Ran> {
      const { dataDirectory, databaseUrl } = place.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl, DUBA_KEYRING: ringFile() };
      return ran(["audit", ...argv], { environment, colours: { out: colours, err: colours } });
    }

    before(async () => {
      place = await ready();
      store = await openStore({ ...place.settings, serving: true, starting: true });
      const key = () => randomBytes(32);
      const ring = { hmac: [{ version: 1, key: key() }], records: [{ id: "r1", key: key() }], audit: sealKey };
      writeFileSync(ringFile(), keyringText(ring), { mode: 0o600 });
      const facts = { account: "acc_1", reason: "\u001b[31mlate\u001b[0m payment" };
      const daysAgo = (days: number, event: AuditEvent) => entryOf(event, Date.now() - days * day);
      const earlier = [
        daysAgo(3, accessTrail.accountSuspended("operator:amina", facts)),
        daysAgo(2, accessTrail.keyRevoked("operator:amina", { key: "k1" })),
        daysAgo(1, accessTrail.keyRevoked("system", { key: "k2" })),
      ];
      await store.db.insertInto("audit_entry").values(earlier).execute();
      await signFirstHead(store.db, signer(sealKey));
      await sealEntries(store.db, signer(sealKey));
      await append(store.db, accessTrail.keyCreated("system", { key: "k3", expires_at: Date.UTC(2027, 0, 1) }));
    });
    after(async () => {
      await store.close();
      await place.dispose();
    });

    test("duba audit verify reports an intact trail, and prints its head", async () => {
      const { exitCode, out, err } = await duba(["verify"]);
      assert.equal(exitCode, 0);
      assert.equal(out, "The audit trail is whole. 3 entries in 1 batch were read, and 1 waits to be sealed.\n");
      assert.match(err, /\nThe anchor file .*ring\.anchor does not exist\. If there was one, somebody removed it\.\n$/);
      const [, head = ""] = /^Head: (1:[\w-]{43})\n/.exec(err) ?? [];
      const { exitCode: again, out: json } = await duba(["verify", "--head", head, "--json"]);
      assert.equal(again, 0);
      const counts = { batches: 1, removed_batches: 0, entries: 3, unsealed: 1 };
      assert.deepEqual(JSON.parse(json), {
        whole: true,
        ...counts,
        head,
        anchor: null,
        anchor_at: null,
        anchor_file: anchorFile(),
        anchors_made_at: [],
        clock_went_back: [],
        problems: [],
      });
    });

    test("duba audit verify lists the places of tampering, and exits with 1", async () => {
      const { id } = await store.db
        .updateTable("audit_entry")
        .set({ actor: "mallory" })
        .where("actor", "=", "operator:amina")
        .where("kind", "=", "key.revoked")
        .returning("id")
        .executeTakeFirstOrThrow();
      const pretty = await duba(["verify"]);
      assert.equal(pretty.exitCode, 1);
      assert.equal(pretty.out, `Entry ${id} of batch 1 was changed after it was sealed.\n`);
      assert.match(pretty.err, /^The audit trail has 1 problem\. 3 entries in 1 batch were read/);
      const json = await duba(["verify", "--json"]);
      assert.equal(json.exitCode, 1);
      const { whole, problems } = JSON.parse(json.out);
      assert.deepEqual(
        { whole, problems },
        { whole: false, problems: [{ batch: 1, entry: id, what: "was changed after it was sealed" }] },
      );
      await store.db.updateTable("audit_entry").set({ actor: "operator:amina" }).where("id", "=", id).execute();
      assert.equal((await duba(["verify"])).exitCode, 0);
    });

    test("duba audit exits with 1 if the given head is not part of the trail", async () => {
      const { exitCode, out } = await duba(["verify", "--head", `2:${"A".repeat(43)}`]);
      assert.equal(exitCode, 1);
      assert.equal(out, "Batch 2 is named by the kept head, and the trail ends before it.\n");
    });

    test("duba audit ends with 1 if the anchor is not part of the trail, or was changed", async () => {
      const { store: name, batch, hash, removed } = (await readHead(store.db, signer(sealKey)))!;
      await writeAnchor(anchorFile(), signer(sealKey), { store: name, batch, hash, removed });
      const whole = await duba(["verify"]);
      assert.equal(whole.exitCode, 0);
      assert.match(whole.err, /\nAnchor: batch 1, of \d{4}-.*\+01\n$/);
      await writeAnchor(anchorFile(), signer(sealKey), { store: name, batch: 2, hash, removed });
      const behind = await duba(["verify", "--json"]);
      assert.equal(behind.exitCode, 1);
      const { anchor, problems } = JSON.parse(behind.out);
      const what = "is named by the anchor, and the trail ends before it";
      assert.deepEqual({ anchor, problems }, { anchor: `2:${hash}`, problems: [{ batch: 2, entry: null, what }] });
      writeFileSync(anchorFile(), "{}");
      assert.equal((await duba(["verify"])).exitCode, 1);
      rmSync(anchorFile());
    });

    test("duba audit tells that the anchor was made anew, because somebody had removed it", async () => {
      const keeper = new AnchorKeeper({ db: store.db, sign: signer(sealKey), path: anchorFile(), log: silent });
      await keeper.move();
      const { err, out } = await duba(["verify"]);
      assert.match(out, /^The audit trail is whole/);
      assert.match(
        err,
        /\nA new anchor was made at \d{4}-\d\d-\d\d \d\d:\d\d\+01, because there was none: .* put back before\.\n/,
      );
      await store.db.deleteFrom("audit_entry").where("kind", "=", "audit.anchored").execute();
      rmSync(anchorFile());
    });

    test("duba audit shows progress on a terminal only, on a line that it clears", async () => {
      const errorsOf = async (command: string) =>
        (await duba([command], true)).err
          .replaceAll("\r\u001b[K", "<clear>")
          .replace(/Head: .*/, "Head")
          .replace(/The anchor file .*\n/, "");
      assert.match(await errorsOf("verify"), /^<clear>\[#{20}\] 100% 1 batches, \d+ a second<clear>Head\n$/);
      assert.match(await errorsOf("export"), /^<clear>1 batches, \d+ a second<clear>$/);
      assert.equal((await duba(["export"])).err, "");
    });

    test("duba audit shows the newest entries, oldest first, without control characters", async () => {
      const { exitCode, out, err } = await duba(["tail"]);
      assert.equal(exitCode, 0);
      const lines = out.trimEnd().split("\n");
      assert.match(lines[0]!, /^occurred_at +kind +actor +facts$/);
      assert.match(
        lines[1]!,
        /^\d{4}-\d\d-\d\d \d\d:\d\d\+01 +account\.suspended +operator:amina +account=acc_1 reason=late payment$/,
      );
      assert.match(lines[4]!, / key\.created +system +key=k3 expires_at=2027-01-01T00:00:00\.000Z$/);
      assert.equal(lines.length, 5);
      assert.match(err, /^Head: 1:[\w-]{43}\n$/);
    });

    for (const [narrowed, argv, keys] of [
      ["their number", ["--lines", "2"], ["k2", "k3"]],
      ["kind", ["--kind", "key.revoked"], ["k1", "k2"]],
      ["a time ago", ["--since", "36h"], ["k2", "k3"]],
      ["a kind that is left out", ["--lines", "2", "--without", "key.created"], ["k1", "k2"]],
      ["the end of the time", ["--until", "36h", "--kind", "key.revoked"], ["k1"]],
      ["a day", ["--since", new Date(Date.now() + 2 * day).toISOString().slice(0, 10)], []],
    ] as const) {
      test(`duba audit narrows the newest entries by ${narrowed}`, async () => {
        const { entries, head } = JSON.parse((await duba(["tail", ...argv, "--json"])).out);
        assert.deepEqual(
          entries.map(({ facts }: { facts: { key: string } }) => facts.key),
          keys,
        );
        assert.match(head, /^1:/);
      });
    }

    test("duba audit tail --json prints entries as JSON", async () => {
      const { entries } = JSON.parse((await duba(["tail", "--lines", "1", "--json"])).out);
      const [{ id, occurred_at, ...rest }] = entries;
      assert.match(id, /^[\w-]{20}$/);
      assert.ok(Date.parse(occurred_at) >= begun && Date.parse(occurred_at) <= Date.now());
      const facts = { key: "k3", expires_at: "2027-01-01T00:00:00.000Z" };
      assert.deepEqual(rest, { kind: "key.created", actor: "system", facts, batch: null });
    });

    test("duba audit tail shows entries even after tampering", async () => {
      const { id, facts } = await store.db
        .selectFrom("audit_entry")
        .select(["id", "facts"])
        .where("kind", "=", "account.suspended")
        .executeTakeFirstOrThrow();
      const set = (values: { facts: string; occurred_at: number }) =>
        store.db.updateTable("audit_entry").set(values).where("id", "=", id).execute();
      await set({ facts: "no JSON", occurred_at: 2 ** 53 });
      assert.match((await duba(["tail", "--lines", "1"])).out, /\n9007199254740992 .* no JSON\n$/);
      await set({ facts, occurred_at: Date.now() - 3 * day });
    });

    test("duba audit exports JSON lines: entries, seals and the head", async () => {
      const { exitCode, out } = await duba(["export"]);
      assert.equal(exitCode, 0);
      const lines = out
        .trimEnd()
        .split("\n")
        .map((line) => Object.keys(JSON.parse(line))[0]);
      assert.deepEqual(lines, ["entry", "entry", "entry", "seal", "head"]);
    });

    for (const [problem, argv, sentence] of [
      ["a head of another form", ["verify", "--head", "abc"], /^--head must be a head that `duba audit tail`/],
      [
        "a period that ends before it begins",
        ["tail", "--since", "2026-11-05", "--until", "2026-11-01"],
        /^The period ends before it begins\./,
      ],
    ] as const) {
      test(`duba audit refuses ${problem} as usage`, async () => {
        const { exitCode, out, err } = await duba(argv);
        assert.deepEqual({ exitCode, out }, { exitCode: 2, out: "" });
        assert.match(err, sentence);
      });
    }
  });
}

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { freshStore } from "../../../test/support/fresh-store.ts";
import { serviceTrail } from "../../commands/service-trail.ts";
import { accessTrail } from "../../declare/access-trail.ts";
import type { Db } from "../../storage/tables.ts";
import { entryOf } from "../append.ts";
import { appendAt, appendSome, engines, problemsIn, sealKey, sealSome, sign, trailStore } from "../audit.fixture.ts";
import { openAuditTrail } from "../audit.ts";
import { readHead, signFirstHead } from "../chain/head.ts";
import { signer } from "../chain/seal.ts";
import { sealEntries } from "../seal-batch.ts";
import { verify } from "../verify-chain.ts";
import { readAnchor, writeAnchor } from "./anchor.ts";
import { AnchorKeeper } from "./keeper.ts";

const revoked = accessTrail.keyRevoked("system", { key: "k" });

/** A log that keeps the heads of the trail in one list, and its warnings and errors in another. */
function lines() {
  const heads: unknown[] = [];
  const kept: { level: string; fields: Record<string, unknown>; message: string }[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void kept.push({ level, fields: fields as Record<string, unknown>, message });
  const info = (fields: object) => void heads.push((fields as { head?: string }).head);
  return { heads, kept, log: { info, warn: at("warn"), error: at("error") } };
}

function anchorIn(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "duba-anchor-"));
  t.after(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  });
  return join(folder, "ring.anchor");
}

/** Changes the database as an attacker with write access would, so that the service seals the whole trail anew. */
async function rewrite(db: Db): Promise<void> {
  await db.updateTable("audit_entry").set({ batch: null, position: 0, actor: "mallory" }).execute();
  await db.deleteFrom("audit_seal").execute();
  await db.updateTable("audit_head").set({ store: "", batch: 0, hash: "", removed: 0, mac: "" }).execute();
}

/** Copies all rows of the trail, so that a test can restore these rows later. */
async function copyOf(db: Db) {
  const [entries, seals, heads] = [
    await db.selectFrom("audit_entry").selectAll().execute(),
    await db.selectFrom("audit_seal").selectAll().execute(),
    await db.selectFrom("audit_head").selectAll().execute(),
  ];
  return async () => {
    for (const table of ["audit_entry", "audit_seal", "audit_head"] as const) await db.deleteFrom(table).execute();
    if (entries.length > 0) await db.insertInto("audit_entry").values(entries).execute();
    if (seals.length > 0) await db.insertInto("audit_seal").values(seals).execute();
    await db.insertInto("audit_head").values(heads).execute();
  };
}

for (const engine of engines) {
  suite(`the first head on ${engine.name}`, () => {
    const store = trailStore(engine);

    test("the first head is signed once, and a restart never seals a damaged trail anew", async (t) => {
      await sealSome(store.db, 3, 2);
      const putBack = await copyOf(store.db);
      await appendAt(store.db, Date.now(), serviceTrail.serviceStarted("system", { version: "0", engine: "x" }));
      await sealEntries(store.db, sign);
      await rewrite(store.db);
      const { kept, log } = lines();
      const auditTrail = await openAuditTrail({ db: store.db, sealKey, anchor: anchorIn(t), log });
      await auditTrail.stop();
      assert.equal((await store.db.selectFrom("audit_seal").select("batch").execute()).length, 0);
      assert.ok(kept.some(({ message }) => message.startsWith("The audit trail is not being sealed")));
      assert.deepEqual(auditTrail.alarms(), ["not_sealed", "anchor"]);
      const [problem] = await problemsIn(store.db);
      assert.deepEqual([problem?.batch, problem?.entry, problem?.what.slice(0, 10)], [null, null, "is missing"]);
      await putBack();
    });

    test("the first head is signed even if commands came before the first start", async (t) => {
      const { db } = (await freshStore(t, engine, { serving: false })).store;
      await appendSome(db, 2);
      await Promise.all([signFirstHead(db, sign), signFirstHead(db, sign)]);
      await sealEntries(db, sign);
      assert.deepEqual(await problemsIn(db), []);
    });
  });

  suite(`the anchor on ${engine.name}`, () => {
    const store = trailStore(engine);
    const keeperOn = (path: string) => {
      const { log, ...told } = lines();
      return { keeper: new AnchorKeeper({ db: store.db, sign, path, log }), ...told };
    };

    test("the anchor file is replaced whole when the head moves, and the log names the new head", async (t) => {
      const path = anchorIn(t);
      const { keeper, heads } = keeperOn(path);
      await keeper.move();
      assert.equal((await readAnchor(path, sign))?.batch, 0);
      await sealSome(store.db, 2, 2);
      await keeper.move();
      await keeper.move();
      const head = (await readHead(store.db, sign))!;
      const anchor = (await readAnchor(path, sign))!;
      assert.deepEqual([anchor.store, anchor.batch, anchor.hash], [head.store, head.batch, head.hash]);
      assert.deepEqual(heads, [`${head.batch}:${head.hash}`]);
      assert.deepEqual(readdirSync(join(path, "..")), ["ring.anchor"]);
    });

    for (const after of ["at once", "after the service sealed further batches"]) {
      test(`the anchor detects ${after} that the trail was rolled back, and verify reports it`, async (t) => {
        const path = anchorIn(t);
        const { keeper, kept } = keeperOn(path);
        const putBack = await copyOf(store.db);
        await sealSome(store.db, 2, 2);
        await keeper.move();
        const anchor = (await readAnchor(path, sign))!;
        await putBack();
        if (after !== "at once") await sealSome(store.db, 1, 1, 1);
        for (let minute = 0; minute < 3; minute += 1) await keeper.move();
        assert.equal(keeper.alarm, true);
        assert.deepEqual(
          kept.map(({ level }) => level),
          ["warn", "error"],
        );
        assert.match(String(kept[1]!.fields.reason), /it was put back\. If somebody put .* remove .*ring\.anchor/);
        assert.deepEqual(await readAnchor(path, sign), anchor);
        const problems = await problemsIn(store.db, { anchor });
        assert.deepEqual(
          problems.map(({ batch, what }) => [batch, /names|named by the anchor/.test(what)]),
          [[anchor.batch, true]],
        );
        assert.deepEqual(await problemsIn(store.db), []);
      });
    }

    test("the anchor finds another store under the same key ring", async (t) => {
      const path = anchorIn(t);
      const { keeper, kept } = keeperOn(path);
      const head = (await readHead(store.db, sign))!;
      await writeAnchor(path, sign, { ...head, store: "another", batch: 0, hash: "" });
      await keeper.move();
      assert.match(String(kept[0]!.fields.reason), /is of another store than its anchor/);
      const problems = await problemsIn(store.db, { anchor: (await readAnchor(path, sign))! });
      assert.deepEqual(problems, [{ batch: null, entry: null, what: "is of another store than the anchor" }]);
    });

    test("a changed anchor, or one made with another key, raises an alarm and is not replaced", async (t) => {
      const path = anchorIn(t);
      const { keeper } = keeperOn(path);
      await keeper.move();
      const text = readFileSync(path, "utf8");
      for (const bent of [text.replace(/"batch":\d+/, '"batch":0'), "{", ""]) {
        writeFileSync(path, bent);
        await keeper.move();
        assert.equal(keeper.alarm, true);
        assert.equal(readFileSync(path, "utf8"), bent);
      }
      writeFileSync(path, text);
      await assert.rejects(readAnchor(path, signer(randomBytes(32))), /was changed, or is of another key ring/);
      await keeper.move();
      assert.equal(keeper.alarm, false);
    });

    test("a removed anchor is written again, and the log and the trail report it", async (t) => {
      const { keeper, kept } = keeperOn(anchorIn(t));
      const before = await readHead(store.db, sign);
      await keeper.move();
      const noted = await store.db
        .selectFrom("audit_entry")
        .select("facts")
        .where("kind", "=", "audit.anchored")
        .execute();
      assert.equal(noted.at(-1)?.facts, `{"batch":${before?.batch}}`);
      assert.deepEqual(
        kept.map(({ level, fields }) => [level, fields.batch]),
        [["warn", before?.batch]],
      );
      assert.match(kept[0]!.message, /^The audit trail has no anchor/);
      await keeper.move();
      assert.equal(kept.length, 1);
    });

    test("a failure to write the anchor is logged once, and raises no alarm", async (t) => {
      const path = join(anchorIn(t), "..", "missing", "ring.anchor");
      const { keeper, kept } = keeperOn(path);
      await keeper.move();
      await keeper.move();
      assert.deepEqual(
        kept.map(({ level, fields }) => [level, fields.reason]),
        [["warn", "ENOENT"]],
      );
      assert.equal(keeper.alarm, false);
    });

    test("the anchor is written when the service stops", async (t) => {
      const { log } = lines();
      const path = anchorIn(t);
      const auditTrail = await openAuditTrail({ db: store.db, sealKey, anchor: path, log });
      await appendSome(store.db, 1);
      await auditTrail.stop();
      assert.equal((await readAnchor(path, sign))?.batch, (await readHead(store.db, sign))?.batch);
    });
  });

  suite(`a backdated entry on ${engine.name}`, () => {
    const store = trailStore(engine);

    test("an entry dated 30 minutes before the previous batch was sealed is found; 4 minutes are not", async () => {
      const now = Date.now();
      await sealSome(store.db, 2);
      await appendAt(store.db, now - 4 * 60_000, revoked);
      await sealEntries(store.db, sign);
      assert.deepEqual(await problemsIn(store.db), []);
      await appendAt(store.db, now - 30 * 60_000, revoked);
      await sealEntries(store.db, sign);
      const [problem, ...others] = await problemsIn(store.db);
      assert.match(problem!.what, /^is dated 30 minutes before the batch in front of it was sealed/);
      assert.deepEqual([problem!.batch, others], [3, []]);
    });

    test("after an hour-fast clock is set right, no entry counts as backdated, and the batch is named", async (t) => {
      const { db } = (await freshStore(t, engine, { serving: false })).store;
      await signFirstHead(db, sign);
      const now = Date.now();
      const minutes = 60_000;
      const seal = async (at: number) => {
        await appendAt(db, at, revoked);
        await sealEntries(db, sign, () => at);
      };
      const places = async () => (await problemsIn(db)).map(({ batch }) => batch);
      for (const at of [0, 60, 61, 2, 3]) await seal(now + at * minutes);
      assert.deepEqual(await places(), []);
      const { clocksBack } = await verify(db, sealKey, { found: () => {} });
      assert.deepEqual(clocksBack, [{ batch: 4, by: 59 * minutes }]);
      await appendAt(db, now - 3 * minutes, revoked);
      await sealEntries(db, sign, () => now + 4 * minutes);
      assert.deepEqual(await places(), [6], "an entry that is dated before the batch of the right clock");
      await seal(now - 70 * minutes);
      assert.deepEqual(await places(), [6, 7], "the clock went back by more than an hour");
    });

    test("an entry that waited in a backlog of batches does not count as backdated", async (t) => {
      const { db } = (await freshStore(t, engine, { serving: false })).store;
      const hourAgo = Date.now() - 3_600_000;
      await signFirstHead(db, sign);
      await appendAt(db, hourAgo, revoked);
      await sealEntries(db, sign, () => hourAgo);
      const waiting = Array.from({ length: 1500 }, (_, index) => entryOf(revoked, hourAgo + index));
      for (const rows of [waiting.slice(0, 1000), waiting.slice(1000)])
        await db.insertInto("audit_entry").values(rows).execute();
      await sealEntries(db, sign);
      assert.deepEqual(await problemsIn(db), []);
    });
  });
}

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { readKeyring } from "../../keyring/file.ts";
import { keyringText, matchKeyring } from "../../keyring/keyring.ts";
import { applyRetention } from "../../storage/tables/apply-retention.fixture.ts";
import { newRequest, suiteStore, usualEngines } from "../../verification/identity.fixture.ts";
import { namesOf } from "./rotate.ts";
import { rotateIfDue } from "./self-rotation.ts";

const start = Date.UTC(2026, 0, 1);
const hour = 60 * 60_000;
const day = 24 * hour;

for (const engine of usualEngines) {
  suite(`a ring that rotates by itself on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("a key ring gets a new record key each day, and drops a key once the key's records are gone", async (t) => {
      const folder = await mkdtemp(join(tmpdir(), "duba-keyring-"));
      t.after(() => rm(folder, { recursive: true }));
      const path = join(folder, "keyring");
      const key = () => ({ key: randomBytes(32) });
      const ring = { hmac: [{ version: 1, ...key() }], records: [{ id: "r1", ...key() }], audit: randomBytes(32) };
      await writeFile(path, keyringText(ring), { mode: 0o600 });
      await matchKeyring(store.db, ring, start);

      let time = start;
      const told: AuditEvent[] = [];
      const audit = async (_: unknown, ...events: AuditEvent[]) => void told.push(...events);
      const look = async (at: number) => {
        time = at;
        await rotateIfDue({ path, db: store.db, every: day, audit, actor: "system", now: () => time });
        return namesOf(await readKeyring(path)).join(" ");
      };
      assert.equal(await look(start + day - 1), "r1 v1");
      const room = await store.open(t, { keyring: { current: await readKeyring(path) }, now: () => time });
      await room.verify(newRequest({ idempotencyKey: "k" }));
      assert.equal(await look(start + day), "r1 r2 v1");
      assert.equal(await look(start + day + hour), "r1 r2 v1", "a record is sealed under r1");
      await applyRetention(store.db, { now: start + 2 * day, recordRetention: day });
      assert.equal(await look(start + 2 * day - hour), "r2 v1");
      assert.equal(await look(start + 2 * day + hour), "r2 r3 v1");
      assert.deepEqual(
        told.map(({ kind, facts }) => [kind, ...Object.values(facts)]),
        [
          ["keyring.rotated", "r2"],
          ["keyring.retired", "r1"],
          ["keyring.rotated", "r3"],
        ],
      );
    });
  });
}

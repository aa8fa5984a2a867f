import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { withSuiteStore } from "../../../test/support/fresh-store.ts";
import { accessTrail } from "../../declare/access-trail.ts";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { changeCount } from "../../storage/change-counter.ts";
import type { Db } from "../../storage/tables.ts";
import { recorded } from "../access.fixture.ts";
import { AccessError } from "../access-error.ts";
import { type Account, createAccount } from "../accounts/accounts.ts";
import { readApiKey, secretHash } from "../secrets.ts";
import { changeKey } from "./change-key.ts";
import { createKey, listKeys, revokeKey } from "./keys.ts";
import { rollKey } from "./roll.ts";

const hour = 3_600_000;

for (const engine of usualEngines) {
  suite(`keys on ${engine.name}`, () => {
    let db: Db;
    let account: Account;
    withSuiteStore(engine, async (store) => {
      db = store.db;
      account = await createAccount(recorded(db), { name: "Acme", email: "acme@example.com" });
    });

    const create = (more: object = {}, now?: number) =>
      createKey(recorded(db), { account: account.id, mode: "test", label: "shop", ...more }, now);
    const apiKeyOf = async (id: string) => (await listKeys(db)).find((key) => key.id === id);

    test("keys are stored as a hash and never listed with their secret", async () => {
      const { key, text } = await create();
      const row = await db.selectFrom("api_key").selectAll().where("id", "=", key.id).executeTakeFirstOrThrow();
      assert.equal(row.secret_hash, secretHash(text));
      const secret = text.slice(-49, -6);
      for (const shown of [row, await listKeys(db)]) assert.doesNotMatch(JSON.stringify(shown), new RegExp(secret));
      assert.doesNotMatch(JSON.stringify(await listKeys(db)), new RegExp(row.secret_hash));
    });

    test("the list of keys covers one account or all", async () => {
      const other = await createAccount(recorded(db), { name: "Other", email: "other@example.com" });
      const { key } = await create({ account: other.id });
      assert.deepEqual(await listKeys(db, other.id), [key]);
      assert.ok((await listKeys(db)).length > 1);
    });

    test("a second revocation of a key writes nothing", async () => {
      const { key } = await create();
      const change = await changeCount(db, "access");
      assert.equal((await revokeKey(recorded(db), key.id, 6000)).revoked_at, 6000);
      const revoked = await changeCount(db, "access");
      assert.ok(revoked > change);
      const entries: AuditEvent[] = [];
      assert.equal((await revokeKey(recorded(db, entries), key.id, 7000)).revoked_at, 6000);
      assert.equal((await apiKeyOf(key.id))?.revoked_at, 6000);
      assert.equal(await changeCount(db, "access"), revoked);
      assert.deepEqual(entries, []);
    });

    test("a change of a key changes only the given members", async () => {
      const { key } = await create({ addresses: ["10.0.0.1"], expiresAt: 9000 }, 1000);
      const change = await changeCount(db, "access");
      const entries: AuditEvent[] = [];
      const scopes = ["identity:verify"];
      const changed = await changeKey(recorded(db, entries), key.id, { scopes, expiresAt: null }, 2000);
      assert.deepEqual(changed, { ...key, scopes, expires_at: null });
      assert.deepEqual(await apiKeyOf(key.id), changed);
      assert.ok((await changeCount(db, "access")) > change);
      const facts = { key: key.id, account: account.id, changed: "scopes expires_at", scopes: "identity:verify" };
      const more = { addresses: "10.0.0.1", expires_at: null };
      assert.deepEqual(entries, [accessTrail.keyChanged("test", { ...facts, ...more })]);
      const open = await changeKey(recorded(db), key.id, { addresses: [], label: "till" }, 2000);
      assert.deepEqual([open.addresses, open.label, open.scopes], [[], "till", scopes]);
    });

    test("an expired key works again with a later end, but a revoked key stays revoked", async () => {
      const { key } = await create({ expiresAt: 2000 }, 1000);
      assert.equal((await changeKey(recorded(db), key.id, { expiresAt: 9000 }, 3000)).expires_at, 9000);
      await revokeKey(recorded(db), key.id, 4000);
      await assert.rejects(changeKey(recorded(db), key.id, { label: "x" }, 5000), /is revoked: create a new one/);
      const { key: other } = await create({}, 1000);
      for (const bad of [{ expiresAt: 5000 }, { scopes: [] }, { scopes: ["all"] }, { addresses: ["here"] }])
        await assert.rejects(changeKey(recorded(db), other.id, bad, 5000), AccessError);
      assert.deepEqual(await apiKeyOf(other.id), other);
      await assert.rejects(changeKey(recorded(db), "missing", { label: "x" }), AccessError);
    });

    test("a roll makes a key like the old one, which ends after the overlap", async () => {
      const { key: old } = await create({ mode: "live", scopes: ["catalogue:read"], addresses: ["10.0.0.1"] }, 1000);
      const change = await changeCount(db, "access");
      const { key, text } = await rollKey(recorded(db), { id: old.id }, 2000);
      assert.deepEqual(readApiKey(text), { id: key.id, mode: "live" });
      assert.deepEqual(await apiKeyOf(key.id), { ...old, id: key.id, created_at: 2000 });
      assert.deepEqual(await apiKeyOf(old.id), { ...old, expires_at: 2000 + 24 * hour });
      assert.ok((await changeCount(db, "access")) > change);
    });

    test("a roll keeps the key's lifetime, and never extends the old key", async () => {
      const { key: old } = await create({ expiresAt: 1000 + hour }, 1000);
      const { key } = await rollKey(recorded(db), { id: old.id, overlap: 2 * hour }, 2000);
      assert.equal(key.expires_at, 2000 + hour);
      assert.equal((await apiKeyOf(old.id))?.expires_at, 1000 + hour);
    });

    test("unknown and ended keys cannot be rolled", async () => {
      const { key } = await create();
      await revokeKey(recorded(db), key.id);
      const { key: expired } = await create({ expiresAt: 2000 }, 1000);
      for (const id of ["000000000000", key.id, expired.id])
        await assert.rejects(rollKey(recorded(db), { id }), AccessError);
      const { key: fine } = await create();
      await assert.rejects(rollKey(recorded(db), { id: fine.id, overlap: -1 }), AccessError);
    });
  });
}

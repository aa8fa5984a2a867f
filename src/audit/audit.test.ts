import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { accessTrail } from "../declare/access-trail.ts";
import type { Log } from "../runtime/log.ts";
import { engines, problemsIn, sealKey, trailStore } from "./audit.fixture.ts";
import { openAuditTrail } from "./audit.ts";

for (const engine of engines) {
  suite(`the auditTrail of a service on ${engine.name}`, () => {
    const store = trailStore(engine);
    const fail = (fields: object, message: string) => assert.fail(`${message}: ${JSON.stringify(fields)}`);
    const log: Log = { info: () => {}, warn: fail, error: fail };
    const anchor = () => `${store.fresh.settings.dataDirectory}/anchor`;
    const resumed = accessTrail.accountResumed("system", { account: "acc_1" });
    const unsealed = async () => {
      const rows = await store.db.selectFrom("audit_entry").select("id").where("batch", "is", null).execute();
      return rows.length;
    };

    test("a service seals the entries of all processes, and seals the last entries when it stops", async () => {
      const auditTrail = await openAuditTrail({ db: store.db, sealKey, anchor: anchor(), log });
      await auditTrail.append(store.beside, resumed);
      assert.equal(await unsealed(), 1);
      await auditTrail.seal();
      assert.equal(await unsealed(), 0);
      await auditTrail.append(store.db, resumed);
      await auditTrail.stop();
      assert.equal(await unsealed(), 0);
      assert.deepEqual(await problemsIn(store.db), []);
    });

    test("a clock that jumped ahead and back leaves no problem in the seals", async (t) => {
      const now = Date.now();
      t.mock.timers.enable({ apis: ["Date"], now });
      const auditTrail = await openAuditTrail({ db: store.db, sealKey, anchor: anchor(), log, now: () => now });
      await auditTrail.append(store.db, resumed);
      t.mock.timers.setTime(now + 3 * 3_600_000);
      await auditTrail.seal();
      t.mock.timers.setTime(now + 1_000);
      await auditTrail.append(store.db, resumed);
      await auditTrail.stop();
      assert.deepEqual(await problemsIn(store.db), []);
    });

    test("the audit trail logs once why it cannot seal, and still appends entries", async () => {
      const lines: object[] = [];
      await store.db.deleteFrom("audit_head").execute();
      const auditTrail = await openAuditTrail({
        db: store.db,
        sealKey,
        anchor: anchor(),
        log: { ...log, error: (...line) => lines.push(line) },
      });
      await auditTrail.append(store.db, resumed);
      await auditTrail.seal();
      await auditTrail.seal();
      await auditTrail.stop();
      const reason = "The head of the audit trail is missing, was changed, or is of another key.";
      assert.deepEqual(lines, [
        [{ reason }, "The audit trail is not what its anchor names; its anchor stays"],
        [{ reason }, "The audit trail is not being sealed; this is tried again"],
      ]);
      assert.deepEqual(auditTrail.alarms(), ["not_sealed", "anchor"]);
      assert.equal(await unsealed(), 1);
    });
  });
}

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Kysely } from "kysely";
import { usualEngines } from "../../../test/support/engines.ts";
import { withSuiteStore } from "../../../test/support/suite-store.ts";
import type { Tables } from "../../storage/tables.ts";
import { recorded } from "../access.fixture.ts";
import { AccessError } from "../access-error.ts";
import { changeAccount, createAccount, findAccount, listAccounts, resumeAccount, suspendAccount } from "./accounts.ts";

for (const engine of usualEngines) {
  suite(`accounts on ${engine.name}`, () => {
    let db: Kysely<Tables>;
    withSuiteStore(engine, (store) => {
      db = store.db;
    });

    test("are created, listed oldest first, and found by id or by e-mail without case", async () => {
      const second = await createAccount(recorded(db), { name: "Second", email: "Second@Example.com" }, 2000);
      const first = await createAccount(recorded(db), { name: " First ", email: "first@example.com" }, 1000);
      assert.deepEqual(await listAccounts(db), [first, second]);
      assert.deepEqual(first, {
        id: first.id,
        name: "First",
        email: "first@example.com",
        fees: {},
        answers: "full",
        terms: {},
        createdAt: 1000,
        suspendedAt: null,
      });
      assert.equal(second.email, "second@example.com");
      assert.deepEqual(await findAccount(db, first.id), first);
      assert.deepEqual(await findAccount(db, "SECOND@example.COM"), second);
    });

    test("have an e-mail of their own, whatever its case", async () => {
      await createAccount(recorded(db), { name: "Taken", email: "taken@example.com" });
      await assert.rejects(
        createAccount(recorded(db), { name: "Other", email: "TAKEN@example.com" }),
        new AccessError("Another account has the e-mail taken@example.com."),
      );
    });

    test("are refused without a name or with what is no e-mail address", async () => {
      await assert.rejects(createAccount(recorded(db), { name: " ", email: "a@example.com" }), AccessError);
      for (const email of ["", "example.com", "a@b@c", "a b@example.com", "a:b@example.com"])
        await assert.rejects(createAccount(recorded(db), { name: "A", email }), AccessError);
    });

    test("are changed where a change is given, and keep the rest", async () => {
      const { id } = await createAccount(recorded(db), {
        name: "Kept",
        email: "kept@example.com",
        fees: { bvn: 5_000, nin: 6_000 },
      });
      await changeAccount(recorded(db), "KEPT@example.com", { answers: "masked" });
      const { name, fees, answers } = await changeAccount(recorded(db), id, { name: " Renamed " });
      assert.deepEqual(
        { name, fees, answers },
        { name: "Renamed", fees: { bvn: 5_000, nin: 6_000 }, answers: "masked" },
      );
      assert.deepEqual((await changeAccount(recorded(db), id, { fees: { bvn: null } })).fees, { nin: 6_000 });
      await assert.rejects(changeAccount(recorded(db), id, { name: " " }), AccessError);
    });

    test("take another e-mail, in lower case, unless it is bad or another account has it", async () => {
      const { id } = await createAccount(recorded(db), { name: "Moved", email: "old@example.com" });
      assert.equal((await changeAccount(recorded(db), id, { email: "New@Example.com" })).email, "new@example.com");
      assert.equal((await findAccount(db, "new@example.com")).id, id);
      await assert.rejects(findAccount(db, "old@example.com"), AccessError);
      await changeAccount(recorded(db), id, { email: "new@example.com" });
      await assert.rejects(changeAccount(recorded(db), id, { email: "new" }), AccessError);
      await createAccount(recorded(db), { name: "Next", email: "next@example.com" });
      await assert.rejects(
        changeAccount(recorded(db), id, { name: "Lost", email: "NEXT@example.com" }),
        new AccessError("Another account has the e-mail next@example.com."),
      );
      assert.equal((await findAccount(db, id)).name, "Moved");
    });

    test("are suspended since the first time, until they are resumed", async () => {
      const { id } = await createAccount(recorded(db), { name: "Paused", email: "paused@example.com" });
      assert.equal((await suspendAccount(recorded(db), id, 1000)).suspendedAt, 1000);
      assert.equal((await suspendAccount(recorded(db), id, 2000)).suspendedAt, 1000);
      assert.equal((await resumeAccount(recorded(db), id)).suspendedAt, null);
      assert.equal((await findAccount(db, id)).suspendedAt, null);
    });

    test("that are not there are named", async () => {
      await assert.rejects(suspendAccount(recorded(db), "nobody@example.com"), AccessError);
      await assert.rejects(
        findAccount(db, "nobody@example.com"),
        new AccessError('No account has the id or e-mail "nobody@example.com".'),
      );
    });
  });
}

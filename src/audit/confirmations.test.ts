import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { softwarePasskey } from "../../test/support/software-passkey.ts";
import { until } from "../../test/support/until.ts";
import { accessTrail } from "../declare/access-trail.ts";
import type { AuditEvent } from "../declare/audit-kind.ts";
import { type Confirmation, challengeOf, type Deed, passkeyDigest } from "../declare/command/deed.ts";
import { append, appendWith } from "./append.ts";
import { engines, problemsIn, removeOld, sign, trailStore } from "./audit.fixture.ts";
import { sealEntries } from "./seal-batch.ts";

const ada = "person:per_ada";
const topUp: Deed = {
  command: "accounts.top-up",
  input: { account: "a", amount: "5" },
  nonce: "n1",
  at: 1_800_000_000_000,
};
const confirmed = new Set(["account.topped_up"]);

for (const engine of engines)
  suite(`confirmations in the audit trail on ${engine.name}`, () => {
    const store = trailStore(engine);
    const own = softwarePasskey("https://console.example");
    const foreign = softwarePasskey("https://console.example");

    /** A confirmation in the console's form. `over`: changes of the signed facts. */
    const signedBy = (passkey: typeof own, deed: Deed, over: Partial<Confirmation> = {}): Confirmation => {
      const { authenticatorData, clientDataJSON, signature } = passkey.sign(
        challengeOf(deed).toString("base64url"),
      ).response;
      return {
        ...deed,
        passkey: passkey.id,
        public_key: passkey.publicKey,
        authenticator_data: authenticatorData,
        client_data: clientDataJSON,
        signature,
        ...over,
      };
    };
    /** Leaves a sealed entry, and returns the problems of the trail since then. */
    const problemsOf = async (
      confirmation: Confirmation | undefined,
      {
        actor = ada,
        of = accessTrail.accountToppedUp as (actor: string, facts: { account: string }) => AuditEvent,
      } = {},
    ) => {
      const before = await problemsIn(store.db, { confirmed });
      await appendWith(actor, { confirmation })(store.db, of(actor, { account: "a" }));
      await sealEntries(store.db, sign);
      const after = await problemsIn(store.db, { confirmed });
      return after.slice(before.length).map(({ what }) => what);
    };
    const register = (person: string, { publicKey }: typeof own) =>
      append(
        store.db,
        accessTrail.personRegistered(person, { person: person.split(":")[1]!, passkey: passkeyDigest(publicKey) }),
      );

    test("a confirmation signed by the person's passkey is valid in every entry of its command", async () => {
      await register(ada, own);
      await register("person:per_bob", foreign);
      const confirmation = signedBy(own, topUp);
      assert.deepEqual(await problemsOf(confirmation), []);
      assert.deepEqual(await problemsOf(confirmation, { of: accessTrail.accountResumed }), []);
    });

    test("a confirmation that differs from what was signed, or is used again, is reported", async () => {
      const deed = { ...topUp, nonce: "n2" };
      const unsigned = ["has a confirmation that no passkey signed"];
      for (const over of [
        { input: { account: "b", amount: "5" } },
        { input: { account: "a", amount: "50" } },
        { command: "books.adjust" },
        { nonce: "n3" },
        { at: 1_800_000_000_001 },
        { public_key: foreign.publicKey },
        { signature: "" },
        { client_data: "e30" },
      ])
        assert.deepEqual(await problemsOf(signedBy(own, deed, over)), unsigned, JSON.stringify(over));
      assert.deepEqual(await problemsOf(signedBy(own, topUp)), ["repeats the confirmation of another entry"]);
    });

    test("a confirmation of another person, of an unregistered passkey, or a missing one is reported", async () => {
      const never = ["is confirmed with a passkey that its actor never registered"];
      assert.deepEqual(await problemsOf(signedBy(foreign, { ...topUp, nonce: "n4" })), never);
      const stranger = softwarePasskey("https://console.example");
      assert.deepEqual(await problemsOf(signedBy(stranger, { ...topUp, nonce: "n5" })), never);
      assert.deepEqual(await problemsOf(signedBy(own, { ...topUp, nonce: "n6" }), { actor: "system" }), never);
      assert.deepEqual(await problemsOf(undefined), ["has no confirmation by a passkey"]);
      assert.deepEqual(await problemsOf(undefined, { actor: "terminal:ada" }), []);
      assert.deepEqual(await problemsOf(undefined, { of: accessTrail.accountResumed }), []);
    });

    test("a passkey whose registration retention removed stays valid until its person registers another", async () => {
      const [former, next] = [1, 2].map(() => softwarePasskey("https://console.example"));
      const grace = { actor: "person:per_grace" };
      await register(grace.actor, former!);
      await sealEntries(store.db, sign);
      await removeOld(store.db, Date.now() + 60_000);
      assert.deepEqual(await problemsOf(signedBy(former!, { ...topUp, nonce: "n7" }), grace), []);
      const leftAt = Date.now();
      await until(() => Date.now() > leftAt);
      await register(grace.actor, next!);
      assert.deepEqual(await problemsOf(signedBy(next!, { ...topUp, nonce: "n8" }), grace), []);
      const late = await problemsOf(signedBy(former!, { ...topUp, nonce: "n9" }), grace);
      assert.deepEqual(late, ["is confirmed with a passkey that its actor never registered"]);
    });
  });

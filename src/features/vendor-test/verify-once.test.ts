import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Pulse } from "../../storage/pulse/pulse.ts";
import { engines, keyring, newRequest, suiteStore, usualSettings } from "../../verification/identity.fixture.ts";
import { onlyRow } from "../../verification/ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "../../verification/played-upstream.fixture.ts";
import { verifyOnce } from "./verify-once.ts";

for (const engine of engines)
  suite(`the verification of a command on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const begin = (upstream: PlayedUpstream, timeLimit = 20_000) => {
      const request = newRequest({ mode: "live" });
      const { db, log } = store;
      const settings = { ...usualSettings, timeLimit };
      const parts = { db, log, settings, keyring: { current: keyring }, now: store.opened.now };
      return { request, ended: verifyOnce(upstream as never, parts, request) };
    };

    test("a starting service leaves the running verification of a command alone", async (t) => {
      const upstream = new PlayedUpstream();
      const { request, ended } = begin(upstream);
      await upstream.asked();
      await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] } });
      assert.equal((await onlyRow(store.db, request)).state, "started");
      upstream.answer(await verified(request));
      assert.equal((await ended).row.state, "verified");
      assert.equal((await onlyRow(store.db, request)).charged, 1);
    });

    test("a verification becomes unknown by itself if its command is killed", async (t) => {
      const upstream = new PlayedUpstream();
      const { request, ended } = begin(upstream);
      await upstream.asked();
      const { jobs } = await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] } });
      // The command leaves its row and a lease that nobody renews.
      await store.db.updateTable("verification_owner").set({ expires_at: 1 }).where("serves", "=", 0).execute();
      const end = jobs.find(({ name }) => name === "end verifications of processes that are gone")!;
      await end.run(undefined, new AbortController().signal);
      assert.equal((await onlyRow(store.db, request)).state, "unknown");
      upstream.answer({ state: "unknown", reason: "unclear" });
      await ended;
    });

    test("a command leaves no lease behind and never becomes the leader", async () => {
      const upstream = new PlayedUpstream();
      const { ended } = begin(upstream);
      await upstream.asked();
      // The process with the first id leads.
      await store.db.updateTable("verification_owner").set({ id: "!" }).where("serves", "=", 0).execute();
      const pulse = await Pulse.open({ store: store.opened, log: store.log });
      assert.ok(pulse.isLeader());
      await pulse.stop();
      await store.db.deleteFrom("verification_owner").where("id", "=", "!").execute();
      upstream.answer({ state: "unknown", reason: "unclear" });
      await ended;
      assert.deepEqual(await store.db.selectFrom("verification_owner").selectAll().execute(), []);
    });
  });

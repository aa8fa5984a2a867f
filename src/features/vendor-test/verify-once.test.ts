import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Pulse } from "../../storage/pulse/pulse.ts";
import { CircuitBreaker } from "../../vendors/circuit-breaker.ts";
import { attempt } from "../../vendors/conformance.fixture.ts";
import type { IdentityOutcome } from "../../vendors/ports/identity-upstream.ts";
import { negative, unavailable } from "../../vendors/ports/outcomes.ts";
import { engines, keyring, newRequest, suiteStore, usualSettings } from "../../verification/identity.fixture.ts";
import { onlyRow } from "../../verification/ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "../../verification/played-upstream.fixture.ts";
import { UpstreamNotes, upstreamStatus } from "../../verification/routes/upstream-status.ts";
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

    test("an answer to a command ends the alarm of a service about the vendor's empty wallet", async () => {
      const served = new PlayedUpstream();
      const options = { timeout: 5_000, concurrency: 4, breakerFailures: 3, breakerPause: 10_000, alarmPause: 60_000 };
      const breaker = new CircuitBreaker(served, { ...options, log: store.log });
      const notes = new UpstreamNotes(store.db, "service", [breaker]);
      const meets = async (reason: "no_money" | "bad_credentials") => {
        const asked = breaker.verify(attempt);
        served.answer(unavailable(reason), served.received.length);
        await asked;
      };
      const alarmAfter = async (outcome: IdentityOutcome, startedAt: number) => {
        const upstream = new PlayedUpstream();
        const { request, ended } = begin(upstream);
        await upstream.asked();
        upstream.answer(outcome);
        await ended;
        const { reference } = await onlyRow(store.db, request);
        const row = store.db.updateTable("verification_attempt").set({ started_at: startedAt });
        await row.where("reference", "=", reference).execute();
        await notes.note();
        const { alarm, state } = breaker.health();
        await store.db.deleteFrom("verification_attempt").where("reference", "=", reference).execute();
        return [alarm, state];
      };
      const [now, empty] = [Date.now(), ["no_money", "open"]];
      await meets("no_money");
      assert.deepEqual(await alarmAfter(unavailable("no_money"), now + 60_000), empty);
      assert.deepEqual(await alarmAfter(negative("not_found"), now - 1), empty, "it was asked before");
      assert.deepEqual(await alarmAfter(negative("not_found"), now + 60_000), [null, "ready"]);
      const [noted] = (await upstreamStatus(store.db)).filter(({ upstream }) => upstream === "played");
      assert.deepEqual([noted!.alarm, noted!.state, noted!.ill_since], [null, "ready", null]);
      // Another process may have other credentials.
      await meets("bad_credentials");
      assert.deepEqual(await alarmAfter(negative("not_found"), now + 60_000), ["bad_credentials", "open"]);
      await notes.stop();
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

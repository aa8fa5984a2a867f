import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { plainText } from "../../declare/command/rich-text.ts";
import { explainRoute as explain } from "../../features/ledger-reports/explain-route.ts";
import { unavailable } from "../../vendors/ports/outcomes.ts";
import { newRequest, suiteStore, usualEngines } from "../identity.fixture.ts";
import { attemptsOf } from "../ledger.fixture.ts";
import { answering, verified } from "../played-upstream.fixture.ts";

const explainRoute = (...asked: Parameters<typeof explain>) => plainText(explain(...asked), { at: String });

for (const engine of usualEngines)
  suite(`why a vendor was asked, on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("each attempt stores why its vendor was chosen, in plain words", async (t) => {
      const good = answering(verified).upstream;
      const live = [
        { ...good, name: "names", needs: ["names"] as const },
        { ...good, name: "consent", needs: ["consent"] as const },
        { ...good, name: "bvn", kinds: ["bvn"] as const },
        { ...good, name: "away", isReady: () => false },
        { ...answering(() => unavailable("no_money")).upstream, name: "empty" },
        { ...good, name: "last" },
      ];
      const identity = await store.open(t, { upstreams: { test: good, live } });
      const explained = async (changes = {}) => {
        const mine = newRequest({ mode: "live", kind: "nin", ...changes });
        await identity.verify(mine);
        return explainRoute(await attemptsOf(store.db, mine));
      };
      assert.equal(
        await explained(),
        "empty was asked, because names needs names that the request did not bring, consent needs a consent that " +
          "the request did not bring, bvn does not offer this check and away was not ready, and did no work: " +
          "the balance there was empty. Then last was asked, and gave the record.",
      );
      assert.equal(
        await explained({ kind: "bvn", consentReference: "c-1" }),
        "consent was asked, because names needs names that the request did not bring, and gave the record.",
      );
      assert.equal(
        await explained({ mode: "test" }),
        "answering was asked, the first in the order, and gave the record.",
      );
    });

    test("the explanation names vendors that could not be asked", async (t) => {
      const good = answering(verified).upstream;
      let isReady = true;
      const live = [
        { ...answering(() => unavailable("not_reached")).upstream, name: "unreachable" },
        { ...answering(() => unavailable("no_money")).upstream, name: "empty", isReady: () => isReady },
        { ...good, name: "busy", isReady: () => isReady },
        { ...good, name: "last" },
      ];
      const identity = await store.open(t, { upstreams: { test: good, live } });
      const explained = async () => {
        const mine = newRequest({ mode: "live" });
        await identity.verify(mine);
        return explainRoute(await attemptsOf(store.db, mine));
      };
      assert.equal(
        await explained(),
        "empty was asked, because unreachable could not be reached, and did no work: the balance there was empty. " +
          "Then busy was asked, and gave the record.",
      );
      isReady = false;
      assert.equal(
        await explained(),
        "last was asked, because unreachable could not be reached, " +
          "empty was not ready and busy was not ready, and gave the record.",
      );
    });

    test("the explanation compares the figures of a vendor that was passed over and of the vendor asked", () => {
      const explained = (reason: string) =>
        explainRoute([
          {
            vendor: "new",
            why: `cheapest old@6430/2000/12 new@5620/500/0.4 old=${reason}`,
            outcome: "negative",
            reason: "not_found",
          },
        ]);
      assert.match(
        explained("dearer"),
        /because old costs more for a record \(₦64\.30 a record, new ₦56\.20 a record\)/,
      );
      assert.match(explained("too_slow"), /because old was too slow \(95 of 100 answers within 2000 ms\)/);
      assert.match(explained("too_many_failures"), /because old failed too often \(12 of 100 attempts\)/);
    });

    test("the explanation has words for outcomes without a record", () => {
      const said = (
        outcome: "negative" | "failed" | "unknown",
        reason: "blocked" | "bad_response" | "timed_out" | "no_phone" | null,
      ) =>
        explainRoute([{ vendor: "v", why: null, outcome, reason }]).replace(
          "v was asked, the first in the order, and ",
          "",
        );
      assert.equal(said("negative", "blocked"), "said that the number is blocked.");
      assert.equal(said("negative", "no_phone"), "knew the number with another phone.");
      assert.equal(said("failed", "bad_response"), "its response could not be trusted.");
      assert.equal(said("unknown", "timed_out"), "its outcome is not known: it did not answer in time.");
      assert.equal(said("unknown", null), "its outcome is not known: no answer of it was stored.");
      assert.equal(explainRoute([]), "No vendor was asked.");
    });
  });

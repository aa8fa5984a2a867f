import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { rebuildSums } from "../../ledger/journal/rebuild-sums.ts";
import { attemptSums } from "../../ledger/reports/attempt-sums.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import type { IdentityOutcome } from "../../vendors/ports/identity-upstream.ts";
import { badResponse, negative, unavailable } from "../../vendors/ports/outcomes.ts";
import { engines, newRequest, suiteStore } from "../../verification/identity.fixture.ts";
import { answering, verified } from "../../verification/played-upstream.fixture.ts";
import { parseInvoice } from "./invoice.ts";
import { differences } from "./match-invoice.ts";
import { reconcileInvoice } from "./reconcile-invoice.ts";

const zone = new TimeZone("Africa/Lagos");
const [from, to] = [zone.startOfMonth("2026-11"), zone.startOfMonth("2026-12")];
const prices = { bvn: 5_050, "bvn.not_found": 1_000 };
const hour = 3_600_000;

interface Billed {
  reference: string;
  at: number;
  last4: string;
  price: number;
}

for (const engine of engines) {
  suite(`a reconciliation on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("a correct invoice has no differences, and each planted one is found", async (t) => {
      const bills: Billed[] = [];
      let now = from;
      /** The vendor bills its work, even if we lost or could not read the response. */
      const outcomes = ["verified", "not_found", "lost", "no_money", "unreadable", "verified"] as const;
      const { upstream, received } = answering(async (attempt, nth): Promise<IdentityOutcome> => {
        const outcome = outcomes[nth % outcomes.length]!;
        if (outcome === "no_money") return unavailable("no_money");
        const reference = `D-${nth}`;
        const price = outcome === "not_found" ? prices["bvn.not_found"] : prices.bvn;
        bills.push({ reference, at: now + 3_000, last4: attempt.number.slice(-4), price });
        if (outcome === "lost") return { state: "unknown", reason: "connection_lost" };
        if (outcome === "unreadable") return badResponse("unreadable");
        return outcome === "not_found"
          ? { ...negative("not_found"), reference }
          : { ...(await verified(attempt)), reference };
      });
      const settings = { limits: null, vendorPrices: { answering: prices } };
      const upstreams = { test: upstream, live: [upstream] };
      const identity = await store.open(t, { upstreams, settings, now: () => now });
      const mine = newRequest({ mode: "live" });
      for (now of [from - 1, from, ...Array.from({ length: 60 }, (_, nth) => from + (nth + 1) * 11 * hour), to - 1, to])
        await identity.verify(mine).catch(() => {});
      const month = bills.filter(({ at }) => at - 3_000 >= from && at - 3_000 < to);

      const invoiceOf = (lines: readonly Billed[]) =>
        parseInvoice(
          `Reference,Date,BVN,Amount\n${lines
            .map((line) => {
              const date = zone.isoOf(line.at).slice(0, 16).replace("T", " ");
              return `${line.reference},${date},*******${line.last4},${line.price / 100}\n`;
            })
            .join("")}`,
          zone,
        ).lines;
      const compare = async (lines: readonly Billed[]) => {
        const found = await reconcileInvoice(store.db, invoiceOf(lines), { vendor: "answering", from, to });
        const of = (name: (typeof differences)[number]) =>
          found.differences[name].map(({ line, attempt }) => line?.reference ?? attempt?.vendor_reference);
        return { agreed: found.agreed.length, found: Object.fromEntries(differences.map((name) => [name, of(name)])) };
      };
      const nothing = {
        other_price: [],
        failed_here: [],
        no_price: [],
        doubled: [],
        credit: [],
        only_vendor: [],
        of_erased: [],
        only_here: [],
      };
      assert.deepEqual(await compare(month), { agreed: month.length, found: nothing });

      const answered = month.filter(({ reference }) =>
        ["verified", "not_found"].includes(outcomes[Number(reference.slice(2)) % 6]!),
      );
      const [missing, dearer, doubled] = answered;
      const lines = month
        .filter((line) => line !== missing)
        .map((line) => (line === dearer ? { ...line, price: line.price + 1 } : line));
      const foreign = { reference: "D-9999", at: from + 5 * hour, last4: "9999", price: 5_050 };
      assert.deepEqual(await compare([...lines, doubled!, foreign]), {
        agreed: month.length - 2,
        found: {
          other_price: [dearer!.reference],
          failed_here: [],
          no_price: [],
          doubled: [doubled!.reference],
          credit: [],
          only_vendor: ["D-9999"],
          of_erased: [],
          only_here: [missing!.reference],
        },
      });

      const period = { from, to, accountId: mine.accountId };
      await rebuildSums(
        { db: store.db, audit: async () => {}, actor: "test", now: Date.now, progress: () => {} },
        zone,
      );
      const [sums, ...more] = await attemptSums(store.db, period, {
        by: "month",
        zone,
      });
      assert.deepEqual(more, []);
      assert.equal(sums!.attempts, received.length - 2);
      assert.equal(
        sums!.costKobo,
        month.reduce((sum, { price }) => sum + price, 0),
      );
      assert.equal(sums!.unpriced, 0);
    });

    test("an attempt that the vendor's clock puts into another month is matched within a tolerance", async (t) => {
      let now = from;
      const upstream = { ...answering(verified).upstream, name: "edges" };
      const settings = { limits: null, vendorPrices: { edges: prices } };
      const identity = await store.open(t, {
        upstreams: { test: upstream, live: [upstream] },
        settings,
        now: () => now,
      });
      const minute = 60_000;
      const edges = [from - 9 * minute, from - 12 * minute, from, to - 1, to + 9 * minute, to + 12 * minute];
      for (const [nth, at] of edges.entries()) {
        now = at;
        await identity.verify({ ...newRequest({ mode: "live" }), number: `2200000700${nth}` });
      }
      const compare = async (times: readonly (readonly [nth: number, at: number])[]) => {
        const lines = times.map(([nth, at]) => `${zone.isoOf(at).slice(0, 19).replace("T", " ")},700${nth},50.50\n`);
        const invoice = parseInvoice(`Date,BVN,Amount\n${lines.join("")}`, zone).lines;
        const found = await reconcileInvoice(store.db, invoice, { vendor: "edges", from, to });
        const count = (name: (typeof differences)[number]) => found.differences[name].length;
        return [found.agreed.length, count("only_vendor"), count("only_here")];
      };
      // Two of our attempts are in the month. The others are outside, and need no line.
      assert.deepEqual(await compare([]), [0, 0, 2]);
      const own = [
        [2, from],
        [3, to - 1_000],
      ] as const;
      assert.deepEqual(await compare(own), [2, 0, 0]);
      const beside = [
        [0, from + 30_000],
        [4, to - 30_000],
      ] as const;
      assert.deepEqual(await compare([...own, ...beside]), [4, 0, 0]);
      const far = [
        [1, from + 30_000],
        [5, to - 30_000],
      ] as const;
      assert.deepEqual(await compare([...own, ...far]), [2, 2, 0]);
    });
  });
}

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { type Attempt, newAttempt } from "../../ledger/attempts.ts";
import { storeAttempts, storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { ledgerTrail } from "../../ledger/ledger-trail.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { eraseVerifications } from "../../storage/erase-verifications.ts";
import { engines, suiteStore } from "../../verification/identity.fixture.ts";
import { parseInvoice } from "./invoice.ts";
import { reconcileInvoice } from "./reconcile-invoice.ts";
import { decideUnknowns, settleUnknowns } from "./settle-unknowns.ts";

const zone = new TimeZone("Africa/Lagos");
const [from, to] = [zone.startOfMonth("2026-10"), zone.startOfMonth("2026-11")];
const prices = { bvn: 5_000, "bvn.not_found": 1_000, "bvn.blocked": 2_000, "bvn.phone_mismatch": 2_000 };
const [minute, hour] = [60_000, 3_600_000];
const now = to + 9.5 * minute;

/** A verification with an unknown outcome, keyed by its last digits. */
interface Case {
  /** The start, in milliseconds since 1970. */
  at: number;
  /** Changes of its attempts. Default: one attempt without a response. */
  attempts?: Partial<Attempt>[];
  mode?: "test";
}

const cases: Record<string, Case> = {
  // The lines match by the vendor's reference, by ours, or by time and digits. Their prices belong to one outcome,
  // several, or none.
  "0001": { at: from + hour, attempts: [{ vendor_reference: "D-1" }] },
  "0002": { at: from + 2 * hour },
  "0003": { at: from + 3 * hour },
  "0004": { at: from + 4 * hour },
  "0005": { at: from + 5 * hour },
  "0006": { at: from + 6 * hour, attempts: [{}, {}, {}] },
  "0007": { at: from + 7 * hour },
  "0008": { at: from + 8 * hour, attempts: [{ vendor: "other" }, {}] },
  "0009": { at: from - minute },
  "0010": { at: to - minute },
  "0011": { at: to - 2 * minute },
  "0012": { at: to + minute, attempts: [{ vendor_reference: "D-12" }] },
  "0013": { at: from + 13 * hour, mode: "test" },
  "0014": { at: from + 14 * hour, attempts: [{ vendor: "other" }] },
};

for (const engine of engines)
  suite(`settling as an invoice says on ${engine.name}`, () => {
    const store = suiteStore(engine);
    let account = 0;

    /** Stores the cases, and two further verifications that fit the same line. */
    async function placed() {
      await store.db.deleteFrom("verification_attempt").execute();
      await store.db.deleteFrom("verification").execute();
      account += 1;
      const twins = [0, 1].map((nth): [string, Case] => ["0099", { at: from + 20 * hour + nth * minute }]);
      const all: [string, Case][] = [...Object.entries(cases), ...twins];
      const rows = all.map(([subject_last4, { at, mode, attempts = [{}] }]) => {
        const none = { charged: 0, charged_at: null, completed_at: null } as const;
        const row = verifiedRow(`acc_${account}`, at, { ...none, state: "unknown", subject_last4 });
        return { row: { ...row, mode: mode ?? "live", run: attempts.length, kind: "bvn" }, attempts };
      });
      await storeRows(store.db, ...rows.map(({ row }) => row));
      const asked = rows.flatMap(({ row, attempts }) =>
        attempts.map((changes, nth) => ({
          ...newAttempt(
            { ...row, run: nth + 1 },
            { vendor: "dojah", at: row.started_at + nth * 1_000, requestId: "request", price: prices.bvn },
          ),
          ...changes,
        })),
      );
      await storeAttempts(store.db, ...asked);
      return (digits: string) => rows.find(({ row }) => row.subject_last4 === digits)!.row.reference;
    }

    const invoiceOf = (referenceOf: (digits: string) => string) => {
      const at = (digits: string) => zone.isoSecondOf(cases[digits]!.at).slice(0, 19);
      return parseInvoice(
        [
          "reference,time,bvn,amount",
          "D-1,,,50",
          `${referenceOf("0002")},,,10`,
          `,${at("0003")},*******0003,20`,
          `,${at("0004")},*******0004,`,
          `D-5,${at("0005")},22000000005,77`,
          `${referenceOf("0006")},,,50`,
          `${referenceOf("0006")},,,50`,
          `,${at("0010")},0010,10`,
          "D-12,,,50",
          `,${zone.isoSecondOf(from + 20 * hour).slice(0, 19)},0099,50`,
          "D-404,,,50",
        ].join("\n"),
        zone,
      ).lines;
    };

    const roomWith = (audit: (event: AuditEvent) => void = () => {}) => ({
      db: store.db,
      actor: "person:ada",
      now: () => now,
      progress: () => {},
      config: { vendorPrices: { dojah: prices } },
      audit: async (_: unknown, ...events: AuditEvent[]) => events.forEach(audit),
    });
    const endsOf = (decisions: Awaited<ReturnType<typeof decideUnknowns>>) =>
      Object.fromEntries(decisions.map(({ row, end, as }) => [row.subject_last4, [end, as]]));
    const stored = async () => {
      const rows = store.db
        .selectFrom("verification")
        .innerJoin("verification_attempt as attempt", "attempt.reference", "verification.reference")
        .select(["subject_last4", "state", "verification.reason as why", "outcome", "attempt.reason", "charged"]);
      return (await rows.orderBy("verification.reference").orderBy("number").execute()).map((row) => ({ ...row }));
    };

    test("an invoice settles, releases or skips each unknown verification once, with an audit entry", async () => {
      const referenceOf = await placed();
      const invoice = { vendor: "dojah", lines: invoiceOf(referenceOf), whole: { from, to }, prices };
      const before = await stored();
      const decided = await decideUnknowns(roomWith(), invoice);
      const ends = {
        "0001": ["billed", "failed"],
        "0002": ["settled", "not_found"],
        // Two outcomes have this price.
        "0003": ["billed", "failed"],
        "0004": ["billed", "failed"],
        "0005": ["billed", "failed"],
        "0006": ["billed", "failed"],
        "0007": ["released", "failed"],
        "0008": ["other_vendor", null],
        "0009": ["not_covered", null],
        // 0010 is on the invoice. 0011 is not, perhaps because of the vendor's clock.
        "0010": ["settled", "not_found"],
        "0011": ["not_covered", null],
        "0012": ["too_young", null],
        "0099": ["ambiguous", null],
      };
      assert.deepEqual(endsOf(decided), ends);
      assert.deepEqual(await stored(), before);

      const events: AuditEvent[] = [];
      const done = await settleUnknowns(
        roomWith((event) => events.push(event)),
        decided,
        "Invoice 4411",
      );
      assert.deepEqual(endsOf(done), ends);
      const outcomes = Map.groupBy(await stored(), (row) => row.subject_last4);
      const attempts = (digits: string) => outcomes.get(digits)!.map(({ outcome, reason }) => [outcome, reason]);
      assert.deepEqual(attempts("0002"), [["negative", "not_found"]]);
      assert.deepEqual(attempts("0006"), [
        ["failed", "record_lost"],
        ["failed", "record_lost"],
        ["failed", "released"],
      ]);
      assert.deepEqual(attempts("0007"), [["failed", "released"]]);
      for (const left of ["0008", "0009", "0011", "0012", "0013", "0014", "0099"])
        assert.ok(
          outcomes.get(left)!.every(({ state, outcome }) => state === "unknown" && outcome === "unknown"),
          left,
        );
      assert.ok([...outcomes.values()].flat().every(({ charged }) => charged === 0));
      assert.deepEqual(
        events.find(({ facts }) => facts.reference === referenceOf("0006")),
        ledgerTrail.verificationSettled("person:ada", {
          reference: referenceOf("0006"),
          state: "failed",
          reason: "Invoice 4411 (line 7 and 8)",
        }),
      );
      assert.equal(events.length, 8);

      // For the settled verifications, the books agree with the invoice.
      const period = { vendor: "dojah", from, to, prices };
      const found = await reconcileInvoice(store.db, invoice.lines, period);
      assert.equal(found.differences.only_here.length, 0);
      const agreed = found.agreed.map(({ attempt }) => attempt!.reference);
      for (const digits of ["0001", "0002", "0006", "0010"]) assert.ok(agreed.includes(referenceOf(digits)), digits);

      const after = await stored();
      const again = await decideUnknowns(roomWith(), invoice);
      const left = Object.entries(ends).filter(([, [, as]]) => as === null);
      assert.deepEqual(endsOf(again), Object.fromEntries(left));
      await settleUnknowns(
        roomWith(() => assert.fail()),
        again,
        "Invoice 4411",
      );
      assert.deepEqual(await stored(), after);
    });

    test("a verification of an erased person is left if a line of the invoice fits its time", async () => {
      const referenceOf = await placed();
      const hashed = store.db.updateTable("verification").set({ subject_hash: "of-the-erased" });
      for (const digits of ["0003", "0007"]) await hashed.where("reference", "=", referenceOf(digits)).execute();
      await store.db.transaction().execute((trx) => eraseVerifications(trx, ["of-the-erased"], 10));
      const lines = invoiceOf(referenceOf);
      const decided = await decideUnknowns(roomWith(), { vendor: "dojah", lines, whole: { from, to }, prices });
      const endOf = (digits: string) => decided.find(({ row }) => row.reference === referenceOf(digits))!.end;
      assert.deepEqual(["0003", "0007"].map(endOf), ["ambiguous", "released"]);
      const { differences } = await reconcileInvoice(store.db, lines, { vendor: "dojah", from, to });
      assert.deepEqual(
        differences.of_erased.map(({ line, attempt }) => [line?.last4, attempt?.reference]),
        [["0003", referenceOf("0003")]],
      );
      assert.ok(differences.only_vendor.every(({ line }) => line?.last4 !== "0003"));
    });

    test("without a given month, an invoice releases only verifications between its first and last line", async () => {
      const referenceOf = await placed();
      const [, ...lines] = invoiceOf(referenceOf);
      const timed = lines.filter(({ time }) => time && time.from < from + 12 * hour);
      const decided = await decideUnknowns(roomWith(), { vendor: "dojah", lines: timed, whole: undefined, prices });
      const released = decided.filter(({ end }) => end === "released").map(({ row }) => row.subject_last4);
      // The lines reach from 0003 to 0005, which are both on the invoice.
      assert.deepEqual(released, []);
      const later = { ...timed[0]!, time: { from: from + 19 * hour, to: from + 19 * hour + 1_000 }, last4: "0000" };
      const more = await decideUnknowns(roomWith(), {
        vendor: "dojah",
        lines: [...timed, later],
        whole: undefined,
        prices,
      });
      const now = more.filter(({ end }) => end === "released").map(({ row }) => row.subject_last4);
      assert.deepEqual(now, ["0006", "0007"]);
    });

    test("after a crash a second run settles the rest, and skips verifications that have ended meanwhile", async () => {
      const referenceOf = await placed();
      const invoice = { vendor: "dojah", lines: invoiceOf(referenceOf), whole: { from, to }, prices };
      const decided = await decideUnknowns(roomWith(), invoice);
      const answered = referenceOf("0001");
      await store.db.updateTable("verification").set({ state: "verified" }).where("reference", "=", answered).execute();
      let entries = 0;
      const stopping = roomWith(() => {
        entries += 1;
        if (entries === 3) throw new Error("The power is gone");
      });
      await assert.rejects(settleUnknowns(stopping, decided, "Invoice 4411"), /power/);
      const ended = async () =>
        (await stored()).filter(({ outcome }) => outcome !== "unknown").map((row) => row.subject_last4);
      assert.deepEqual([...new Set(await ended())].sort(), ["0002", "0003"]);

      const references: unknown[] = [];
      const done = await settleUnknowns(
        roomWith(({ facts }) => references.push(facts.reference)),
        decided,
        "Invoice 4411",
      );
      assert.deepEqual(
        done.filter(({ end }) => end === "changed").map(({ row }) => row.subject_last4),
        ["0001", "0002", "0003"],
      );
      assert.deepEqual(references, ["0004", "0005", "0006", "0007", "0010"].map(referenceOf));
    });
  });

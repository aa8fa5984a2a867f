import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { RunningStandIn } from "../../../stand-ins/identity-server.ts";
import { phoneOfNumber, type StandInOutcome, standInNumbers } from "../../../stand-ins/numbers.ts";
import { sourceStandIns, standIns, withoutStandIn } from "../../../stand-ins/stand-ins.ts";
import { until } from "../../../test/support/until.ts";
import { starterLists } from "../../catalogue/starter.ts";
import type { CheckInput } from "../../checks/check.ts";
import { checkInputOf, checks } from "../../checks/index.ts";
import { numberIn, personOf } from "../../checks/kinds.fixture.ts";
import { type CheckKind, forEachKind, labelOf, reasonsOf } from "../../declare/check-kind.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import { notSentBecause, unavailable } from "../../vendors/ports/outcomes.ts";
import { storedReason } from "../../vendors/ports/reasons.ts";
import type { Vendor } from "../../vendors/ports/vendor.ts";
import { vendors } from "../../vendors/registry.ts";
import { startStandIn } from "../../vendors/sandbox/start-stand-in.ts";
import { VendorClient } from "../../vendors/vendor-client.ts";
import { billOf } from "../../vendors/vendor-prices.ts";
import { matchRecord } from "../../verification/attempts/match-record.ts";
import { catalogueSources } from "../sources/vendors/every-source.ts";
import { openSource } from "../sources/vendors/open-source.ts";
import { startListsStandIn } from "./start-lists.ts";

/** Duba's outcome for each response, unless the vendor differs. */
const usual: Readonly<Record<StandInOutcome, string>> = {
  found: "verified",
  large_photo: "verified",
  not_found: "negative not_found",
  other_phone: "negative phone_mismatch",
  blocked: "negative not_found",
  no_money: "failed no_money",
  maintenance: "unknown server_error",
  too_many_requests: "failed rate_limited",
  proxy_page: "unknown server_error",
  other_person: "failed bad_response",
  slow: "unknown timed_out",
  cut: "unknown connection_lost",
};
const own: Readonly<Record<string, Partial<typeof usual>>> = {
  // The vendor's response does not name the NIN, so only the phone shows another person.
  "dojah nin": { other_person: "negative phone_mismatch" },
  prembly: { blocked: "negative blocked", maintenance: "failed out_of_service" },
  seamfix: { maintenance: "unknown unclear" },
};

const prices = {
  ...forEachKind(
    (kind) => kind,
    () => 4500,
  ),
  nin: 4000,
  "*.not_found": 2000,
};

/** A caller's request for the number of this kind and ending, with matching claims. */
function askedOf(kind: CheckKind, digits = "17"): CheckInput {
  const { claims } = checkInputOf(checks[kind], checks[kind].example);
  const number = checks[kind].reserved(Number(digits));
  return { kind, number, claims: "phone" in claims ? { phone: phoneOfNumber(number) } : claims };
}

test("every vendor and catalogue source has a stand-in or a stated reason why it has none", () => {
  const named = [standIns, sourceStandIns, withoutStandIn].flatMap((each) => Object.keys(each)).sort();
  const wanted = new Set([...vendors, ...catalogueSources].map(({ name }) => name));
  assert.deepEqual(named, [...wanted].sort(), "Write its stand-in.ts, and its line in stand-ins/stand-ins.ts.");
});

for (const vendor of vendors.filter(({ name }) => name in standIns))
  suite(`the stand-in of ${vendor.name}`, () => {
    /** Opens the vendor's own adapter on its stand-in, with this text for each credential. */
    const withStandIn = async (
      credential: string,
      work: (opened: Awaited<ReturnType<Vendor["open"]>>, standIn: RunningStandIn) => Promise<void>,
    ) => {
      const log = new RecordedLog();
      const http = new VendorClient({ timeout: 10_000, connections: 2, keepAlive: false, standIns: true, log });
      const standIn = await startStandIn(vendor, { port: 0, prices });
      const values = Object.entries(vendor.settings).map(([member, setting]) => [
        member,
        setting.default || credential,
      ]);
      try {
        await work(await vendor.open({ ...Object.fromEntries(values), url: standIn.url }, { http, log }), standIn);
        assert.doesNotMatch(JSON.stringify(log.lines), /0000017|IBEKWE/);
      } finally {
        await standIn.close();
        http.close();
      }
    };
    const verify = (
      opened: Awaited<ReturnType<Vendor["open"]>>,
      asked: CheckInput,
      signal = AbortSignal.timeout(10_000),
    ) => opened.verify({ ...asked, reference: "abcdef000000001", signal });

    test("for each kind of check, a stand-in answers with the person of the sandbox", () =>
      withStandIn("any", async (opened) => {
        for (const kind of opened.kinds) {
          const asked = askedOf(kind);
          const outcome = await verify(opened, asked);
          assert.ok(outcome.state === "verified", outcome.state);
          const wanted = await checks[kind].sandbox(asked);
          assert.equal(numberIn(outcome.record, kind), asked.number);
          // Facts that a vendor does not state are empty in the record.
          if (!("personal_info" in wanted)) assert.deepEqual(outcome.record, wanted);
          else {
            const { personal_info: own } = personOf(outcome.record);
            for (const member of ["first_name", "last_name", "gender", "phone_number", "date_of_birth"] as const)
              assert.equal(own[member], wanted.personal_info[member], `${member} of a ${labelOf(kind)}`);
          }
        }
      }));

    test("a stand-in's outcome and bill depend on the last digits of the number", () =>
      withStandIn("any", async (opened, { calls }) => {
        for (const kind of opened.kinds) {
          const mismatch = `negative ${reasonsOf(kind).find((reason) => reason.endsWith("_mismatch"))}`;
          const said = { ...usual, other_phone: mismatch, ...own[vendor.name], ...own[`${vendor.name} ${kind}`] };
          for (const [digits, { outcome: wanted }] of Object.entries(standInNumbers)) {
            const asked = askedOf(kind, digits);
            const limit = new AbortController();
            const before = calls.length;
            const asking = verify(opened, asked, limit.signal);
            if (wanted === "slow") await until(() => calls.length > before).then(() => limit.abort());
            const outcome = await asking;
            const result = matchRecord(outcome, asked, { phoneMatch: true, answers: "full" });
            const reason = "reason" in result ? storedReason(result.reason) : null;
            assert.equal([result.state, reason].join(" ").trim(), said[wanted], wanted);
            assert.equal(outcome.retryAfter, wanted === "too_many_requests" ? 2 : undefined);
            const call = calls.at(-1)!;
            assert.deepEqual([call.kind, call.last4], [kind, asked.number.slice(-4)]);
            assert.ok([undefined, call.reference].includes(outcome.reference), wanted);
            const { billed = null } = outcome;
            const bill = billOf({ kind, price: prices[kind], outcome: result.state, reason, billed }, prices);
            if (bill.isCertain) assert.equal(bill.kobo, call.price ?? 0, `the bill of ${wanted}`);
          }
        }
      }));

    test("a stand-in finds the vendor's own test number", () =>
      withStandIn("any", async (opened) => {
        const asked = await vendor.testInput?.();
        if (asked) assert.equal((await verify(opened, asked)).state, "verified");
      }));

    test("a stand-in refuses a request without credentials as the vendor does", () =>
      withStandIn("", async (opened) => {
        const {
          reference: _,
          billed: __,
          httpStatus: ___,
          ...outcome
        } = await verify(opened, askedOf(opened.kinds[0]!));
        const refused = [unavailable("bad_credentials"), notSentBecause("bad_credentials")];
        assert.ok(
          refused.some((each) => JSON.stringify(each) === JSON.stringify(outcome)),
          JSON.stringify(outcome),
        );
      }));
  });

/** The members in which a source's entries differ from those of the starter catalogue. */
const ownEntries: Readonly<Record<string, (entry: { price: string }, list: string, at: number) => object>> = {
  ebills: ({ price }, list, at) => ({
    code: String((list === "data-bundles" ? 1001 : 2001) + at),
    cost: (Number(price) * 0.99).toFixed(2),
    available: true,
  }),
};

for (const { name, covers, settings } of catalogueSources.filter(({ name }) => name in sourceStandIns))
  suite(`the stand-in of the source ${name}`, () => {
    /** The pull of the source's own adapter from its stand-in, with this text for each credential. */
    const pulled = async ({ credential = "any", isRehearsal = true, path = "" }) => {
      const standIn = await startListsStandIn(name, { port: 0 });
      const values = Object.entries(settings).map(([member, setting]) => [member, setting.default || credential]);
      const url = standIn.url + path;
      const source = await openSource(name, { ...Object.fromEntries(values), url }, new RecordedLog(), isRehearsal);
      try {
        return await source.pull(AbortSignal.timeout(10_000));
      } finally {
        source.close();
        await standIn.close();
      }
    };

    // The order of the entries means nothing.
    test("a stand-in gives the lists of the starter catalogue in its form", async () => {
      const starter = await starterLists();
      const given = await pulled({});
      assert.ok(given.kind === "whole", JSON.stringify(given));
      assert.deepEqual(Object.keys(given.lists).sort(), covers.toSorted());
      for (const list of covers) {
        const own = starter[list].map((entry, at) => ({ ...entry, ...ownEntries[name]?.(entry as never, list, at) }));
        assert.deepEqual(new Set<object>(given.lists[list]), new Set<object>(own));
      }
    });

    test("a stand-in's answers count only in a rehearsal, and it refuses wrong paths and credentials", async () => {
      const outside = await pulled({ isRehearsal: false });
      assert.equal(outside.kind, "unreadable");
      assert.match(
        "sentence" in outside ? outside.sentence : "",
        /, a stand-in answered\. Set the source's own address/,
      );
      assert.equal((await pulled({ path: "/other" })).kind, "incomplete");
      const needsKey = Object.values(settings).some((setting) => setting.secret);
      assert.equal((await pulled({ credential: "" })).kind, needsKey ? "refused_credentials" : "whole");
    });
  });

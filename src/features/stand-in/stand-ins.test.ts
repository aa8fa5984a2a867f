import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { RunningStandIn } from "../../../stand-ins/identity-server.ts";
import { phoneOfNumber, type StandInOutcome, standInNumbers } from "../../../stand-ins/numbers.ts";
import { sourceStandIns, standIns, withoutStandIn } from "../../../stand-ins/stand-ins.ts";
import { until } from "../../../test/support/until.ts";
import { starterLists } from "../../catalogue/starter.ts";
import type { CheckInput } from "../../checks/check.ts";
import { inventedPerson } from "../../checks/invented-person.ts";
import { personOf } from "../../checks/kinds.fixture.ts";
import { type CheckKind, numberMember, personKinds } from "../../declare/check-kind.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import type { IdentityUpstream } from "../../vendors/ports/identity-upstream.ts";
import { notSentBecause, unavailable } from "../../vendors/ports/outcomes.ts";
import { storedReason } from "../../vendors/ports/reasons.ts";
import type { Vendor } from "../../vendors/ports/vendor.ts";
import { vendors } from "../../vendors/registry.ts";
import { VendorClient } from "../../vendors/vendor-client.ts";
import { billOf } from "../../vendors/vendor-prices.ts";
import { matchRecord } from "../../verification/attempts/match-record.ts";
import { catalogueSources } from "../sources/vendors/every-source.ts";
import { openSource } from "../sources/vendors/open-source.ts";
import { startListsStandIn, startStandIn } from "./start-stand-in.ts";

/** What Duba makes of each response, unless the vendor says it otherwise. */
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
  // Its response does not name the NIN, so only the phone tells.
  "dojah nin": { other_person: "negative phone_mismatch" },
  prembly: { blocked: "negative blocked", maintenance: "failed out_of_service" },
  seamfix: { maintenance: "unknown unclear" },
};

const prices = { bvn: 4500, nin: 4000, "*.not_found": 2000 };
const number = "22000004717";
const claims = { phone: phoneOfNumber(number) };
const personKindsOf = ({ kinds }: IdentityUpstream) => personKinds.filter((kind) => kinds.includes(kind));

test("every vendor and source has a stand-in, in its folder and in a table, or a reason why not", () => {
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
        assert.doesNotMatch(JSON.stringify(log.lines), /22000004717|IBEKWE/);
      } finally {
        await standIn.close();
        http.close();
      }
    };
    const verify = (
      opened: Awaited<ReturnType<Vendor["open"]>>,
      kind: CheckKind,
      asked: Pick<CheckInput, "number" | "claims"> = { number, claims },
      signal = AbortSignal.timeout(10_000),
    ) => opened.verify({ ...asked, kind, reference: "abcdef000000001", signal });

    test("gives the record of the sandbox's person, of each kind", () =>
      withStandIn("any", async (opened) => {
        for (const kind of personKindsOf(opened)) {
          const outcome = await verify(opened, kind);
          assert.equal(outcome.state, "verified");
          if (outcome.state !== "verified") continue;
          const { personal_info: own, ...record } = personOf(outcome.record);
          const { personal_info: wanted } = inventedPerson(kind, number, claims.phone);
          const members = ["first_name", "last_name", "gender", "phone_number", "date_of_birth"] as const;
          assert.deepEqual(
            [record[numberMember(kind)], ...members.map((member) => own[member])],
            [number, ...members.map((member) => wanted[member])],
          );
        }
      }));

    test("a stand-in does what a number's last digits say, and bills what the adapter expects", () =>
      withStandIn("any", async (opened, { calls }) => {
        for (const kind of personKindsOf(opened)) {
          const said = { ...usual, ...own[vendor.name], ...own[`${vendor.name} ${kind}`] };
          for (const [digits, { outcome: wanted }] of Object.entries(standInNumbers)) {
            const number = `220000047${digits}`;
            const asked = { kind, number, claims: { phone: phoneOfNumber(number) } };
            const limit = new AbortController();
            const before = calls.length;
            const asking = verify(opened, kind, asked, limit.signal);
            if (wanted === "slow") await until(() => calls.length > before).then(() => limit.abort());
            const outcome = await asking;
            const result = matchRecord(outcome, asked, { phoneMatch: true, answers: "full" });
            const reason = "reason" in result ? storedReason(result.reason) : null;
            assert.equal([result.state, reason].join(" ").trim(), said[wanted], wanted);
            assert.equal(outcome.retryAfter, wanted === "too_many_requests" ? 2 : undefined);
            const call = calls.at(-1)!;
            assert.deepEqual([call.kind, call.last4], [kind, number.slice(-4)]);
            assert.ok([undefined, call.reference].includes(outcome.reference), wanted);
            const { billed = null } = outcome;
            const bill = billOf({ kind, price: prices[kind], outcome: result.state, reason, billed }, prices);
            if (bill.isCertain) assert.equal(bill.kobo, call.price ?? 0, `the bill of ${wanted}`);
          }
        }
      }));

    test("finds the vendor's own test number", () =>
      withStandIn("any", async (opened) => {
        const asked = vendor.testInput;
        if (asked) assert.equal((await verify(opened, asked.kind, asked)).state, "verified");
      }));

    test("refuses a request without credentials as the vendor does", () =>
      withStandIn("", async (opened) => {
        const { reference: _, billed: __, ...outcome } = await verify(opened, "bvn");
        const refused = [unavailable("bad_credentials"), notSentBecause("bad_credentials")];
        assert.ok(
          refused.some((each) => JSON.stringify(each) === JSON.stringify(outcome)),
          JSON.stringify(outcome),
        );
      }));
  });

/** What a source says in another way than the starter catalogue. */
const ownEntries: Readonly<Record<string, (entry: { price: string }, list: string, at: number) => object>> = {
  ebills: ({ price }, list, at) => ({
    code: String((list === "data-bundles" ? 1001 : 2001) + at),
    cost: (Number(price) * 0.99).toFixed(2),
    available: true,
  }),
};

for (const { name, covers, settings } of catalogueSources.filter(({ name }) => name in sourceStandIns))
  suite(`the stand-in of the source ${name}`, () => {
    /** What the source's own adapter pulls from its stand-in, with this text for each credential. */
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

    // The order means nothing.
    test("gives the lists of the starter catalogue in its form", async () => {
      const starter = await starterLists();
      const given = await pulled({});
      assert.ok(given.kind === "whole", JSON.stringify(given));
      assert.deepEqual(Object.keys(given.lists).sort(), covers.toSorted());
      for (const list of covers) {
        const own = starter[list].map((entry, at) => ({ ...entry, ...ownEntries[name]?.(entry as never, list, at) }));
        assert.deepEqual(new Set<object>(given.lists[list]), new Set<object>(own));
      }
    });

    test("counts in a rehearsal only, and refuses other paths and missing credentials", async () => {
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

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { CheckInput } from "../../checks/check.ts";
import { inventedPerson } from "../../checks/invented-person.ts";
import { type CheckKind, numberMember } from "../../operation/check-kind.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import { notSentBecause, unavailable } from "../../upstreams/ports/outcomes.ts";
import type { Vendor } from "../../upstreams/ports/vendor.ts";
import { vendors } from "../../upstreams/registry.ts";
import { phoneOfNumber } from "../../upstreams/stand-in/stand-in-numbers.ts";
import { standIns, withoutStandIn } from "../../upstreams/stand-in/stand-ins.ts";
import { VendorClient } from "../../upstreams/vendor-client.ts";
import { startStandIn } from "./stand-in-server.ts";

const number = "22000004717";
const claims = { phone: phoneOfNumber(number) };

test("every vendor has a stand-in, in its folder and in the table, or a reason why not", () => {
  const named = [...Object.keys(standIns), ...Object.keys(withoutStandIn)].sort();
  assert.deepEqual(
    named,
    vendors.map(({ name }) => name),
    "Write its stand-in.ts, and its line in src/upstreams/stand-in/stand-ins.ts.",
  );
});

for (const vendor of vendors.filter(({ name }) => name in standIns))
  suite(`the stand-in of ${vendor.name}`, () => {
    /** Opens the vendor's own adapter on its stand-in, with this text for each credential. */
    const withStandIn = async (credential: string, work: (opened: ReturnType<Vendor["open"]>) => Promise<void>) => {
      const log = new RecordedLog();
      const http = new VendorClient({ timeout: 10_000, connections: 2, keepAlive: false, standIns: true, log });
      const standIn = await startStandIn(vendor, standIns[vendor.name]!, { port: 0, prices: {} });
      const usual = Object.entries(vendor.settings).map(([member, setting]) => [member, setting.default || credential]);
      try {
        await work(vendor.open({ ...Object.fromEntries(usual), url: standIn.url }, { http, log }));
        assert.doesNotMatch(JSON.stringify(log.lines), /22000004717|IBEKWE/);
      } finally {
        await standIn.close();
        http.close();
      }
    };
    const verify = (
      opened: ReturnType<Vendor["open"]>,
      kind: CheckKind,
      asked: Pick<CheckInput, "number" | "claims"> = { number, claims },
    ) => opened.verify({ kind, ...asked, reference: "abcdef000000001", signal: AbortSignal.timeout(10_000) });

    test("gives the record of the sandbox's person, of each kind", () =>
      withStandIn("any", async (opened) => {
        for (const kind of opened.kinds) {
          const outcome = await verify(opened, kind);
          assert.equal(outcome.kind, "verified");
          if (outcome.kind !== "verified") continue;
          const { personal_info: own, ...record } = outcome.record;
          const { personal_info: wanted } = inventedPerson(kind, number, claims.phone);
          const members = ["first_name", "last_name", "gender", "phone_number", "date_of_birth"] as const;
          assert.deepEqual(
            [record[numberMember(kind)], ...members.map((member) => own[member])],
            [number, ...members.map((member) => wanted[member])],
          );
        }
      }));

    test("finds the vendor's own test number", () =>
      withStandIn("any", async (opened) => {
        const asked = vendor.testInput;
        if (asked) assert.equal((await verify(opened, asked.kind, asked)).kind, "verified");
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

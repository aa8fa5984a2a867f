import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { answerWriter } from "../operation/answers/answer-writer.ts";
import { IdentityRecord } from "../operation/identity-record.ts";
import Type from "../operation/schema/type.ts";
import { RecordedLog } from "../runtime/recorded-log.fixture.ts";
import { type Behaviour, json, LocalVendor, type Received } from "./local-vendor.fixture.ts";
import type { IdentityAttempt, IdentityOutcome, IdentityUpstream, PersonRecord } from "./ports/identity-upstream.ts";
import { unavailable } from "./ports/outcomes.ts";
import type { Vendor, VendorValues } from "./ports/vendor.ts";
import { VendorClient } from "./vendor-client.ts";
import { rawText, vendorFaults, vendorWaits } from "./vendor-faults.fixture.ts";

/** The tests that every identity source passes, the sandbox too, and those of every vendor behind HTTP. */

const written = answerWriter(Type.Omit(IdentityRecord, ["request_reference"]));
const shortDate = /^(\d{2}-[A-Z][a-z]{2}-\d{4})?$/;
const longDate = /^([A-Z][a-z]{2,8} [1-9]\d?, \d{4})?$/;

/** Compares a record with the interface: all members and no others, in its order and in its forms. */
export function assertRecord(record: PersonRecord): void {
  assert.equal(written(record), JSON.stringify(record));
  const { personal_info: person } = record;
  assert.match(record.bvn_number, /^\d{11}$/);
  assert.match(record.formatted_registration_date ?? "", longDate);
  assert.notEqual(record.formatted_registration_date, "");
  assert.match(record.watchlisted ?? "NO", /^(YES|NO)$/);
  assert.equal(record.verification_status, "VERIFIED");
  assert.match(person.gender, /^(Male|Female)?$/);
  assert.match(person.date_of_birth, shortDate);
  assert.match(person.formatted_date_of_birth, longDate);
  assert.match(person.phone_number, /^(0\d{10})?$/);
  assert.match(person.phone_number_2 ?? "08000000000", /^0\d{10}$/);
  for (const state of [person.state_of_origin, record.residential_info.state_of_residence])
    assert.match(state, /^([A-Z][A-Za-z ]+ State|Federal Capital Territory)?$/);
}

export const question: IdentityAttempt = {
  kind: "bvn",
  number: "22000000017",
  claims: { phone: "8000000017" },
  reference: "abcdef000000001",
  signal: new AbortController().signal,
};

/** The tests that every source passes. `bvns` are numbers with a known result. */
export function testIdentityUpstream(
  name: string,
  open: (t: TestContext) => Promise<IdentityUpstream>,
  bvns: { verified: string; notFound: string; slow: string },
): void {
  test(`${name} gives a whole record of the BVN asked for, in the interface's forms`, async (t) => {
    const outcome = await (await open(t)).verify({ ...question, number: bvns.verified });
    assert.ok(outcome.kind === "verified");
    assertRecord(outcome.record);
    assert.equal(outcome.record.bvn_number, bvns.verified);
  });

  test(`${name} knows a BVN that does not exist`, async (t) => {
    const outcome = await (await open(t)).verify({ ...question, number: bvns.notFound });
    assert.deepEqual(withoutReference(outcome), { kind: "negative", reason: "not_found" });
  });

  test(`${name} ends the wait when it is told to, and does not claim to know what became of it`, async (t) => {
    const upstream = await open(t);
    const limit = new AbortController();
    const asked = upstream.verify({ ...question, number: bvns.slow, signal: limit.signal });
    setImmediate(() => limit.abort());
    const { kind } = await asked;
    assert.ok(kind === "unknown" || kind === "unavailable", kind);
  });
}

/** What a vendor's own reference is, and when it is kept, is a test of its own. */
function withoutReference({ reference: _, ...outcome }: IdentityOutcome): object {
  return outcome;
}

/** A vendor behind HTTP, with its fixtures. */
export interface VendorCase {
  vendor: Vendor;
  values(url: string): VendorValues;
  /** The answer to a request before the question, such as for a token. */
  prelude?: (received: Received) => object | undefined;
  /** Compares the request for `question` with the vendor's documentation. */
  assertRequest(received: Received): void;
  /** A good answer for `question`, and the record it becomes. */
  good: { body: object; record: PersonRecord };
  notFound: { status: number; body: object };
  /** Other documented answers, by what they say. */
  answers: Record<string, { status: number; body: unknown; outcome: IdentityOutcome }>;
  /** Texts that must not appear in a log or an outcome. */
  secrets: string[];
}

/** The tests that every vendor behind HTTP passes, over real sockets. */
export function testVendor(vendorCase: VendorCase): void {
  const { vendor, good, notFound, answers } = vendorCase;
  const { name } = vendor;

  async function open(t: TestContext, behaviour: Behaviour, timeout = 5000, scheme: "http" | "https" = "http") {
    const log = new RecordedLog();
    const local = await LocalVendor.start(scheme);
    const http = new VendorClient({ timeout, connections: 4, keepAlive: false, log });
    t.after(async () => {
      await http.close();
      await local.close();
    });
    /** The requests with a question. */
    const asked: Received[] = [];
    local.behaviour = (response, received) => {
      const prelude = vendorCase.prelude?.(received);
      if (prelude) return json(200, prelude)(response, received);
      asked.push(received);
      behaviour(response, received);
    };
    const upstream = vendor.open(vendorCase.values(local.url), { http, log });
    return { upstream, local, log, asked };
  }

  function assertDiscreet(log: RecordedLog, outcome: IdentityOutcome): void {
    const told = JSON.stringify([log.lines, outcome]);
    for (const secret of [rawText, question.number, question.claims.phone!, question.reference, ...vendorCase.secrets])
      assert.ok(!told.includes(secret), `${secret} is in ${told}`);
  }

  testIdentityUpstream(
    name,
    async (t) => {
      const { upstream } = await open(t, (response, received) => {
        const bvn = /\b2\d{10}\b/.exec(`${received.path} ${received.body}`)?.[0];
        if (bvn === question.number) json(200, good.body)(response, received);
        else if (bvn === "22000000404") json(notFound.status, notFound.body)(response, received);
      });
      return upstream;
    },
    { verified: question.number, notFound: "22000000404", slow: "22000000999" },
  );

  test(`${name} is asked as it documents, with the trace context`, async (t) => {
    const { upstream, asked } = await open(t, json(200, good.body));
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const outcome = await upstream.verify({ ...question, traceparent });
    assert.deepEqual(withoutReference(outcome), { kind: "verified", record: good.record });
    assert.equal(asked.length, 1);
    assert.equal(asked[0]?.headers.traceparent, traceparent);
    vendorCase.assertRequest(asked[0]!);
  });

  test(`${name} gives the record of another BVN as it is, for Duba to judge`, async (t) => {
    const { upstream } = await open(t, json(200, good.body));
    const outcome = await upstream.verify({ ...question, number: "22000000018" });
    assert.ok(outcome.kind === "verified");
    assert.equal(outcome.record.bvn_number, question.number);
  });

  for (const [what, { status, body, outcome }] of Object.entries(answers)) {
    test(`${name}: ${what}`, async (t) => {
      const { upstream, log } = await open(t, json(status, body));
      assert.deepEqual(withoutReference(await upstream.verify(question)), outcome);
      if (outcome.kind !== "verified") assertDiscreet(log, outcome);
    });
  }

  const faults = { ...vendorFaults, ...vendorWaits };
  for (const [what, { behaviour, outcome: expected, timeout }] of Object.entries(faults)) {
    test(`${name} ${what}: ${Object.values(expected).join(" ")}`, async (t) => {
      const { upstream, local, log } = await open(t, behaviour, timeout);
      const outcome = await upstream.verify(question);
      assert.deepEqual(outcome, expected);
      assert.ok(local.received.every(({ path }) => path !== "/elsewhere"));
      assertDiscreet(log, outcome);
    });
  }

  test(`${name} refuses the connection: nothing was done`, async (t) => {
    const { upstream, local, log } = await open(t, () => {});
    await local.close();
    const outcome = await upstream.verify(question);
    assert.deepEqual(outcome, unavailable("not_reached"));
    assertDiscreet(log, outcome);
  });

  test(`${name} resets the connection before it reads the request: nothing was done, or nobody can tell`, async (t) => {
    const { upstream, local } = await open(t, () => {});
    local.welcome = (socket) => void socket.resetAndDestroy();
    const { kind } = await upstream.verify(question);
    assert.ok(kind === "unavailable" || kind === "unknown");
    assert.deepEqual(local.received, []);
  });

  test(`${name} shows a certificate that nobody trusts: nothing was sent`, async (t) => {
    const { upstream, local, log } = await open(t, () => {}, 5000, "https");
    const outcome = await upstream.verify(question);
    assert.deepEqual(outcome, unavailable("not_reached"));
    assert.deepEqual(local.received, []);
    assertDiscreet(log, outcome);
  });

  test(`${name} is not asked when the wait has already ended`, async (t) => {
    const { upstream, local } = await open(t, json(200, good.body));
    const outcome = await upstream.verify({ ...question, signal: AbortSignal.abort() });
    assert.deepEqual(outcome, unavailable("not_reached"));
    assert.deepEqual(local.received, []);
  });

  test(`${name} names its settings after itself and does not need them for a start`, () => {
    assert.match(vendor.about, /not run against the live vendor|run against Duba itself/);
    for (const [member, { name, default: usual, read }] of Object.entries(vendor.settings)) {
      assert.match(name, new RegExp(`^DUBA_${vendor.name.toUpperCase()}_[A-Z_]+$`));
      assert.equal(read(usual), usual, member);
    }
  });
}

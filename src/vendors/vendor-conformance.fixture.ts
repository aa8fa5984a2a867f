import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { type CheckRecord, checks as everyCheck } from "../checks/index.ts";
import { numberIn } from "../checks/kinds.fixture.ts";
import { type CheckKind, checkKinds, labelOf } from "../declare/check-kind.ts";
import { RecordedLog } from "../runtime/recorded-log.fixture.ts";
import { attempt, attempts, attemptTo, testIdentityUpstream } from "./conformance.fixture.ts";
import { type Behaviour, json, LocalVendor, type Received } from "./local-vendor.fixture.ts";
import type { IdentityAttempt, IdentityOutcome, OutcomeFacts } from "./ports/identity-upstream.ts";
import { didNoWork, unavailable } from "./ports/outcomes.ts";
import type { Vendor, VendorValues } from "./ports/vendor.ts";
import { VendorClient } from "./vendor-client.ts";
import { rawText, vendorFaults, vendorWaits } from "./vendor-faults.fixture.ts";

/** A documented response of a vendor, with the facts that it states. */
interface Answer {
  status: number;
  body: unknown;
  facts?: OutcomeFacts;
}

/** A vendor's responses for one kind. */
interface CheckCase {
  /** Compares a request with the vendor's documentation. */
  assertRequest(received: Received, asked: IdentityAttempt): void;
  /** A response with a record, and the expected record. */
  good: { body: object; record: CheckRecord; facts?: OutcomeFacts };
  notFound: Answer;
  /** Set if the vendor's documentation has a response for blocked or suspended numbers. */
  blocked?: Answer;
  /** True: the response does not repeat the number, so the record takes it from the request. */
  isUnnumbered?: boolean;
}

/** A vendor behind HTTP, with its test data. */
export interface VendorCase {
  vendor: Vendor;
  values(url: string): VendorValues;
  /** The response to a preparatory request, such as for a token. */
  prelude?: (received: Received) => object | undefined;
  /** One case for each kind that the vendor offers. */
  checks: Partial<Record<CheckKind, CheckCase>>;
  /** Other documented responses by name, for the first kind unless `kind` is given. */
  answers: Record<string, [status: number, body: unknown, outcome: IdentityOutcome, kind?: CheckKind]>;
  /** True: the response body has a code for each failure, with the same meaning at any status. */
  hasCodes?: boolean;
  /** Texts that must not appear in a log or an outcome. */
  secrets: string[];
}

/** Opens a vendor that talks to a local server, until the test ends. */
export async function openVendor(
  t: TestContext,
  vendor: Vendor,
  values: (url: string) => VendorValues,
  { timeout = 5000, scheme = "http" }: { timeout?: number | undefined; scheme?: "http" | "https" } = {},
) {
  const log = new RecordedLog();
  const local = await LocalVendor.start(scheme);
  const http = new VendorClient({ timeout, connections: 16, keepAlive: false, log });
  t.after(async () => {
    await http.close();
    await local.close();
  });
  return { upstream: await vendor.open(values(local.url), { http, log }), local, log };
}

/** Registers the tests that every vendor behind HTTP must pass, over real sockets. */
export function testVendor(vendorCase: VendorCase): void {
  const { vendor, checks, answers } = vendorCase;
  const { name } = vendor;
  const kinds = checkKinds.filter((kind) => checks[kind]);
  const [firstKind = "bvn"] = kinds;

  async function open(t: TestContext, behaviour: Behaviour, timeout?: number, scheme: "http" | "https" = "http") {
    const { upstream, local, log } = await openVendor(t, vendor, vendorCase.values, { timeout, scheme });
    /** Requests for attempts, without preparatory ones. */
    const asked: Received[] = [];
    local.behaviour = (response, received) => {
      const prelude = vendorCase.prelude?.(received);
      if (prelude) return json(200, prelude)(response, received);
      asked.push(received);
      behaviour(response, received);
    };
    const statuses: (number | undefined)[] = [];
    /** Returns the outcome. `statuses` collects the HTTP statuses. */
    const ask = async (kind = firstKind, changes: Partial<IdentityAttempt> = {}) => {
      const { httpStatus, ...outcome } = await upstream.verify({ ...attemptTo(upstream, kind), ...changes });
      statuses.push(httpStatus);
      return outcome as IdentityOutcome;
    };
    return { upstream, local, log, asked, ask, statuses };
  }

  function assertDiscreet(log: RecordedLog, outcome: IdentityOutcome): void {
    const told = JSON.stringify([log.lines, outcome]);
    const own = [...kinds.map((kind) => attempts[kind].number), attempt.claims.phone!, attempt.reference];
    for (const secret of [rawText, ...own, ...vendorCase.secrets])
      assert.ok(!told.includes(secret), `${secret} is in ${told}`);
  }

  test(`${name} is tested with every kind that it offers, in order`, async (t) => {
    const { upstream } = await open(t, () => {});
    assert.deepEqual(upstream.kinds, kinds);
  });

  for (const kind of kinds) {
    const { good, notFound, blocked, assertRequest, isUnnumbered } = checks[kind]!;
    const { number } = attempts[kind];
    const label = labelOf(kind);
    const [nobody, other, waits] = [1, 2, 8].map(everyCheck[kind].reserved) as [string, string, string];
    const verified: IdentityOutcome = { state: "verified", record: good.record, ...good.facts };

    testIdentityUpstream(
      name,
      async (t) => {
        const { upstream } = await open(t, (response, received) => {
          const asks = (number: string) => `${received.path} ${received.body}`.includes(number);
          if (asks(number)) json(200, good.body)(response, received);
          else if (asks(nobody)) json(notFound.status, notFound.body)(response, received);
        });
        return upstream;
      },
      { verified: number, notFound: nobody, slow: waits },
      kind,
    );

    test(`${name} is asked about a ${label} as it documents, with the trace context`, async (t) => {
      const { upstream, asked, ask } = await open(t, json(200, good.body));
      const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
      assert.deepEqual(await ask(kind, { traceparent }), verified);
      assert.equal(asked.length, 1);
      assert.equal(asked[0]?.headers.traceparent, traceparent);
      assertRequest(asked[0]!, attemptTo(upstream, kind));
    });

    test(`${name} gives the record of another ${label} as it is, for Duba to judge`, async (t) => {
      const { ask } = await open(t, json(200, good.body));
      const outcome = await ask(kind, { number: other });
      assert.ok(outcome.state === "verified");
      assert.equal(numberIn(outcome.record, kind), isUnnumbered ? other : number);
    });

    test(`${name} sends photos of 3 MB with the record of a ${label}: none is kept`, async (t) => {
      const photo = `data:image/jpeg;base64,${"/9j/4AAQ".repeat(393_216)}`;
      const withPhotos = JSON.parse(JSON.stringify({ ...good.body, photo: "" }), (member, value) =>
        /^(photo|image|base64image|avatar)$/i.test(member) ? photo : value,
      );
      const { ask } = await open(t, json(200, withPhotos));
      assert.deepEqual(await ask(kind), verified);
    });

    const negatives = { not_found: notFound, ...(blocked && { blocked }) };
    for (const [reason, { status, body, facts }] of Object.entries(negatives))
      test(`${name} reports a ${label} as ${reason}, without further data of the person`, async (t) => {
        const { ask, log, statuses } = await open(t, json(status, body));
        const outcome = await ask(kind);
        assert.deepEqual(outcome, { state: "negative", reason, ...facts });
        assert.deepEqual(statuses, [status]);
        assertDiscreet(log, outcome);
      });

    if (!vendorCase.hasCodes)
      test(`${name} answers 500 and says that there is no such ${label}: the outcome is unknown`, async (t) => {
        const { ask } = await open(t, json(500, notFound.body));
        assert.partialDeepStrictEqual(await ask(kind), { state: "unknown", reason: "server_error" });
      });

    if (good.facts?.reference !== undefined)
      test(`${name} puts the ${label} into its reference: that reference is not kept`, async (t) => {
        const given = new RegExp(`"?${RegExp.escape(good.facts!.reference!)}"?`, "g");
        const text = JSON.stringify(good.body).replaceAll(given, `"ref-${number}"`);
        const { ask } = await open(t, json(200, JSON.parse(text)));
        const { reference: _, ...rest } = verified;
        assert.deepEqual(await ask(kind), rest);
      });
  }

  for (const [what, [status, body, expected, kind]] of Object.entries(answers)) {
    test(`${name}: ${what}`, async (t) => {
      const { ask, log, statuses } = await open(t, json(status, body));
      const outcome = await ask(kind);
      assert.deepEqual(outcome, expected);
      assert.deepEqual(statuses, [status]);
      if (outcome.state !== "verified") assertDiscreet(log, outcome);
    });
  }

  const faults = { ...vendorFaults, ...vendorWaits };
  for (const [what, { behaviour, outcome: expected, timeout }] of Object.entries(faults)) {
    test(`${name} ${what}: ${Object.values(expected).join(" ")}`, async (t) => {
      const { ask, local, log } = await open(t, behaviour, timeout);
      const outcome = await ask();
      assert.deepEqual(outcome, expected);
      assert.ok(local.received.every(({ path }) => path !== "/elsewhere"));
      assertDiscreet(log, outcome);
    });
  }

  test(`${name} refuses the connection: nothing was done`, async (t) => {
    const { ask, local, log, statuses } = await open(t, () => {});
    await local.close();
    const outcome = await ask();
    assert.deepEqual(outcome, unavailable("not_reached"));
    assert.deepEqual(statuses, [undefined]);
    assertDiscreet(log, outcome);
  });

  test(`${name} resets the connection before it reads the request: no work was done, or the outcome is unknown`, async (t) => {
    const { ask, local } = await open(t, () => {});
    local.welcome = (socket) => void socket.resetAndDestroy();
    const outcome = await ask();
    assert.ok(outcome.state === "unknown" || didNoWork(outcome));
    assert.deepEqual(local.received, []);
  });

  test(`${name} shows a certificate that nobody trusts: nothing was sent`, async (t) => {
    const { ask, local, log } = await open(t, () => {}, undefined, "https");
    const outcome = await ask();
    assert.deepEqual(outcome, unavailable("not_reached"));
    assert.deepEqual(local.received, []);
    assertDiscreet(log, outcome);
  });

  test(`${name} is not asked when the wait has already ended`, async (t) => {
    const { ask, local } = await open(t, () => {});
    assert.deepEqual(await ask(firstKind, { signal: AbortSignal.abort() }), unavailable("not_reached"));
    assert.deepEqual(local.received, []);
  });

  test(`${name} has nothing left to fill in`, () => {
    const places = [`{src/vendors,stand-ins}/${name}/**/*.{ts,json}`, `docs/vendors/${name}.md`];
    const left = globSync(places).flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .flatMap((line, index) => (line.includes("FILL IN") ? `${file}:${index + 1}: ${line.trim()}` : [])),
    );
    assert.deepEqual(left, []);
  });

  test(`${name} names its settings after itself and does not need them for a start`, () => {
    assert.match(vendor.about, /not run against the live vendor|run against Duba itself/);
    for (const [member, { name, default: usual, read }] of Object.entries(vendor.settings)) {
      assert.match(name, new RegExp(`^DUBA_${vendor.name.toUpperCase()}_[A-Z_]+$`));
      assert.equal(read(usual), usual, member);
    }
  });
}

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type CheckKind, checkKinds, negativeCode, personKinds } from "../../src/declare/check-kind.ts";
import { nairaOf } from "../../src/declare/money.ts";
import { silent } from "../../src/runtime/log.ts";
import { vendors } from "../../src/vendors/registry.ts";
import { startStandIn } from "../../src/vendors/sandbox/start-stand-in.ts";
import { VendorClient } from "../../src/vendors/vendor-client.ts";
import { phoneOfNumber, standInNumbers } from "../../stand-ins/numbers.ts";
import { standIns } from "../../stand-ins/stand-ins.ts";
import { ran } from "../support/command-line.ts";
import { type Fault, FaultyProxy } from "../support/faulty-proxy.ts";
import { settingsForStandIn, toldOfStandIn } from "../support/rehearsed-vendor.ts";
import { until } from "../support/until.ts";
import { isNegative, startVendor, traceIn, type VendorSettings } from "../support/vendor.ts";
import { draw, drawWeighted } from "../support/vendor-draw.ts";

/** A look-up that reached a vendor whole. */
export interface TrialCall {
  kind: CheckKind;
  number: string;
  /** Duba's own reference, if Duba sends it to the vendor. */
  reference?: string;
  /** The trace of the client's request. */
  trace: string | undefined;
  /** The vendor says that it did no work. */
  saysNoWork?: boolean;
}

/** The vendor of a trial, which misbehaves. */
export interface TrialVendor {
  /** Settings of a service that asks it. */
  environment: Record<string, string>;
  kinds: readonly CheckKind[];
  /** Whether a second attempt is free, so that no key is given up. */
  isRepeatable: boolean;
  /** The last two digits of the numbers to verify. An ending that is listed twice is used twice as often. */
  endings: readonly string[];
  phoneOf(number: string): string;
  /** The possible final responses about a number, such as `200` or `404 bvn_not_found`. */
  endsOf(kind: CheckKind, number: string): readonly string[];
  /** Every look-up so far, once none is on its way. */
  calls(): Promise<readonly TrialCall[]>;
  /**
   * Compares the vendor's bill with the ledger in the store that these settings name. `misdated`: number of attempts
   * that a service with a wrong clock dated.
   */
  checkBill?(store: Record<string, string>, misdated: number): Promise<void>;
  stop(): Promise<void>;
}

/** A vendor with every misbehaviour of real vendors: `peer`, or the stand-in of the named vendor. */
export function trialVendor(name: string, seed: string): Promise<TrialVendor> {
  if (name !== "peer") return standInVendor(name, seed);
  const manners = {
    ...{ prompt: 40, slow: 20, late: 8, cut: 6, cutHalfWay: 6, answersTwice: 10 },
    ...{ garbage: 5, otherPerson: 5, saysNoWork: 4, serverError: 4 },
  };
  return peerVendor({ seed, manners, negatives: 15 });
}

/** Another Duba, which repeats its responses for free. */
export async function peerVendor(settings: VendorSettings): Promise<TrialVendor> {
  const { environment, calls, stop } = await startVendor(settings);
  return {
    ...{ stop, kinds: personKinds, isRepeatable: true, endings: ["17"] },
    // Each attempt has a bill, which the sums must include as well.
    environment: {
      ...environment,
      DUBA_UPSTREAM_PRICES: "peer=50,peer.*.not_found=10",
    },
    calls: async () => (await calls()).map((call) => ({ ...call, saysNoWork: call.manner === "saysNoWork" })),
    phoneOf: () => "08000000017",
    endsOf: (kind, number) =>
      isNegative(settings, number) ? [`404 ${negativeCode(kind, "not_found")}`, "422 phone_mismatch"] : ["200"],
  };
}

/**
 * Weights of the faults between Duba and a stand-in. Every look-up reaches the stand-in. One that is `tooSlow` gets
 * there after Duba's response to the caller.
 */
const onTheWay: Partial<Record<Fault | "none" | "slow" | "tooSlow", number>> = {
  ...{ none: 60, slow: 20, tooSlow: 8, cut: 6, lost: 6, half: 6, garbage: 5, "502 HTML": 4 },
};
const price = 4500;
const usualEndings = ["17", "29", "38", "46", "55", "64", "73", "82", "91", "00"];

/** A vendor's stand-in behind a proxy, which delays requests and loses responses. */
async function standInVendor(name: string, seed: string): Promise<TrialVendor> {
  const vendor = vendors.find((vendor) => vendor.name === name)!;
  const standIn = standIns[name]!;
  const folder = mkdtempSync(join(tmpdir(), "duba-trial-"));
  const invoice = join(folder, "invoice.csv");
  const prices = Object.fromEntries(checkKinds.map((kind) => [kind, price]));
  const running = await startStandIn(vendor, { port: 0, prices, invoice });
  const calls: TrialCall[] = [];
  const callsOfNumber = new Map<string, number>();
  let onTheirWay = 0;
  const way = await FaultyProxy.open(new URL(running.url).origin, async ({ method = "", url = "", headers }, body) => {
    onTheirWay += 1;
    try {
      const { pathname, searchParams } = new URL(url, running.url);
      const parsed = JSON.parse((await body).toString() || "{}");
      const looked = standIn.asked({ method, headers, path: pathname, query: searchParams, body: parsed });
      if (!looked) return "none";
      const nth = (callsOfNumber.get(looked.number) ?? 0) + 1;
      callsOfNumber.set(looked.number, nth);
      const trait = `${looked.number} call ${nth}`;
      const fault = drawWeighted(seed, trait, onTheWay);
      if (fault === "slow") await pause(50 + draw(seed, `${trait} takes`, 600));
      if (fault === "tooSlow") await pause(1_000 + draw(seed, `${trait} takes`, 1_500));
      calls.push({ kind: looked.kind as CheckKind, number: looked.number, trace: traceIn(headers) });
      return fault === "slow" || fault === "tooSlow" ? "none" : fault;
    } finally {
      onTheirWay -= 1;
    }
  });
  // Leaves out numbers that fail for ever, or that delay every other look-up.
  const others = Object.entries(standInNumbers).filter(
    ([ending, { outcome }]) => outcome !== "slow" && !toldOfStandIn(name, "bvn", ending).startsWith("503"),
  );
  return {
    environment: settingsForStandIn(vendor, `${way.url}${standIn.base ?? ""}`, prices),
    kinds: await kindsOf(vendor),
    isRepeatable: false,
    endings: [...usualEndings, ...others.map(([ending]) => ending)],
    phoneOf: (number) => `0${phoneOfNumber(number)}`,
    endsOf: (kind, number) => [toldOfStandIn(name, kind, number)],
    async calls() {
      await until(() => onTheirWay === 0 && running.calls.length === calls.length);
      return calls;
    },
    async checkBill(store, misdated) {
      const [, ...lines] = readFileSync(invoice, "utf8").trim().split("\n");
      assert.equal(lines.length, running.calls.filter((call) => call.price !== null).length);
      const { out, err } = await ran(["books", "reconcile", invoice, "--vendor", name, "--json"], {
        environment: store,
      });
      assert.notEqual(out, "", err);
      const { agreed, only_vendor, doubled, differences } = JSON.parse(out);
      assert.equal(differences.length, only_vendor.count + doubled.count, out);
      assert.ok(differences.length <= misdated, out);
      assert.equal(agreed.count + differences.length, lines.length, out);
      assert.deepEqual([agreed.vendor, agreed.here], [nairaOf(agreed.count * price), nairaOf(agreed.count * price)]);
    },
    async stop() {
      await way[Symbol.asyncDispose]();
      await running.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function kindsOf(vendor: (typeof vendors)[number]): Promise<readonly CheckKind[]> {
  const http = new VendorClient({ timeout: 1000, connections: 1, keepAlive: false, log: silent });
  const usual = Object.entries(vendor.settings).map(([member, setting]) => [member, setting.default]);
  return (await vendor.open(Object.fromEntries(usual), { http, log: silent })).kinds;
}

import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { listenAsStandIn, type Running, type StandInPlace, sendAnswer } from "./listener.ts";
import { otherNumber, otherPhoneOfNumber, phoneOfNumber, type StandInOutcome, standInNumbers } from "./numbers.ts";
import type { Kind, StandIn, StandInAttempt, StandInFailure, StandInRequest, StandInResponse } from "./stand-in.ts";

/** A look-up that a stand-in answered. Of the person only the last four digits of the number are stored. */
export interface StandInCall {
  kind: Kind;
  last4: string;
  reference: string;
  outcome: StandInOutcome;
  /** Kobo; null if the vendor bills nothing. */
  price: number | null;
}

/** Why the stand-in refused a request before any look-up. */
export type Refusal = "no_credentials" | "no_route";

type Claims = Readonly<Partial<Record<string, string>>>;

export interface StandInOptions extends StandInPlace {
  /**
   * Kobo that the vendor bills, by kind, and by kind and outcome where that differs: `bvn`, `bvn.not_found`,
   * `*.failed`.
   */
  prices: Readonly<Record<string, number | undefined>>;
  /** Whether the text is a number of this kind. */
  isNumber(kind: Kind, text: string): boolean;
  /** Invents the record of a number. The record contains these claims, such as a `phone` of ten digits. */
  record(kind: Kind, number: string, claims: Claims): object | Promise<object>;
  /** The vendor's published test number, which always gives a record with these claims, whatever its last digits. */
  testNumber?: { number: string; claims: Claims } | undefined;
  /** A CSV file that gets a line for each billed look-up. */
  invoice?: string | undefined;
  /** Hears of each look-up, before its response is sent. */
  onCall?: (call: StandInCall) => void;
  /** Hears of each request that the stand-in refuses. */
  onRefusal?: (why: Refusal) => void;
}

export interface RunningStandIn extends Running {
  calls: readonly StandInCall[];
  refusals: readonly Refusal[];
}

const slow = 30_000;
const photo = Buffer.from("photo").toString("base64");
const largePhoto = "A".repeat(3 * 1024 * 1024);
const proxyPage = "<html><body><h1>502 Bad Gateway</h1></body></html>\n";
const invoiceHeading = "reference,time,last4,price\n";

/** The name of the price for an outcome, where that price differs from the price of a record. */
const priceNames: Partial<Record<StandInOutcome, string>> = {
  not_found: "not_found",
  other_phone: "phone_mismatch",
  blocked: "blocked",
  other_person: "failed",
};

/**
 * Serves the vendor's wire format with invented people. Rejects with Node's error if the stand-in cannot listen, or
 * cannot create its invoice.
 */
export async function startIdentityStandIn(
  { name, standIn: vendor }: { name: string; standIn: StandIn<object> },
  { prices, isNumber, record, testNumber, invoice, onCall, onRefusal, ...place }: StandInOptions,
): Promise<RunningStandIn> {
  const sendTo = (response: ServerResponse, answer: StandInResponse) => sendAnswer(response, answer, vendor.form);
  const calls: StandInCall[] = [];
  const refusals: Refusal[] = [];
  const waiting = new Set<NodeJS.Timeout>();
  if (invoice !== undefined && !existsSync(invoice)) appendFileSync(invoice, invoiceHeading, { mode: 0o600 });

  function answer(request: StandInRequest, response: ServerResponse): void {
    const refuse = (why: Refusal) => {
      refusals.push(why);
      onRefusal?.(why);
      sendTo(response, vendor.failures[why]({ kind: "bvn", number: "", reference: randomUUID() }));
    };
    const beside = vendor.beside?.(request);
    const looked = vendor.asked(request);
    if (beside) sendTo(response, beside);
    else if (!looked || !isNumber(looked.kind, looked.number)) refuse("no_route");
    else if (!vendor.hasCredentials(request)) refuse("no_credentials");
    else lookUp({ ...looked, reference: referenceOf(request, looked.number) }, response);
  }

  function lookUp(asked: StandInAttempt, response: ServerResponse): void {
    const { kind, number, reference, claims = { phone: phoneOfNumber(number) } } = asked;
    const isTest = number === testNumber?.number;
    const outcome = isTest ? "found" : outcomeOf(number);
    note({ kind, last4: number.slice(-4), reference, outcome, price: priceOf(kind, outcome) });

    const own = isTest ? testNumber.claims : claims;
    const give = async (of: { number?: string; claims?: Claims; photo?: string } = {}) => {
      const whose = of.number ?? number;
      const found = await record(kind, whose, of.claims ?? own);
      const body = vendor.found(found, { ...asked, number: whose }, of.photo ?? photo);
      sendTo(response, { status: 200, body });
    };
    const fail = (failure: StandInFailure) => sendTo(response, vendor.failures[failure]!(asked));
    const other = otherNumber(number);
    const ways: Record<StandInOutcome, () => void | Promise<void>> = {
      found: () => give(),
      not_found: () => fail("not_found"),
      other_phone: () => give({ claims: othersOf(claims, otherPhoneOfNumber(number)) }),
      blocked: () => fail("blocked"),
      no_money: () => fail("no_money"),
      maintenance: () => fail("maintenance"),
      too_many_requests: () => fail("too_many_requests"),
      proxy_page: () => void response.writeHead(502, { "Content-Type": "text/html" }).end(proxyPage),
      other_person: () => give({ number: other, claims: othersOf(claims, phoneOfNumber(other)) }),
      large_photo: () => give({ photo: largePhoto }),
      slow: () => void waiting.add(setTimeout(give, slow)),
      cut: () => void response.socket?.resetAndDestroy(),
    };
    if (outcome === "too_many_requests") response.setHeader("Retry-After", "2");
    void ways[outcome]();
  }

  /**
   * The reference of a look-up. If the request chose one that is malformed or contains the number, a UUID replaces it.
   */
  function referenceOf(request: StandInRequest, number: string): string {
    const uuid = randomUUID();
    const named = vendor.referenceOf?.(uuid, request) ?? uuid;
    return /^[A-Za-z0-9][\w-]{0,63}$/.test(named) && !named.includes(number) ? named : uuid;
  }

  function outcomeOf(number: string): StandInOutcome {
    const { outcome } = standInNumbers[number.slice(-2)] ?? { outcome: "found" };
    return outcome === "blocked" && !vendor.failures.blocked ? "not_found" : outcome;
  }

  function priceOf(kind: Kind, outcome: StandInOutcome): number | null {
    const of = (name?: string) => prices[`${kind}.${name}`] ?? prices[`*.${name}`];
    const isOf = (list: readonly string[] = []) => list.includes(outcome);
    if (isOf(vendor.free)) return null;
    if (isOf(["no_money", "too_many_requests"]) || isOf(vendor.refuses)) return of("failed") ?? null;
    return of(priceNames[outcome]) ?? prices[kind] ?? 0;
  }

  function note(call: StandInCall): void {
    calls.push(call);
    const { reference, last4, price } = call;
    if (invoice !== undefined && price !== null)
      appendFileSync(invoice, `${[reference, new Date().toISOString(), last4, naira(price)].join(",")}\n`);
    onCall?.(call);
  }

  const running = await listenAsStandIn({ name, base: vendor.base }, place, answer);
  return {
    ...running,
    calls,
    refusals,
    async close() {
      for (const timer of waiting) clearTimeout(timer);
      await running.close();
    },
  };
}

/** Claims of the same names with other values. */
function othersOf(claims: Claims, phone: string): Claims {
  return Object.fromEntries(Object.keys(claims).map((name) => [name, name === "phone" ? phone : "OTHER"]));
}

/** Kobo as the vendor writes naira. */
const naira = (kobo: number) => (kobo % 100 === 0 ? String(kobo / 100) : (kobo / 100).toFixed(2));

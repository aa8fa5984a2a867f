import { pacer } from "../../runtime/pace.ts";
import type { InvoiceLine } from "./invoice.ts";

/** A question that we put to a vendor. */
export interface AskedQuestion {
  /** The request_reference of its verification. */
  reference: string;
  /** Counts the attempts of the verification. */
  number: number;
  /** Milliseconds since 1970. */
  askedAt: number;
  vendorReference: string | null;
  /** Null once the person is erased. */
  last4: string | null;
  /** What the vendor bills for it, in kobo. Null: not known. */
  price: number | null;
  /** False if nobody knows whether the vendor bills it: an invoice with or without it is no difference. */
  isBilled: boolean;
}

export const differences = ["other_price", "no_price", "doubled", "only_vendor", "only_here"] as const;
export type Difference = (typeof differences)[number];

/** A line and its question, or one without the other. */
export interface Pair {
  line: InvoiceLine | null;
  question: AskedQuestion | null;
}

export interface Comparison {
  /** Lines with their question, at the same price; or, if the invoice names no prices, at any. */
  agreed: Pair[];
  /** Whether the invoice names prices. */
  isPriced: boolean;
  /** The pairs of each difference. */
  differences: Record<Difference, Pair[]>;
}

/** How far the clock of a vendor may be from ours, in milliseconds. */
export const clockTolerance = 10 * 60_000;

/**
 * Finds the question of each line of an invoice: by the vendor's reference, else by the last digits and the nearest time. A line
 * whose question has a line already is `doubled`.
 */
export async function matchInvoice(
  lines: readonly InvoiceLine[],
  questions: readonly AskedQuestion[],
): Promise<Comparison> {
  const pause = pacer();
  const lineOf = new Map<AskedQuestion, InvoiceLine>();
  const doubled: Pair[] = [];
  const byReference = new Map(
    questions.flatMap((each) => (each.vendorReference === null ? [] : [[each.vendorReference, each]])),
  );
  const unmatched: InvoiceLine[] = [];
  const seen = new Map<string, InvoiceLine>();
  for (const line of lines) {
    await pause();
    const question = line.reference === null ? undefined : byReference.get(line.reference);
    if (question && !lineOf.has(question)) lineOf.set(question, line);
    else if (question) doubled.push({ line, question });
    else if (line.reference !== null && seen.has(line.reference)) doubled.push({ line, question: null });
    else unmatched.push(line);
    if (line.reference !== null) seen.set(line.reference, line);
  }

  // A question with a reference of the vendor is not the one of a line with another reference.
  const near = nearbyQuestions(questions);
  const pairs: { line: InvoiceLine; question: AskedQuestion; distance: number }[] = [];
  for (const line of unmatched) {
    await pause();
    for (const each of near(line)) pairs.push({ line, ...each });
  }
  const settled = new Set<InvoiceLine>();
  for (const { line, question } of pairs.sort((one, other) => one.distance - other.distance)) {
    if (settled.has(line) || lineOf.has(question)) continue;
    lineOf.set(question, line);
    settled.add(line);
  }
  const onlyVendor: Pair[] = [];
  for (const line of unmatched) {
    await pause();
    if (settled.has(line)) continue;
    const twin = line.reference === null ? near(line)[0]?.question : undefined;
    if (twin) doubled.push({ line, question: twin });
    else onlyVendor.push({ line, question: null });
  }

  const matched = questions.flatMap((question) => {
    const line = lineOf.get(question);
    return line ? [{ line, question }] : [];
  });
  const isPriced = lines.some(({ price }) => price !== null);
  const isSamePrice = ({ line, question }: (typeof matched)[number]) => !isPriced || line.price === question.price;
  const hasBoth = ({ line, question }: (typeof matched)[number]) => line.price !== null && question.price !== null;
  const others = matched.filter((pair) => !isSamePrice(pair));
  return {
    agreed: matched.filter(isSamePrice),
    isPriced,
    differences: {
      other_price: others.filter(hasBoth),
      no_price: others.filter((pair) => !hasBoth(pair)),
      doubled,
      only_vendor: onlyVendor,
      only_here: questions
        .filter((question) => !lineOf.has(question) && question.isBilled && question.price !== 0)
        .map((question) => ({ line: null, question })),
    },
  };
}

/** Finds the questions that a line may mean by digits and time, the nearest first. */
function nearbyQuestions(questions: readonly AskedQuestion[]) {
  const byDigits = Map.groupBy(questions, ({ last4 }) => last4);
  for (const group of byDigits.values()) group.sort((one, other) => one.askedAt - other.askedAt);
  return ({ reference, time, last4 }: InvoiceLine): { question: AskedQuestion; distance: number }[] => {
    if (time === null || last4 === null) return [];
    return (byDigits.get(last4) ?? [])
      .filter((question) => reference === null || question.vendorReference === null)
      .map((question) => ({
        question,
        distance: Math.max(time.from - question.askedAt, question.askedAt - time.to, 0),
      }))
      .filter(({ distance }) => distance <= clockTolerance)
      .sort((one, other) => one.distance - other.distance);
  };
}

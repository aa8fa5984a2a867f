/** A printable letter to a client: the amount to pay, and an annex with each item. All members are texts for people. */
export interface Letter {
  title: string;
  number: string;
  /** The first line is the name. */
  to: readonly string[];
  from: readonly string[];
  due: readonly LetterFact[];
  /** The last row is the total. */
  sums: readonly { what: string; number?: string; price?: string; amount: string }[];
  pay: readonly LetterFact[];
  notes: readonly string[];
  /** The annex is read while it is sent. A string is a note at its end. */
  annex: { title: string; about: string; parts: AsyncIterable<LetterDay | string> };
}

export type LetterFact = readonly [label: string, text: string];

export interface LetterDay {
  title: string;
  about: string;
  lines: readonly { clock: string; reference: string; what: string; amount: string }[];
}

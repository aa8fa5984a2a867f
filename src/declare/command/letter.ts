/** What a client gets on paper: what to pay, and an annex with all that it is for. Texts are as people read them. */
export interface Letter {
  title: string;
  number: string;
  /** The first line is a name. */
  to: readonly string[];
  from: readonly string[];
  due: readonly LetterFact[];
  /** The last one is what all come to. */
  sums: readonly { what: string; number?: string; price?: string; amount: string }[];
  pay: readonly LetterFact[];
  notes: readonly string[];
  /** Read while it is sent. A text is a note at its end. */
  annex: { title: string; about: string; parts: AsyncIterable<LetterDay | string> };
}

export type LetterFact = readonly [label: string, text: string];

export interface LetterDay {
  title: string;
  about: string;
  lines: readonly { clock: string; reference: string; what: string; amount: string }[];
}

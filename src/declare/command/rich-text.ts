import { type CheckKind, labelOf } from "../check-kind.ts";

/** What a sentence names. Each user interface writes it in its own way. */
export type Named =
  | { readonly vendor: string }
  | { readonly check: CheckKind }
  /** Who acted, as the store has it: `person:per_…`, `key:…`, `terminal:ada` or `system`. */
  | { readonly actor: string }
  /** By id or e-mail. */
  | { readonly account: string }
  /** By its public id. */
  | { readonly key: string }
  /** Milliseconds since 1970. */
  | { readonly time: number };

/** A text for people, with what it names as data. */
export type RichText = readonly (string | Named)[];

/** A text without or with data in it. */
export type Text = string | RichText;

/** A text with data in it: richText`The vendor ${{ vendor }} is paused`. */
export function richText(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | Named | RichText)[]
): RichText {
  return texts.flatMap((text, at) => [text, values[at] ?? ""].flatMap(piecesOf)).filter((piece) => piece !== "");
}

function piecesOf(value: string | number | Named | RichText): RichText {
  if (typeof value === "number") return [String(value)];
  return typeof value === "string" || !Array.isArray(value) ? [value as string | Named] : (value as RichText);
}

/** Several texts as one, with this between them. */
export function joinTexts(texts: readonly RichText[], between: string): RichText {
  return texts.flatMap((text, at) => (at === 0 ? text : [between, ...text]));
}

/** How a text is written: a time for people, and the e-mail of an account by its id. */
export interface Writing {
  at: (time: number) => string;
  emailOf?: (account: string) => string;
}

/** A text as a terminal writes it. */
export function plainText(text: Text, { at, emailOf = (account) => account }: Writing): string {
  if (typeof text === "string") return text;
  const plain = (piece: string | Named): string => {
    if (typeof piece === "string") return piece;
    if ("time" in piece) return at(piece.time);
    if ("check" in piece) return labelOf(piece.check);
    if ("account" in piece) return emailOf(piece.account);
    return Object.values(piece)[0]!;
  };
  return text.map(plain).join("");
}

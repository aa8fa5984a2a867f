import { type CheckKind, labelOf } from "../check-kind.ts";

/** A thing named in a sentence. Each user interface formats it in its own way. */
export type Named =
  | { readonly vendor: string }
  | { readonly check: CheckKind }
  /** An actor as stored: `person:per_…`, `key:…`, `terminal:ada` or `system`. */
  | { readonly actor: string }
  /** An account's id or e-mail. */
  | { readonly account: string }
  /** A key's public id. */
  | { readonly key: string }
  /** Milliseconds since 1970. */
  | { readonly time: number };

/** A text for people, with the things that it names as data. */
export type RichText = readonly (string | Named)[];

/** A plain or a rich text. */
export type Text = string | RichText;

/** Makes a rich text: richText`The vendor ${{ vendor }} is paused`. */
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

/** Joins rich texts with a separator. */
export function joinTexts(texts: readonly RichText[], between: string): RichText {
  return texts.flatMap((text, at) => (at === 0 ? text : [between, ...text]));
}

/** How to format a time, and how to find the e-mail of an account. */
export interface Writing {
  at: (time: number) => string;
  emailOf?: (account: string) => string;
}

/** Formats a text for a terminal. */
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

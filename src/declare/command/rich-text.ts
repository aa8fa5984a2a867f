import { type CheckKind, labelOf } from "../check-kind.ts";
import Type from "../schema/type.ts";
import { time } from "./answer-schema.ts";

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

const text = Type.String();

/** What a sentence proposes to do: a command by its id, with its input as texts. */
export interface Mend {
  /** Such as "See why". */
  readonly says: RichText;
  readonly command: string;
  readonly input: Readonly<Record<string, string>>;
}

/** A mend, with its line for a terminal. */
export interface MendWithLine extends Mend {
  readonly line: string;
}

/** A `Saying` in an answer. Programs read times in it as ISO 8601. */
export const richTextMember = Type.Unsafe<RichText>({
  type: "array",
  shows: "richText",
  items: { properties: { vendor: text, check: text, actor: text, account: text, key: text, time } },
});

/** Mends in an answer. */
export const mendsMember = Type.Unsafe<readonly MendWithLine[]>({
  type: "array",
  shows: "mends",
  items: Type.Object({
    says: richTextMember,
    command: Type.String(),
    input: Type.Record(Type.String(), Type.String()),
    line: Type.String(),
  }),
});

/** A text with data in it: told`The vendor ${{ vendor }} is paused`. */
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
export function plainText(text: RichText, { at, emailOf = (account) => account }: Writing): string {
  const plain = (piece: string | Named): string => {
    if (typeof piece === "string") return piece;
    if ("time" in piece) return at(piece.time);
    if ("check" in piece) return labelOf(piece.check);
    if ("account" in piece) return emailOf(piece.account);
    return Object.values(piece)[0]!;
  };
  return text.map(plain).join("");
}

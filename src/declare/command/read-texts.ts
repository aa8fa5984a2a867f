import type { TObject, TSchema, TSchemaOptions, TUnsafe } from "typebox";
import { holdsNumber } from "../../runtime/redact.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { closestName } from "../closest-name.ts";
import Type from "../schema/type.ts";
import { type Form, remark } from "./forms.ts";

/** A file that the person chose. */
export interface ChosenFile {
  name: string;
  /** Reads the bytes anew on each call, because the bytes of an earlier call may now belong to a thread. */
  read(): Promise<Uint8Array<ArrayBuffer>>;
}

/** The person's input, by member: text, several texts, a set flag, or files. */
export type Texts = Readonly<Record<string, string | true | readonly string[] | readonly ChosenFile[] | undefined>>;

/** Facts that a schema states about a member, beside its type. */
export interface MemberOptions extends TSchemaOptions {
  description: string;
  /** The label for people. Default: the words of the member's name. */
  label?: string;
  /** The placeholder in help and forms: "id or e-mail". */
  placeholder?: string;
  /** The text that applies if the person gives none. A member without a default is required, unless it is optional. */
  default?: string;
  /** Private: never on a command line, where other users of the machine could see it. */
  private?: boolean;
  /** It may be about a person, such as a home address: the audit trail stores only a keyed hash. */
  keyed?: true;
  /** Pasted text that may be anything, so it never stands in a URL. */
  pasted?: boolean;
  /** Rarely filled in: a form folds it away. */
  folded?: true;
  /** One line below the field, if the label is not enough. */
  hint?: string;
  /** None of the few words is a natural default: a form makes the person choose, and explains each. */
  areEqual?: true;
  words?: Readonly<Record<string, string>>;
  /** What a filter shows while no word is chosen. Default: "All". */
  unchosen?: string;
  /** Name of a flag. The member is read only if that flag is set. */
  with?: string;
  /** Values of the member `kind`. The member is read only with one of these. */
  kinds?: readonly string[];
  /** A member of a row. A link from the row passes that member's value in this one. */
  of?: string;
  /** Text that callers chose: ten or thirteen digits may be an order number or a time. */
  ofCallers?: true;
  /** An identity vendor. A form lists the vendors in use first. */
  isVendor?: true;
  /** A form shows the member once suggestions are known. */
  offered?: true;
  /** The setting that this member overrides. */
  setting?: string;
}

/** A member as user interfaces read it. */
export interface Member extends MemberOptions {
  type?: "string" | "boolean" | "array";
  enum?: readonly string[];
  items?: Member;
  form?: string;
  read?: Form<unknown>["read"];
  masks?: true;
  word?: string;
  /** `passkey`: data that a browser makes, never typed by a person. */
  holds?: "file" | "passkey";
  minLength?: number;
}

/** Text of this form. `readTexts` gives the value that the form reads. */
export function formed<Value>({ form, read, masks, hint, word }: Form<Value>, options: MemberOptions): TUnsafe<Value> {
  const said = { ...(masks && { masks }), ...(hint !== undefined && { hint }), ...(word !== undefined && { word }) };
  return Type.Unsafe<Value>({ type: "string", form, read, ...said, ...options });
}

/** A note that the audit trail keeps. */
export const noteText = formed(remark, {
  description: "The note. Name no person of a BVN or NIN in it. Long numbers in it are not kept.",
  placeholder: "text",
  minLength: 1,
});

export function files(options: MemberOptions): TUnsafe<readonly ChosenFile[]> {
  return Type.Unsafe<readonly ChosenFile[]>({ type: "array", items: { type: "string" }, holds: "file", ...options });
}

export function flag(description: string, options: Partial<MemberOptions> = {}) {
  return Type.Optional(Type.Literal(true, { type: "boolean", description, ...options }));
}

export interface MemberError {
  /** The name of the member. */
  field: string;
  /** Completes "The member …": "must be …" or "is required". */
  message: string;
}

/** Input that a command cannot use: the problems of single members, or one sentence about several members. */
export class InputError extends Error {
  readonly exitCode = 2;
  readonly problems: readonly MemberError[];

  constructor(problems: readonly MemberError[] | string) {
    super(
      typeof problems === "string" ? problems : problems.map(({ field, message }) => `${field} ${message}.`).join("\n"),
    );
    this.problems = typeof problems === "string" ? [] : problems;
  }
}

/** Returns the members of an input by name, and whether each is required. */
export function membersOf({ properties, required }: TObject) {
  const needed = new Set<string>(required);
  return Object.entries(properties).map(([name, schema]) => {
    const member = schema as TSchema as Member;
    return { name, member, isRequired: needed.has(name) && member.default === undefined };
  });
}

/** Longest text, in characters: pages repeat a text in each row, and SQL repeats it in each statement. */
const longestText = 2_000;

/**
 * Reads the texts of all members and fills in defaults. Days are days in `zone`. Returns all problems at once; no
 * problem repeats a text.
 */
export function readTexts(
  schema: TObject,
  texts: Texts,
  zone: TimeZone,
): { input: Record<string, unknown>; problems: readonly MemberError[] } {
  const input: Record<string, unknown> = {};
  const problems: MemberError[] = [];
  for (const { name, member, isRequired } of membersOf(schema)) {
    const text = texts[name] ?? member.default;
    if (text === undefined || (Array.isArray(text) && text.length === 0)) {
      if (isRequired) problems.push({ field: name, message: "is required" });
      continue;
    }
    if (member.minLength && String(text).trim() === "") {
      problems.push({ field: name, message: "must not be empty" });
      continue;
    }
    if (!member.holds && [text].flat().some((each) => typeof each === "string" && each.length > longestText)) {
      problems.push({ field: name, message: "must have at most 2,000 characters" });
      continue;
    }
    const values = (Array.isArray(text) ? text : [text]).map((each) => valueIn(member.items ?? member, each, zone));
    if (values.some((value) => isPlain(member) && isOfPerson(value, member))) {
      const digits = member.ofCallers ? "11" : "ten or more";
      problems.push({ field: name, message: `must not hold a number of ${digits} digits, which may be a person's` });
      continue;
    }
    if (values.includes(undefined)) {
      const wrong = [text].flat()[values.indexOf(undefined)];
      problems.push({ field: name, message: `must be ${formOf(member.items ?? member)}${meant(member, wrong)}` });
    } else input[name] = member.type === "array" ? values : values[0];
  }
  return { input, problems };
}

/** Whether the member takes any text, without a form or a list of words. */
function isPlain({ items, ...member }: Member): boolean {
  const { type, read, enum: words, holds, private: isPrivate, pasted } = { ...member, ...items };
  return type === "string" && !read && !words && !holds && !isPrivate && !pasted;
}

/**
 * Callers use numbers of ten and more digits for orders and times. In callers' text, only eleven digits count as a BVN
 * or NIN.
 */
const numberOfCallers = /(?<![\p{L}\p{N}])\p{Nd}{11}(?![\p{L}\p{N}])/u;

function isOfPerson(text: unknown, { ofCallers }: Member): boolean {
  return ofCallers ? numberOfCallers.test(String(text)) : holdsNumber(String(text), { apart: true });
}

/** Returns the phrase that completes "must be …". */
export function formOf({ form, enum: words, description }: Member): string {
  if (form !== undefined) return form;
  return words ? `one of ${words.join(", ")}` : `text: ${description}`;
}

/** Returns a hint with the closest word, or "". */
function meant({ items, ...member }: Member, wrong: unknown): string {
  const { enum: words = [], form } = { ...member, ...items };
  const word = form === undefined && typeof wrong === "string" ? closestName(wrong, words) : undefined;
  return word === undefined ? "" : ` (did you mean ${word}?)`;
}

function valueIn(member: Member, text: unknown, zone: TimeZone): unknown {
  if (typeof text !== "string") return text;
  if (member.read) return member.read(text, zone);
  if (member.enum) return member.enum.includes(text) ? text : undefined;
  return text;
}

import { setImmediate as turn } from "node:timers/promises";
import { amount, remark } from "../../../declare/command/forms.ts";
import { type ChosenFile, type Member, membersOf, type Texts } from "../../../declare/command/read-texts.ts";
import { koboOf, nairaText } from "../../../declare/money.ts";
import type { ConsoleCommand } from "../site-map.ts";
import type { FormTexts } from "../view/command-form.ts";

/** Bytes copied in one tick of the event loop. */
const piece = 256 * 1024;

/** Whether a URL has input for a command, beyond opening its form. */
export function hasMembers(query: URLSearchParams): boolean {
  return [...query.keys()].some((name) => !name.startsWith("_") || name === "_run");
}

/** Returns the texts of a URL or form, to be shown in a form again. */
export function textsIn({ input }: ConsoleCommand, fields: URLSearchParams | FormData): FormTexts {
  const textsOf = (name: string) =>
    fields.getAll(name).flatMap((text) => (typeof text === "string" && visible(text) !== "" ? visible(text) : []));
  return Object.fromEntries(membersOf(input).map(({ name }) => [name, textsOf(name)]));
}

/** A form that a person sent. */
export interface SentForm {
  command: ConsoleCommand;
  form: FormData;
  /** The command's input, without values that the person left unchanged. */
  given: Texts;
  was: FormTexts;
}

/** Returns input as commands read it: empty fields are absent, and lists have one text per line. */
export function readTextsOf(command: ConsoleCommand, fields: URLSearchParams | FormData): Texts {
  const texts: Record<string, Texts[string]> = {};
  for (const { name, member } of membersOf(command.input)) {
    const values = fields.getAll(name) as (string | File)[];
    if (member.holds === "file")
      texts[name] = values.flatMap((file): ChosenFile[] =>
        typeof file === "string" || file.size === 0 ? [] : [{ name: file.name, read: () => bytesOf(file) }],
      );
    else {
      const lines = values
        .flatMap((value) => (typeof value === "string" ? visible(value).split("\n") : []))
        .map((line) => line.trim());
      const filled = lines.filter((line) => line !== "");
      if (filled.length > 0)
        texts[name] =
          member.type === "array" ? filled : member.type === "boolean" ? true : plain(member, filled.join(" "));
      // An unchosen radio group must not fall back to the default.
      else if (member.areEqual && values.length > 0) texts[name] = "";
    }
  }
  return texts;
}

/**
 * Removes invisible characters: NUL, which PostgreSQL refuses, marks that reverse text, and rests of copied e-mails.
 * Keeps characters that join letters and emoji.
 */
function visible(text: string): string {
  return text.replaceAll("\t", " ").replaceAll(/(?![\n\u200c\u200d])[\p{Cc}\p{Cf}]/gu, "");
}

/** Reads a file's bytes in pieces: all at once would delay look-ups. */
async function bytesOf(file: File): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Buffer.allocUnsafeSlow(file.size);
  for (let at = 0; at < file.size; at += piece) {
    bytes.set(new Uint8Array(await file.slice(at, at + piece).arrayBuffer()), at);
    await turn();
  }
  return bytes;
}

/** Removes the thousands separators that pages show in numbers. */
function plain({ form }: Member, text: string): string {
  return form && /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text;
}

/** Whether a value equals the form's original one. */
export function isUnchanged(was: FormTexts, name: string, given: unknown): boolean {
  return given !== undefined && JSON.stringify(was[name]) === JSON.stringify([given].flat());
}

/** Returns the words for emptied fields: "none" for a removed cap or end. */
export function emptied(command: ConsoleCommand, form: FormData, was: FormTexts): Record<string, string | string[]> {
  return Object.fromEntries(
    membersOf(command.input).flatMap(({ name, member }) => {
      const word = member.word ?? member.items?.word;
      const isEmpty =
        form.has(name) && form.getAll(name).every((text) => typeof text === "string" && text.trim() === "");
      return word !== undefined && isEmpty && (was[name] ?? []).length > 0
        ? [[name, member.type === "array" ? [word] : word] as const]
        : [];
    }),
  );
}

/** Parses a form's original values. Empty if malformed. */
export function textsWas(text: unknown): FormTexts {
  try {
    const read: unknown = JSON.parse(String(text));
    return typeof read === "object" && read !== null ? (read as FormTexts) : {};
  } catch {
    return {};
  }
}

/** Formats a value for people: amounts with ₦, private values hidden. */
export function memberText(given: NonNullable<Texts[string]>, { form, masks, private: isPrivate }: Member): string {
  if (isPrivate) return "(not shown)";
  if (given === true) return "yes";
  if (masks) return remark.read(String(given));
  const kobo = form?.startsWith(amount.form) ? koboOf(String(given)) : undefined;
  if (kobo !== undefined) return nairaText(kobo);
  return typeof given === "string"
    ? given
    : given.map((each) => (typeof each === "string" ? each : each.name)).join(" ");
}

import { setImmediate as turn } from "node:timers/promises";
import type { CommandContext } from "../../commands/context.ts";
import { type ChosenFile, type Member, membersOf, type Texts } from "../../operation/command/read-texts.ts";
import type { Command } from "../../operation/command.ts";
import type { FormTexts } from "../view/command-form.ts";

type AnyCommand = Command<CommandContext>;

/** Bytes that are copied in one turn of the event loop. */
const piece = 256 * 1024;

/** A path with the query and these changes; undefined removes a name. */
export function urlOf(path: string, query: URLSearchParams, change: Record<string, string | undefined>): string {
  const all = new URLSearchParams(query);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) all.delete(name);
    else all.set(name, value);
  }
  const text = all.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Whether a URL asks for more than a form. */
export function hasMembers(query: URLSearchParams): boolean {
  return [...query.keys()].some((name) => !name.startsWith("_") || name === "_run");
}

/** The texts of a URL, as a form repeats them. */
export function textsIn(command: AnyCommand, query: URLSearchParams): FormTexts {
  return Object.fromEntries(
    membersOf(command.input).map(({ name }) => [name, query.getAll(name).filter((text) => text !== "")]),
  );
}

/** The texts as commands read them: an empty field is no text, and a list has a text in each line. */
export function readTextsOf(command: AnyCommand, fields: URLSearchParams | FormData): Texts {
  const texts: Record<string, Texts[string]> = {};
  for (const { name, member } of membersOf(command.input)) {
    const values = fields.getAll(name) as (string | File)[];
    if (member.holds === "file")
      texts[name] = values.flatMap((file): ChosenFile[] =>
        typeof file === "string" || file.size === 0 ? [] : [{ name: file.name, read: () => bytesOf(file) }],
      );
    else {
      const lines = values
        .flatMap((value) => (typeof value === "string" ? value.split(/\r?\n/) : []))
        .map((line) => line.trim());
      const filled = lines.filter((line) => line !== "");
      if (filled.length > 0)
        texts[name] =
          member.type === "array" ? filled : member.type === "boolean" ? true : plain(member, filled.join(" "));
    }
  }
  return texts;
}

/** The bytes of a file, in pieces: all at once would hold up look-ups. */
async function bytesOf(file: File): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Buffer.allocUnsafeSlow(file.size);
  for (let at = 0; at < file.size; at += piece) {
    bytes.set(new Uint8Array(await file.slice(at, at + piece).arrayBuffer()), at);
    await turn();
  }
  return bytes;
}

/** A number without the commas with which pages show it. */
function plain({ form }: Member, text: string): string {
  return form && /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text;
}

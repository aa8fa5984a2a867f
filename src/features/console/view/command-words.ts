import type { TimeTexts } from "../../../declare/command/answer-table.ts";
import type { Mend, MendWithLine } from "../../../declare/command/mend.ts";
import { membersOf } from "../../../declare/command/read-texts.ts";
import type { Named, RichText } from "../../../declare/command/rich-text.ts";
import { type Command, titleOf } from "../../../declare/command.ts";
import { type Html, html, prose } from "../../../http/pages/html.ts";
import { labelFor, pathOf, placeOf, type SiteMap } from "../site-map.ts";
import { timeOf } from "./cells.ts";
import { inWords, isCode, type Names, type Say, wordFor } from "./words.ts";

const isoTime = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** In backticks within a sentence, or without them up to the end of a line. */
const commandLine = /(`duba [^`]+`|\bduba (?:[a-z-]+(?: |$)).*$)/gm;

export function sayingFor(site: SiteMap, names: Names, times: TimeTexts): Say {
  const shortly = (iso: string) => times.textOf(Date.parse(iso));
  const say = (text: string | RichText) =>
    typeof text === "string"
      ? sentence(text)
      : html`${text.map((piece) => (typeof piece === "string" ? sentence(piece) : namedHtml(piece)))}`;
  const namedHtml = (piece: Named) =>
    "time" in piece ? timeOf(piece.time, times.textOf(piece.time)) : html`${wordFor(piece, names)}`;
  const proseOf = (text: string) => prose(inWords(withLabels(text), names).replaceAll(isoTime, shortly));
  const sentence = (text: string) => {
    const parts = text
      .split(commandLine)
      .map((piece, at) => (at % 2 === 1 ? linkOf(site, piece.replaceAll("`", ""), names) : proseOf(piece)));
    return html`${parts}`;
  };
  const mend = (one: Mend | MendWithLine) => {
    const address = mendAddress(site, one);
    const says = say(one.says);
    if (address !== undefined) return html`<a href="${address}">${says}</a>`;
    return "line" in one ? html`${says}: <code>${one.line}</code>` : html``;
  };
  const words = (said: RichText) =>
    said.map((piece) =>
      typeof piece === "string" ? piece : "time" in piece ? times.textOf(piece.time) : wordFor(piece, names),
    );
  return Object.assign(say, { mend, words: (said: RichText) => words(said).join("") });
}

/** The page that a mend leads to; undefined if the site has none. */
export function mendAddress(
  site: SiteMap,
  { command: id, input }: Pick<Mend, "command" | "input">,
): string | undefined {
  const command = site.commands.get(id);
  const texts = Object.entries(input).flatMap(([name, value]) =>
    [value].flat().map((text) => [name, text === true ? "on" : (text as string)] as const),
  );
  return command && pageOf(site, command, texts);
}

/** A page that opens with the answer of a command is its page. */
function pageOf(site: SiteMap, command: Command<never>, asked: readonly (readonly [string, string])[]): string {
  const place = placeOf(site, command);
  const query = new URLSearchParams(asked as [string, string][]).toString();
  return `${command.id === place.opens ? place.path : pathOf(command)}${query && `?${query}`}`;
}

/**
 * An option of the terminal as the label of its field: `--time-column` is “Time column”; a member of the code by its
 * label.
 */
function withLabels(text: string): string {
  const named = text.replaceAll(/(?<![\w.:/"-])[a-z]+(?:_[a-z]+)+(?![\w"])/g, (name) =>
    isCode(name) ? name : labelFor(name).toLowerCase(),
  );
  return named.replaceAll(/(?<!\S)--([a-z]+(?:-[a-z]+)*)/g, (_, name: string) => `“${labelFor(name)}”`);
}

function linkOf(site: SiteMap, line: string, names: Names): Html {
  const read = readLine(site, line, names);
  if (!read) return html`<code>${line}</code>`;
  return html`<a href="${read.address}">${read.label}</a>`;
}

function readLine(site: SiteMap, line: string, names: Names): { address: string; label: string } | undefined {
  const [, ...words] = (line.match(/"[^"]*"|[^\s"]+/g) ?? []).map((word) => word.replaceAll('"', ""));
  const command = [3, 2, 1].flatMap((count) => site.commands.get(words.slice(0, count).join(".")) ?? [])[0];
  if (!command) return undefined;
  const place = placeOf(site, command);
  const isOpening = command.id === place.opens;
  const asked = textsOf(command, words.slice(command.id.split(".").length));
  const named = asked.filter(([name]) => command.target?.includes(name)).map(([, text]) => text);
  const label = isOpening
    ? place.title
    : inWords([titleOf(command), ...named.map((text) => names.get(text) ?? text)].join(" "));
  return { address: pageOf(site, command, asked), label };
}

/** What the words of a command line say, by member. Placeholders such as <file> say nothing. */
function textsOf(command: Command<never>, words: readonly string[]): [name: string, text: string][] {
  const names = new Set(membersOf(command.input).map(({ name }) => name));
  const targets = [...(command.target ?? [])];
  const texts: [string, string][] = [];
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const option = /^--([a-z-]+)$/.exec(word)?.[1]?.replaceAll("-", "_");
    const name = option ?? targets.shift();
    const text = option === undefined ? word : left.shift();
    if (name !== undefined && names.has(name) && text !== undefined && !text.startsWith("<")) texts.push([name, text]);
  }
  return texts;
}

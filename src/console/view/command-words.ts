import { type Html, html, prose } from "../../http/pages/html.ts";
import type { TimeTexts } from "../../operation/command/answer-table.ts";
import { membersOf } from "../../operation/command/read-texts.ts";
import { type Command, titleOf } from "../../operation/command.ts";
import { labelFor, pathOf, placeOf, type SiteMap } from "../site-map.ts";
import { inWords, isCode, type Names } from "./words.ts";

/**
 * A text of a command as the console says it: a line for the terminal, such as `duba catalogue show d7`, is a link to the page that
 * does the same, if the site has it.
 */
export type Say = (text: string) => Html;

const isoTime = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** In backticks within a sentence, or without them up to the end of a line. */
const commandLine = /(`duba [^`]+`|\bduba (?:[a-z-]+(?: |$)).*$)/gm;

export function sayingFor(site: SiteMap, names: Names, times: TimeTexts): Say {
  const shortly = (iso: string) => times.textOf(Date.parse(iso));
  return (text) =>
    html`${text.split(commandLine).map((piece, at) => (at % 2 === 1 ? linkOf(site, piece.replaceAll("`", ""), names) : prose(inWords(withLabels(piece), names).replaceAll(isoTime, shortly))))}`;
}

/** An option of the terminal as the label of its field: `--time-column` is “Time column”; a member of the code by its label. */
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

/** The page that does what a line for the terminal does; undefined if the site has none. */
export function lineAddress(site: SiteMap, line: string): string | undefined {
  return readLine(site, line, new Map())?.address;
}

function readLine(site: SiteMap, line: string, names: Names): { address: string; label: string } | undefined {
  const [, ...words] = (line.match(/"[^"]*"|[^\s"]+/g) ?? []).map((word) => word.replaceAll('"', ""));
  const command = [3, 2, 1].flatMap((count) => site.commands.get(words.slice(0, count).join(".")) ?? [])[0];
  if (!command) return undefined;
  const place = placeOf(site, command);
  const isOpening = command.id === place.opens;
  const asked = textsOf(command, words.slice(command.id.split(".").length));
  const query = new URLSearchParams(asked).toString();
  const named = asked.filter(([name]) => command.target?.includes(name)).map(([, text]) => text);
  const label = isOpening
    ? place.title
    : inWords([titleOf(command), ...named.map((text) => names.get(text) ?? text)].join(" "));
  return { address: `${isOpening ? place.path : pathOf(command)}${query && `?${query}`}`, label };
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

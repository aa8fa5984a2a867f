import type { TimeTexts } from "../../../declare/command/answer-table.ts";
import type { Mend, MendWithLine } from "../../../declare/command/mend.ts";
import type { Named, RichText } from "../../../declare/command/rich-text.ts";
import { type Command, titleOf } from "../../../declare/command.ts";
import { type Html, html, prose } from "../../../http/pages/html.ts";
import { pathOf, placeOf, type SiteMap } from "../site-map.ts";
import { timeOf } from "./cells.ts";
import { type Names, type Say, wordFor } from "./words.ts";

export function sayingFor(site: SiteMap, names: Names, times: TimeTexts): Say {
  const say = (text: string | RichText) =>
    typeof text === "string"
      ? sentence(text)
      : html`${text.map((piece) => (typeof piece === "string" ? sentence(piece) : namedHtml(piece)))}`;
  const namedHtml = (piece: Named) =>
    "time" in piece ? timeOf(piece.time, times.textOf(piece.time)) : html`${wordFor(piece, names)}`;
  const sentence = (text: string) => {
    const pieces = text.split(/`([^`]+)`/);
    return html`${pieces.map((piece, at) => (at % 2 === 1 ? codeHtml(site, piece) : prose(piece)))}`;
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

/** Returns the URL of a mend; undefined if the site lacks its command. */
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

/** Returns a command's URL: the page whose table it fills, or its own. */
function pageOf(site: SiteMap, command: Command<never>, asked: readonly (readonly [string, string])[]): string {
  const place = placeOf(site, command);
  const query = new URLSearchParams(asked as [string, string][]).toString();
  return `${command.id === place.opens ? place.path : pathOf(command)}${query && `?${query}`}`;
}

/** Renders a command line such as `duba keys list` as a link to its page, if the site has one. */
function codeHtml(site: SiteMap, code: string): Html {
  const command = code.startsWith("duba ") && site.commands.get(code.slice("duba ".length).replaceAll(" ", "."));
  if (!command) return html`<code>${code}</code>`;
  const place = placeOf(site, command);
  return html`<a href="${pageOf(site, command, [])}">${command.id === place.opens ? place.title : titleOf(command)}</a>`;
}

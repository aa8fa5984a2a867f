import { posix } from "node:path";
import { Marked, type Tokens } from "marked";
import { failures } from "../src/declare/failures.ts";
import { downloads, guides } from "../src/http/pages/guides.ts";
import { Html, html } from "../src/http/pages/html.ts";

/** The paths of pages by their source files. A file of several downloads has the path of the first of them. */
const pathOfFile = new Map<string, string>([
  ...Object.entries(guides).map(([path, { file }]) => [file, path] as const),
  ...Object.entries(downloads)
    .toReversed()
    .flatMap(([path, files]) => files.map((file) => [file, path] as const)),
]);

/** The title of a document, and the rest of the document as a part of a page of a service at `origin`. */
export function documentPart(text: string, file: string, origin: string): { title: string; main: Html } {
  const own = text.replaceAll("http://127.0.0.1:8080", origin);
  const [, title = "", body = ""] = /^# (.+)\n([\s\S]*)$/.exec(own) ?? [];
  return { title, main: html`<h1>${title}</h1>\n${new Html(renderer(file).parse(body, { async: false }))}` };
}

function renderer(file: string): Marked {
  const seen = new Set<string>();
  return new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const inside = this.parser.parseInline(tokens);
        const id = slugOf(inside.replaceAll(/<[^>]*>/g, ""));
        // A link means the first of two equal headings.
        const named = seen.has(id) ? "" : ` id="${id}"`;
        seen.add(id);
        return `<h${depth}${named}>${inside}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inside = this.parser.parseInline(tokens);
        const target = targetOf(href, file);
        return target === undefined ? inside : html`<a href="${target}">${new Html(inside)}</a>`.text;
      },
      codespan({ text }) {
        const code = html`<code>${text}</code>`;
        const [, failure] = /^(?:\d{3} )?([a-z]+(?:_[a-z]+)+)$/.exec(text) ?? [];
        const isFailure = failure !== undefined && Object.hasOwn(failures, failure);
        return isFailure ? html`<a href="/docs/errors#${failure}">${code}</a>`.text : code.text;
      },
      code: ({ text }) => html`<pre><code>${text}</code></pre>\n`.text,
      table({ header, rows }) {
        const cells = (tokens: Tokens.TableCell[]) =>
          tokens.map((cell) => new Html(this.parser.parseInline(cell.tokens)));
        const headings = cells(header);
        return html`<table class="wide">
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => {
  const [first, ...others] = cells(row);
  return html`<tr><th scope="row">${first!}</th>${others.map((cell, at) => html`<td data-label="${header[at + 1]!.text.replaceAll("`", "")}">${cell}</td>`)}</tr>
`;
})}</tbody></table>\n`.text;
      },
      // Comments mark what is generated.
      html: () => "",
    },
  });
}

/** The target on the service of a document's link; undefined if the service does not have the target. */
function targetOf(href: string, file: string): string | undefined {
  if (/^(?:https?:|#|\/)/.test(href)) return href;
  const [path = "", hash] = href.split("#");
  const served = pathOfFile.get(posix.join(posix.dirname(file), path));
  return served && (hash === undefined ? served : `${served}#${hash}`);
}

/** The anchor of a heading, as GitHub makes it. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

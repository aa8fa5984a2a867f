/** Text that a page can contain without escaping. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Part[];

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Builds a piece of a page. Escapes each part that is not itself a piece of a page. */
export function html(fixed: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: fixed }, ...parts.map(rendered)));
}

function rendered(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(rendered).join("");
  return String(part).replaceAll(/[&<>"']/g, (character) => entities[character] as string);
}

/** Plain text in which `backticks` mark code and paths such as /docs are links. */
export function prose(text: string): Html {
  const pieces = text.split(/(`[^`]+`|\/docs(?:\/[a-z]+)?(?![\w/]))/);
  return html`${pieces.map((piece) => {
    if (piece.startsWith("`")) return html`<code>${piece.slice(1, -1)}</code>`;
    return piece.startsWith("/docs") ? html`<a href="${piece}">${piece}</a>` : html`${piece}`;
  })}`;
}

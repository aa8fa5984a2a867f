import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { Operation } from "../../operation/operation.ts";
import type { OpenApiDocument } from "../openapi/document.ts";
import { answer, type Content, content, type PageDependencies } from "./content.ts";
import { errors } from "./errors.ts";
import { home } from "./home.ts";
import type { Html } from "./html.ts";
import { layout, type PagePath } from "./layout.ts";
import { browserDocument, reference, scalarScript } from "./reference.ts";
import { sandboxPage } from "./sandbox.ts";

export interface Pages {
  operations: readonly Operation<never>[];
  document: OpenApiDocument;
  version: string;
  /** Where the samples send their requests: scheme and host. */
  origin: string;
}

const htmlType = "text/html; charset=utf-8";
const jsonType = "application/json; charset=utf-8";
const closed = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const pageHeaders = { "Content-Security-Policy": `${closed}; style-src 'self'; img-src 'self'` };
/** The reference writes style elements and attributes as it goes, some of them without a nonce. */
const referenceHeaders = {
  "Content-Security-Policy": `${closed}; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'`,
};

/** The pages for people, the document for tools, and the files that both need. */
export function registerPages(
  app: FastifyInstance,
  { operations, document, version, origin }: Pages,
  deps: PageDependencies,
): void {
  const serve = (path: string, what: Content) =>
    app.get(path, { exposeHeadRoute: true }, (request, reply) => answer(request, reply, what, deps));
  const page = (path: PagePath, title: string, main: Html, headers = pageHeaders) =>
    serve(path, content(htmlType, layout({ path, title, version, main }), headers));

  page("/", "Duba", home(operations, origin));
  page("/docs", "Reference", reference(), referenceHeaders);
  page("/docs/errors", "Failures", errors());
  page("/docs/sandbox", "Sandbox", sandboxPage());
  serve("/openapi.json", content(jsonType, `${JSON.stringify(document, null, 2)}\n`));
  serve("/docs/reference.json", content(jsonType, JSON.stringify(browserDocument(document))));
  for (const name of ["frame.css", "content.css"])
    serve(`/docs/${name}`, content("text/css; charset=utf-8", file(name)));
  serve("/docs/icon.svg", content("image/svg+xml", file("icon.svg")));

  let script: Promise<Content> | undefined;
  app.get("/docs/scalar.js", { exposeHeadRoute: true }, async (request, reply) => {
    script ??= scalarScript().then((body) => content("text/javascript; charset=utf-8", body));
    return answer(request, reply, await script, deps);
  });
}

function file(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8");
}

import type { FastifyInstance } from "fastify";
import { answer, type Content, type PageDependencies } from "./content.ts";
import { downloads, guides } from "./guides.ts";
import type { Site } from "./site.ts";

/** The pages for people, the document for tools, and the files that both need. */
const paths: readonly string[] = [
  "/",
  "/docs",
  "/docs/errors",
  ...Object.keys(guides),
  ...Object.keys(downloads),
  "/openapi.json",
  "/postman.json",
  "/llms.txt",
  "/favicon.ico",
  "/docs/reference.json",
  "/docs/scalar.js",
  "/docs/copy.js",
  "/docs/frame.css",
  "/docs/content.css",
  "/docs/reference.css",
  "/docs/icon.svg",
];

/** Registers the pages. Each is made on its first request, so that a start need not load them. */
export function registerPages(app: FastifyInstance, site: Site, deps: PageDependencies): void {
  for (const path of paths) {
    let content: Promise<Content> | undefined;
    app.get(path, { exposeHeadRoute: true }, async (request, reply) => {
      content ??= import("./site.ts").then(({ contents }) => contents[path]!(site));
      return answer(request, reply, await content, deps);
    });
  }
}

import type { Operation } from "../../declare/operation.ts";
import type { HttpDependencies } from "../dependencies.ts";
import { rateLimitHeaders, refuseExceeded } from "../rate-limit.ts";
import type { ApiServer } from "../server.ts";
import { type Content, contentResponse } from "../shell/content.ts";
import { pairsOf } from "../shell/http-response.ts";
import { downloads, guides } from "./guides.ts";

/** What the pages are built from. */
export interface Site {
  operations: readonly Operation<never>[];
  version: string;
  /** Where the samples send their requests: scheme and host. */
  origin: string;
  /** The setting's value; empty if not configured. */
  publicUrl: string;
  pathPrefixes: readonly string[];
}

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
  "/docs/reference.js",
  "/docs/copy.js",
  "/docs/base.css",
  "/docs/docs.css",
  "/docs/reference.css",
  "/docs/icon.svg",
];

/**
 * Registers the pages. Each page is made on its first request, so that a start need not load the pages. The pages share
 * the rate limit of anonymous callers, and a 304 does not count.
 */
export function registerPages(
  app: ApiServer,
  site: Site,
  { addressOf, rateLimiters }: Pick<HttpDependencies, "addressOf" | "rateLimiters">,
): void {
  for (const path of paths) {
    let content: Promise<Content> | undefined;
    app.get(path, async (request) => {
      content ??= import("../../../pages/site.ts").then(({ contents }) => contents[path]!(site));
      const address = addressOf(request);
      const made = await content;
      const counted = rateLimiters?.anonymous.consume(address);
      if (counted) refuseExceeded(counted);
      const reply = await contentResponse(request, made);
      const rateLimit = reply.status === 304 ? rateLimiters?.anonymous.refund(address) : counted;
      const headers = { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", ...reply.headers };
      return { ...reply, headers: { ...headers, ...(rateLimit && pairsOf(rateLimitHeaders(rateLimit))) } };
    });
  }
}

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ContentEncoding } from "../../operation/answers/ready-answer.ts";
import { matchesTag } from "../conditional.ts";
import type { HttpDependencies } from "../dependencies.ts";
import { rateLimitHeaders, refuseExceeded } from "../rate-limit.ts";
import { acceptedEncoding } from "../request/content-encoding.ts";

/** Content that stays the same while the process lives. An encoded form is made on first use. */
export interface Content {
  type: string;
  etag: string;
  /** Further headers of the answer. */
  headers: Record<string, string>;
  form(encoding: ContentEncoding): Promise<Buffer>;
}

export function content(type: string, body: string | Buffer, headers: Record<string, string> = {}): Content {
  const plain = Buffer.from(body);
  const forms = new Map<ContentEncoding, Promise<Buffer>>([["identity", Promise.resolve(plain)]]);
  return {
    type,
    headers,
    etag: `W/"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
    form: (encoding) => {
      const form = forms.get(encoding) ?? encoded(encoding, plain);
      forms.set(encoding, form);
      return form;
    },
  };
}

function encoded(encoding: ContentEncoding, plain: Buffer): Promise<Buffer> {
  return encoding === "br"
    ? promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
    : promisify(gzip)(plain);
}

/** Pages share the rate limit of anonymous callers. */
export type PageDependencies = Pick<HttpDependencies, "addressOf" | "rateLimiters">;

/** Answers with the content, or with 304 to a browser that has it already. Throws `rate_limited`. */
export async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
  { addressOf, rateLimiters }: PageDependencies,
): Promise<FastifyReply> {
  const address = addressOf(request.raw);
  const rateLimit = rateLimiters?.anonymous.consume(address);
  if (rateLimit) refuseExceeded(rateLimit);
  const tags = request.headers["if-none-match"];
  const isUnmodified = tags !== undefined && matchesTag(tags, content.etag);
  const encoding = acceptedEncoding(request.headers["accept-encoding"]);
  reply.headers({
    "Content-Type": content.type,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    ETag: content.etag,
    "Cache-Control": "no-cache",
    Vary: "Accept-Encoding",
    "X-Request-Id": request.id,
    ...content.headers,
    ...pairsOf(rateLimitHeaders(isUnmodified ? rateLimiters?.anonymous.refund(address) : rateLimit)),
  });
  if (isUnmodified) return reply.code(304).send();
  if (encoding !== "identity") reply.header("Content-Encoding", encoding);
  return reply.send(await content.form(encoding));
}

/** Headers by name, of a flat list of pairs. */
export function pairsOf(flat: readonly string[]): Record<string, string> {
  return Object.fromEntries(Array.from({ length: flat.length / 2 }, (_, at) => [flat[at * 2], flat[at * 2 + 1]]));
}

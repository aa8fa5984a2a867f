import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Coding } from "../../operation/ready-answer.ts";
import { codingOf } from "../content-encoding.ts";
import { pairsOf } from "../header-pairs.ts";
import type { Gate } from "../pipeline.ts";
import { quotaHeaders, refuseExceeded } from "../rate-limit.ts";

/** Content that stays the same while the process lives. A coded form is made when it is first asked for. */
export interface Content {
  type: string;
  etag: string;
  /** Further headers of the answer. */
  headers: Record<string, string>;
  form(coding: Coding): Promise<Buffer>;
}

export function content(type: string, body: string | Buffer, headers: Record<string, string> = {}): Content {
  const plain = Buffer.from(body);
  const forms = new Map<Coding, Promise<Buffer>>([["identity", Promise.resolve(plain)]]);
  return {
    type,
    headers,
    etag: `W/"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
    form: (coding) => {
      const form = forms.get(coding) ?? coded(coding, plain);
      forms.set(coding, form);
      return form;
    },
  };
}

function coded(coding: Coding, plain: Buffer): Promise<Buffer> {
  return coding === "br"
    ? promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
    : promisify(gzip)(plain);
}

/** The part of the gate that pages pass through: they share the limit of anonymous callers. */
export type PageGate = Pick<Gate, "addressOf" | "buckets">;

/** Answers with the content, or with 304 to a browser that still holds it. Throws `rate_limited`. */
export async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
  { addressOf, buckets }: PageGate,
): Promise<FastifyReply> {
  const address = addressOf(request.raw);
  const quota = buckets?.anonymous.take(address);
  if (quota) refuseExceeded(quota);
  const isHeld = holds(request.headers["if-none-match"], content.etag);
  const coding = codingOf(request.headers["accept-encoding"]);
  reply.headers({
    "Content-Type": content.type,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    ETag: content.etag,
    "Cache-Control": "no-cache",
    Vary: "Accept-Encoding",
    "X-Request-Id": request.id,
    ...content.headers,
    ...pairsOf(quotaHeaders(isHeld ? buckets?.anonymous.giveBack(address) : quota)),
  });
  if (isHeld) return reply.code(304).send();
  if (coding !== "identity") reply.header("Content-Encoding", coding);
  return reply.send(await content.form(coding));
}

function holds(header: string | undefined, etag: string): boolean {
  return header !== undefined && (header.trim() === "*" || header.includes(etag.slice(2)));
}

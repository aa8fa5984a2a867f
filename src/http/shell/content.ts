import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { ContentEncoding } from "../../declare/answers/ready-response.ts";
import { matchesTag } from "../conditional.ts";
import { acceptedEncoding } from "../request/content-encoding.ts";
import type { HttpResponse } from "./http-response.ts";

/** Content that stays the same while the process lives. An encoded form is made on first use. */
export interface Content {
  type: string;
  etag: string;
  /** Further headers of the response. */
  headers: Record<string, string>;
  form(encoding: ContentEncoding): Promise<Buffer>;
}

export function content(type: string, body: string | Buffer, headers: Record<string, string> = {}): Content {
  const plain = Buffer.from(body);
  const forms = new Map<ContentEncoding, Promise<Buffer>>();
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

/**
 * Answers with the content in a coding that the caller accepts, or with 304 to a browser that has the content already.
 */
export async function contentResponse({ headers }: IncomingMessage, content: Content): Promise<HttpResponse> {
  const tags = headers["if-none-match"];
  const common = { "Content-Type": content.type, ETag: content.etag, "Cache-Control": "no-cache", ...content.headers };
  if (tags !== undefined && matchesTag(tags, content.etag))
    return { status: 304, headers: { ...common, Vary: "Accept-Encoding" }, body: "" };
  const encoding = acceptedEncoding(headers["accept-encoding"]);
  return { status: 200, headers: { ...common, ...codingHeaders(encoding) }, body: await content.form(encoding) };
}

/** The headers of a body in this coding, which the caller chose. */
export function codingHeaders(encoding: ContentEncoding): Record<string, string> {
  return { ...(encoding !== "identity" && { "Content-Encoding": encoding }), Vary: "Accept-Encoding" };
}

export async function encoded(encoding: ContentEncoding, plain: Buffer): Promise<Buffer> {
  if (encoding === "identity") return plain;
  return encoding === "br"
    ? promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
    : promisify(gzip)(plain);
}

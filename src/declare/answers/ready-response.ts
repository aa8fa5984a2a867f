/** Content encodings of a body. */
export type ContentEncoding = "identity" | "gzip" | "br";

/**
 * Largest body that we send as text, in bytes. Above this, text saves no CPU time, and Node copies the body for every
 * response.
 */
const LARGEST_TEXT = 2 * 1024;

/** Body bytes, and headers as a flat `[name, value, name, value, …]` list. Both are sent unchanged. */
export class ReadyForm {
  readonly body: Buffer;
  readonly headers: readonly string[];
  #lines: string | undefined;
  #text: string | undefined;

  constructor(body: Buffer, headers: readonly string[]) {
    this.body = body;
    this.headers = headers;
  }

  /** The headers as lines of HTTP/1.1. */
  get lines(): string {
    this.#lines ??= headerLines(this.headers);
    return this.#lines;
  }

  /** The body in the form that Node sends fastest: a small body as text, with one Latin-1 character for each byte. */
  get sendable(): string | Buffer {
    if (this.body.length > LARGEST_TEXT) return this.body;
    this.#text ??= this.body.toString("latin1");
    return this.#text;
  }
}

/** Formats a flat list of header pairs as lines. The values must be checked already: they have no line breaks. */
export function headerLines(headers: readonly string[]): string {
  let lines = "";
  for (let at = 0; at < headers.length; at += 2) lines += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return lines;
}

/** An answer whose bytes exist before the request arrives. */
export interface ReadyResponse {
  /** Weak validator (RFC 9110) of the content. It does not depend on keys or the time of the request. */
  readonly etag: string;
  /** When the content last changed, rounded to seconds as in `Last-Modified`; milliseconds since 1970. */
  readonly modifiedAt: number;
  /**
   * Returns the response for one encoding. `shared`: the API client is anonymous, so shared caches may store the
   * response. Returns a promise only while the body is being written or compressed.
   */
  form(encoding: ContentEncoding, shared: boolean): ReadyForm | Promise<ReadyForm>;
}

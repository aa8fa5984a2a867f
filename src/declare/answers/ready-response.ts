/** Content encodings of a body. */
export type ContentEncoding = "identity" | "gzip" | "br";

/** As text, a larger body costs no less CPU time, and Node joins it with the headers anew each time: garbage. */
const LARGEST_TEXT = 2 * 1024;

/** Body bytes and their headers, as a flat `[name, value, name, value, …]` list that goes to the socket unchanged. */
export class ReadyForm {
  readonly body: Buffer;
  readonly headers: readonly string[];
  #lines: string | undefined;
  #text: string | undefined;

  constructor(body: Buffer, headers: readonly string[]) {
    this.body = body;
    this.headers = headers;
  }

  /** The headers as they stand in a response. */
  get lines(): string {
    this.#lines ??= headerLines(this.headers);
    return this.#lines;
  }

  /** The body in the form that Node sends fastest: a small one as text, one Latin-1 character for each byte. */
  get sendable(): string | Buffer {
    if (this.body.length > LARGEST_TEXT) return this.body;
    this.#text ??= this.body.toString("latin1");
    return this.#text;
  }
}

/** A flat list of header pairs as lines. The values must be fit for a header. */
export function headerLines(headers: readonly string[]): string {
  let lines = "";
  for (let at = 0; at < headers.length; at += 2) lines += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return lines;
}

/** An answer whose bytes exist before the request arrives. */
export interface ReadyResponse {
  /** Weak validator of the content: survives key rotation and the passing of time. */
  readonly etag: string;
  /** When the content last changed, rounded to seconds as in `Last-Modified`; milliseconds since 1970. */
  readonly modifiedAt: number;
  /**
   * The form for one encoding and kind of caller (`shared`: anonymous, so that shared caches may keep it). A promise
   * only on the first request for a compressed form.
   */
  form(encoding: ContentEncoding, shared: boolean): ReadyForm | Promise<ReadyForm>;
}

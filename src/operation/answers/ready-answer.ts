/** Content encodings of a body. */
export type ContentEncoding = "identity" | "gzip" | "br";

/** Body bytes and their headers, as a flat `[name, value, name, value, …]` list that goes to the socket unchanged. */
export interface ReadyForm {
  readonly body: Buffer;
  readonly headers: readonly string[];
}

/** An answer whose bytes exist before the request arrives. */
export interface ReadyAnswer {
  /** Weak validator of the content: survives key rotation and the passing of time. */
  readonly etag: string;
  /** When the content last changed, rounded to seconds as in `Last-Modified`; milliseconds since 1970. */
  readonly modifiedAt: number;
  /**
   * The form for one encoding and kind of caller (`shared`: anonymous, so that shared caches may keep it). A promise only
   * on the first request for a compressed form.
   */
  form(encoding: ContentEncoding, shared: boolean): ReadyForm | Promise<ReadyForm>;
}

/** How a body is coded on the wire. */
export type Coding = "identity" | "gzip" | "br";

/** Body bytes and their headers, as a flat `[name, value, name, value, …]` list that is handed to the socket as it is. */
export interface ReadyForm {
  readonly body: Buffer;
  readonly headers: readonly string[];
}

/** An answer that was written before anybody asked for it. */
export interface ReadyAnswer {
  /** Weak validator of the content: survives key rotation and the passing of time. */
  readonly etag: string;
  /** When the content changed last, to the second as in `Last-Modified`; milliseconds since 1970. */
  readonly modifiedAt: number;
  /**
   * The form for one coding and kind of caller (`shared`: anonymous, so that shared caches may keep it). A promise only
   * when a compressed form is asked for the first time.
   */
  form(coding: Coding, shared: boolean): ReadyForm | Promise<ReadyForm>;
}

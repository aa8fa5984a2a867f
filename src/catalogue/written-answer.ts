import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Coding, ReadyAnswer, ReadyForm } from "../contract/ready.ts";

/** Bodies in between are worth compressing, in bytes. */
const SMALLEST_COMPRESSED = 256;
const LARGEST_COMPRESSED = 256 * 1024;

const freshness = "max-age=60, stale-if-error=600";

/** What the headers of an answer say about it. */
export interface Description {
  readonly etag: string;
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
  /** Open to anonymous callers: what they get may be kept by shared caches. */
  readonly open: boolean;
}

type Compressed = Exclude<Coding, "identity">;
type Forms = { [coding in Coding]?: ReadyForm | Promise<ReadyForm> };

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

const compress: Record<Compressed, (body: Buffer) => Promise<Buffer>> = {
  gzip: (body) => gzipped(body),
  br: (body) =>
    brotlied(body, {
      params: {
        // Level 11, the default, takes fifty times as long for a tenth less.
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
};

/** A weak validator of a list's content. */
export function etagOf(content: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of content) hash.update(part);
  return `W/"${hash.digest("base64url")}"`;
}

/** A body and its forms, each made on first use and then kept. */
export class WrittenAnswer implements ReadyAnswer {
  readonly etag: string;
  readonly #body: Buffer;
  readonly #description: Description;
  readonly #private: Forms = {};
  readonly #public: Forms = {};
  readonly #compressed: { [coding in Compressed]?: Promise<Buffer> } = {};

  constructor(body: Buffer, description: Description) {
    this.etag = description.etag;
    this.#body = body;
    this.#description = description;
  }

  form(coding: Coding, shared: boolean): ReadyForm | Promise<ReadyForm> {
    const forms = shared && this.#description.open ? this.#public : this.#private;
    return forms[coding] ?? this.#make(coding, forms);
  }

  #make(coding: Coding, forms: Forms): ReadyForm | Promise<ReadyForm> {
    const keep = (body: Buffer, as: Coding): ReadyForm => {
      const form = this.#formOf(body, as, forms);
      forms[coding] = form;
      return form;
    };
    const { length } = this.#body;
    if (coding === "identity" || length < SMALLEST_COMPRESSED || length > LARGEST_COMPRESSED)
      return keep(this.#body, "identity");
    this.#compressed[coding] ??= compress[coding](this.#body);
    const pending = this.#compressed[coding].then(
      (body) => keep(body, coding),
      // Out of memory, say: an answer that is not compressed is better than none.
      () => keep(this.#body, "identity"),
    );
    forms[coding] = pending;
    return pending;
  }

  #formOf(body: Buffer, coding: Coding, forms: Forms): ReadyForm {
    const { etag, revision, publishedAt, open } = this.#description;
    const headers = ["Content-Type", "application/json; charset=utf-8", "Content-Length", String(body.length)];
    if (coding !== "identity") headers.push("Content-Encoding", coding);
    headers.push("ETag", etag, "Last-Modified", new Date(publishedAt).toUTCString());
    headers.push("Cache-Control", `${forms === this.#public ? "public" : "private"}, ${freshness}`);
    headers.push("Vary", open ? "Authorization, Accept-Encoding" : "Accept-Encoding");
    headers.push("Duba-Catalogue-Revision", String(revision), "X-Content-Type-Options", "nosniff");
    return { body, headers };
  }
}

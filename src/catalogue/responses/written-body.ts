import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Coding } from "../../operation/ready-answer.ts";

/** Bodies in between are worth compressing, in bytes. */
const SMALLEST_COMPRESSED = 256;
const LARGEST_COMPRESSED = 256 * 1024;

type Compressed = Exclude<Coding, "identity">;

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

/** What an answer's body is taken from. It outlives revisions: a list that does not change is not written again. */
export interface BodySource {
  readonly etag: string;
  /** Of the body that is not compressed, in bytes. */
  readonly size: number;
  /** The present body, for as long as it may be sent. */
  body(): WrittenBody;
  /** False if it took too long to make something of the body. */
  isSendable(body: WrittenBody): boolean;
}

/** The bytes of a body, and its compressed forms: each made on first use, off the main thread, and then kept. */
export class WrittenBody implements BodySource {
  readonly etag: string;
  readonly bytes: Buffer;
  readonly #compressed: { [coding in Compressed]?: Promise<Buffer> } = {};

  constructor(bytes: Buffer, etag: string = etagOf([bytes])) {
    this.bytes = bytes;
    this.etag = etag;
  }

  get size(): number {
    return this.bytes.length;
  }

  body(): WrittenBody {
    return this;
  }

  isSendable(): boolean {
    return true;
  }

  /** Undefined for a body that is sent as it is in every coding. */
  compressed(coding: Compressed): Promise<Buffer> | undefined {
    const { length } = this.bytes;
    if (length < SMALLEST_COMPRESSED || length > LARGEST_COMPRESSED) return undefined;
    this.#compressed[coding] ??= compress[coding](this.bytes);
    return this.#compressed[coding];
  }
}

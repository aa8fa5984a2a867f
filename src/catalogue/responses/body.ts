import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { ContentEncoding } from "../../operation/answers/ready-answer.ts";

/** Sizes of compressed bodies, in bytes. */
const SMALLEST_COMPRESSED = 256;
const LARGEST_COMPRESSED = 256 * 1024;

/** A sent date is at most 60 seconds old; the last second is for the way to the socket. */
const REWRITTEN_AFTER = 59_000;
const UNSENDABLE_AFTER = 60_000;
const DATE_LENGTH = 24;

type Compressed = Exclude<ContentEncoding, "identity">;

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

/** A weak ETag. */
export function etagOf(content: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of content) hash.update(part);
  return `W/"${hash.digest("base64url")}"`;
}

/** The bytes of a body. Compressed forms are made on first use, off the main thread. */
export class Edition {
  readonly bytes: Buffer;
  /** When it was written, in milliseconds since 1970; 0 without a date in it. */
  readonly date: number;
  readonly #compressed: { [encoding in Compressed]?: Promise<Buffer> } = {};

  constructor(bytes: Buffer, date: number) {
    this.bytes = bytes;
    this.date = date;
  }

  /** Undefined if the size does not allow compression. */
  compressed(encoding: Compressed): Promise<Buffer> | undefined {
    const { length } = this.bytes;
    if (length < SMALLEST_COMPRESSED || length > LARGEST_COMPRESSED) return undefined;
    this.#compressed[encoding] ??= compress[encoding](this.bytes);
    return this.#compressed[encoding];
  }
}

/** The date in a body. */
interface Dated {
  /** The bytes after the date. */
  readonly after: Buffer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The body of a response. Writes a body with a date again before the date is too old. */
export class Body {
  readonly etag: string;
  /** Uncompressed, in bytes. */
  readonly size: number;
  readonly #before: readonly Buffer[];
  readonly #dated: Dated | undefined;
  #edition: Edition | undefined;

  constructor(before: readonly Buffer[], etag: string = etagOf(before), dated?: Dated) {
    this.etag = etag;
    this.#before = before;
    this.#dated = dated;
    const rest = dated ? DATE_LENGTH + dated.after.length : 0;
    this.size = before.reduce((size, part) => size + part.length, rest);
    if (!dated) this.#edition = new Edition(before.length === 1 ? before[0]! : Buffer.concat(before), 0);
  }

  edition(): Edition {
    if (this.#dated === undefined) return this.#edition!;
    const now = this.#dated.now();
    const age = this.#edition === undefined ? Number.NaN : now - this.#edition.date;
    // Also if the clock was set back: the date must not be in the future.
    if (!(age >= 0 && age < REWRITTEN_AFTER)) {
      const parts = [...this.#before, Buffer.from(new Date(now).toISOString()), this.#dated.after];
      this.#edition = new Edition(Buffer.concat(parts), now);
    }
    return this.#edition!;
  }

  /** False if the edition became too old during its compression. */
  isSendable(edition: Edition): boolean {
    if (this.#dated === undefined) return true;
    return edition === this.#edition && this.#dated.now() - edition.date <= UNSENDABLE_AFTER;
  }
}

/** A body that is still being written. */
export interface LaterBody {
  readonly etag: string;
  /** Approximate, in bytes. */
  readonly size: number;
  readonly body: Promise<Body>;
}

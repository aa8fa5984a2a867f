import { type Compressed, CompressedStart } from "./compressed-start.ts";
import { etagOf } from "./etag.ts";

/** Sizes of compressed bodies, in bytes. */
const SMALLEST_COMPRESSED = 256;
const LARGEST_COMPRESSED = 4 * 1024 * 1024;

/** Milliseconds. A sent date is at most 60 seconds old, of which one second is for the way to the socket. */
const REWRITTEN_AFTER = 59_000;
const UNSENDABLE_AFTER = 60_000;
const DATE_LENGTH = 24;

/** The bytes of a body. */
export class Edition {
  readonly bytes: Buffer;
  /** The date in the bytes: when they were written, in milliseconds since 1970. 0 for a body without a date. */
  readonly date: number;
  readonly #start: CompressedStart;
  readonly #compressed: { [encoding in Compressed]?: Buffer | Promise<Buffer> | undefined } = {};

  constructor(bytes: Buffer, date: number, start: CompressedStart) {
    this.bytes = bytes;
    this.date = date;
    this.#start = start;
  }

  get isCompressible(): boolean {
    return this.bytes.length >= SMALLEST_COMPRESSED && this.bytes.length <= LARGEST_COMPRESSED;
  }

  /** The compressed bytes; undefined until a large body is compressed. */
  compressed(encoding: Compressed): Buffer | Promise<Buffer> | undefined {
    this.#compressed[encoding] ??= this.#start.of(encoding, this.bytes);
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

/** The body of a response. A body with a date is rewritten before the date is too old. */
export class Body {
  readonly etag: string;
  /** Uncompressed, in bytes. */
  readonly size: number;
  readonly #before: readonly Buffer[];
  readonly #dated: Dated | undefined;
  /** Everything before the date. */
  readonly #start: CompressedStart;
  #edition: Edition | undefined;

  constructor(before: readonly Buffer[], etag: string = etagOf(before), dated?: Dated) {
    this.etag = etag;
    this.#before = before;
    this.#dated = dated;
    const length = before.reduce((size, part) => size + part.length, 0);
    this.size = length + (dated ? DATE_LENGTH + dated.after.length : 0);
    this.#start = new CompressedStart(length);
    if (!dated) this.#edition = new Edition(before.length === 1 ? before[0]! : Buffer.concat(before), 0, this.#start);
  }

  edition(): Edition {
    if (this.#dated === undefined) return this.#edition!;
    const now = this.#dated.now();
    const age = this.#edition === undefined ? Number.NaN : now - this.#edition.date;
    // Also true if the clock was set back, because the date must not be in the future.
    if (!(age >= 0 && age < REWRITTEN_AFTER)) {
      const parts = [...this.#before, Buffer.from(new Date(now).toISOString()), this.#dated.after];
      this.#edition = new Edition(Buffer.concat(parts), now, this.#start);
    }
    return this.#edition!;
  }

  /** False if the edition was replaced or became too old while it was compressed. */
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

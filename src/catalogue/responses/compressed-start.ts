import { promisify } from "node:util";
import { brotliCompress, constants, crc32, gzip } from "node:zlib";
import type { ContentEncoding } from "../../declare/answers/ready-response.ts";

export type Compressed = Exclude<ContentEncoding, "identity">;

/**
 * Bytes. Larger bodies are sent uncompressed until they are compressed, one at a time, because each compression takes a
 * thread of the pool.
 */
const LARGEST_AWAITED = 256 * 1024;

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** Both results end on a byte boundary, without the end of the stream. */
const compress: Record<Compressed, (start: Buffer) => Promise<Buffer>> = {
  gzip: (start) => gzipped(start, { finishFlush: constants.Z_SYNC_FLUSH }),
  br: (start) =>
    brotlied(start, {
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
      params: {
        // Level 11, the default, takes fifty times as long and saves a tenth.
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: start.length,
      },
    }),
};

let isLargeUnderWay = false;

/**
 * The start of a body, which all its editions share. It is compressed once, on first use, off the main thread. The
 * rest, at most 64 KiB, is appended to the stream uncompressed.
 */
export class CompressedStart {
  readonly #length: number;
  readonly #made: { [encoding in Compressed]?: Buffer | Promise<Buffer> | undefined } = {};
  #checksum: number | undefined;

  constructor(length: number) {
    this.#length = length;
  }

  /**
   * The body in this encoding; undefined if it is too large to wait for and not compressed yet. The promise rejects if
   * memory runs out.
   */
  of(encoding: Compressed, body: Buffer): Buffer | Promise<Buffer> | undefined {
    const start = body.subarray(0, this.#length);
    const isLarge = body.length > LARGEST_AWAITED;
    if (this.#made[encoding] === undefined && !(isLarge && isLargeUnderWay)) this.#make(encoding, start, isLarge);
    const made = this.#made[encoding];
    if (made === undefined || Buffer.isBuffer(made)) return made && this.#whole(encoding, made, body);
    return isLarge ? undefined : made.then((bytes) => this.#whole(encoding, bytes, body));
  }

  #make(encoding: Compressed, start: Buffer, isLarge: boolean): void {
    const making = compress[encoding](start);
    this.#made[encoding] = making;
    if (isLarge) isLargeUnderWay = true;
    const keep = (bytes: Buffer | undefined) => {
      this.#made[encoding] = bytes;
      if (isLarge) isLargeUnderWay = false;
    };
    making.then(keep, () => keep(undefined));
  }

  /** The compressed start, then the rest of the body in one uncompressed block, then the end of the stream. */
  #whole(encoding: Compressed, start: Buffer, body: Buffer): Buffer {
    const rest = body.subarray(this.#length);
    if (encoding === "br") return Buffer.concat([start, ...brotliEnd(rest)]);
    this.#checksum ??= crc32(body.subarray(0, this.#length));
    return Buffer.concat([start, ...gzipEnd(rest, crc32(rest, this.#checksum), body.length)]);
  }
}

/** A stored last block (RFC 1951, section 3.2.4), and the trailer (RFC 1952, section 2.3.1). */
function gzipEnd(rest: Buffer, checksum: number, length: number): Buffer[] {
  const block = Buffer.from([1, 0, 0, 0, 0]);
  block.writeUInt16LE(rest.length, 1);
  block.writeUInt16LE(0xffff - rest.length, 3);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(length, 4);
  return [block, rest, trailer];
}

/** An uncompressed meta-block, and an empty last one (RFC 7932, section 9.2). */
function brotliEnd(rest: Buffer): Buffer[] {
  const last = Buffer.from([3]);
  if (rest.length === 0) return [last];
  const header = Buffer.alloc(3);
  header.writeUIntLE((1 << 19) | ((rest.length - 1) << 3), 0, 3);
  return [header, rest, last];
}

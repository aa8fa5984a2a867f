const quote = 0x22;
const backslash = 0x5c;
/** Longer texts are photos and signatures. In bytes. */
export const longest = 16 * 1024;
/** The longest escape, such as `\\u002f`, in bytes. */
const longestEscape = 6;

/** What stands in base64 or a data URL. Escapes may stand between. */
const inBase64 = new Uint8Array(256);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-:;,")
  inBase64[character.charCodeAt(0)] = 1;

/**
 * Cuts long base64 texts out of JSON while it is read, so that a response with photos takes little memory: the first 16
 * KiB of such a text stay. What remains is JSON, since only whole characters within a text are left out.
 */
export class LongTextDropper {
  #isInText = false;
  #isEscaped = false;
  #isBase64 = false;
  #isDropping = false;
  #length = 0;
  #sinceEscape = 0;

  /** What to keep of the next bytes. */
  keep(chunk: Buffer): Buffer[] {
    const kept: Buffer[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      if (!this.#isInText) {
        if (byte === quote) this.#begin();
        continue;
      }
      if (byte === quote && !this.#isEscaped) {
        this.#isInText = false;
        if (this.#isDropping) from = at;
        this.#isDropping = false;
        continue;
      }
      if (this.#isDropping) this.#isEscaped = byte === backslash && !this.#isEscaped;
      else if (this.#isLong(byte)) {
        kept.push(chunk.subarray(from, at + 1));
        this.#isDropping = true;
      }
    }
    if (!this.#isDropping) kept.push(chunk.subarray(from));
    return kept;
  }

  #begin(): void {
    this.#isInText = true;
    this.#isEscaped = false;
    this.#isBase64 = true;
    this.#length = 0;
    this.#sinceEscape = 0;
  }

  /** Whether the text is long enough with this byte, and may be cut behind it. */
  #isLong(byte: number): boolean {
    this.#length += 1;
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) {
      this.#isEscaped = true;
      this.#sinceEscape = 0;
    } else if (inBase64[byte] === 0) this.#isBase64 = false;
    this.#sinceEscape += 1;
    return this.#isBase64 && this.#length >= longest && this.#sinceEscape > longestEscape;
  }
}

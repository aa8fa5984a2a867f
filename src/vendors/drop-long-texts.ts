const quote = 0x22;
const backslash = 0x5c;
/** Base64 longer than this is a photo or a signature. In bytes. */
export const longest = 16 * 1024;
/** The longest escape, such as `\u002f`, in bytes. */
const longestEscape = 6;

/** Bytes that occur in base64 and data URLs. Escapes may stand between them. */
const inBase64 = new Uint8Array(256);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-:;,")
  inBase64[character.charCodeAt(0)] = 1;

/**
 * Removes long base64 texts from JSON while it arrives, so that a response with photos needs little memory. Keeps the
 * first 16 KiB of such a text. Cuts only whole characters inside a string, so the rest is valid JSON.
 */
export class LongTextDropper {
  #isInText = false;
  #isEscaped = false;
  #isBase64 = false;
  #isDropping = false;
  #length = 0;
  #sinceEscape = 0;

  /** Returns the parts of the chunk to keep. */
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

  /** Whether the base64 text is too long at this byte, and may be cut after the byte: no escape is open. */
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

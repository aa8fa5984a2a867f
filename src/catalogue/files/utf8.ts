import { isUtf8 } from "node:buffer";

/** The text without a byte order mark; otherwise the number of the first line that is not UTF-8, from 1. */
export function readUtf8(bytes: Uint8Array): string | { readonly badLine: number } {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  // Decodes one byte to one character. A TextDecoder would treat "latin1" as Windows-1252, which changes some bytes.
  const lines = Buffer.from(bytes).toString("latin1").split(lineBreak);
  return { badLine: lines.findIndex((line) => !isUtf8(Buffer.from(line, "latin1"))) + 1 };
}

/** The line ends of all systems. */
export const lineBreak = /\r\n|\n|\r/g;

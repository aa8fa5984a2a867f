import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import shipped from "./shipped-files.json" with { type: "json" };

/** The script of the API reference page. It comes from a package that is not among our dependencies. */
export const scalarFile = "src/http/pages/files/scalar.js.br";

export function scriptHash(script: Buffer | string): string {
  return createHash("sha256").update(script).digest("hex");
}

/** Whether the script is unchanged since its package's release. */
export function isAsReleased(): boolean {
  return scriptHash(brotliDecompressSync(readFileSync(scalarFile))) === shipped.scalar.sha256;
}

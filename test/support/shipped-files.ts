import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import shipped from "./shipped-files.json" with { type: "json" };

/** The script of the reference page, which ships although no installed package has it. */
export const scalarFile = "src/http/pages/files/scalar.js.br";

export function scriptHash(script: Buffer | string): string {
  return createHash("sha256").update(script).digest("hex");
}

/** Files that ship and were made from a package, and are not what was made. */
export function changedFiles(): string[] {
  const packed = Object.entries(shipped.packed).filter(([file, hash]) => scriptHash(readFileSync(file)) !== hash);
  const scalar = scriptHash(brotliDecompressSync(readFileSync(scalarFile)));
  return [...packed.map(([file]) => file), ...(scalar === shipped.scalar.sha256 ? [] : [scalarFile])];
}

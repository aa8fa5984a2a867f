import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import shipped from "./support/shipped-files.json" with { type: "json" };
import { scalarFile, scriptHash } from "./support/shipped-files.ts";

/**
 * `npm run update:scalar -- 1.72.1`: takes the script of the reference page out of that version of Scalar's package.
 * The file costs an install one megabyte; the package would bring two dozen dependencies. Without a version, compares
 * the file with the package from which it was made.
 */
const version = process.argv[2] ?? shipped.scalar.version;
const folder = mkdtempSync(join(tmpdir(), "duba-scalar-"));
try {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder, `@scalar/api-reference@${version}`]);
  const script = "package/dist/browser/standalone.js";
  execFileSync("tar", ["-xzf", join(folder, `scalar-api-reference-${version}.tgz`), "-C", folder, script]);
  const text = readFileSync(join(folder, script));
  if (process.argv[2] === undefined) {
    const isSame = scriptHash(text) === shipped.scalar.sha256;
    console.log(`${scalarFile} ${isSame ? "is" : "is NOT"} the script of @scalar/api-reference ${version}.`);
    process.exitCode = isSame ? 0 : 1;
  } else {
    writeFileSync(scalarFile, brotliCompressSync(text));
    const scalar = { version, sha256: scriptHash(text) };
    writeFileSync("test/support/shipped-files.json", `${JSON.stringify({ ...shipped, scalar }, null, 2)}\n`);
    console.log(`wrote ${scalarFile}; now run npm test -- reference`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

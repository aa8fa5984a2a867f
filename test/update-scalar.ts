import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";

/**
 * `npm run update:scalar -- 1.72.1`: takes the script of the reference page out of that version of Scalar's package. As a file it costs
 * an install one megabyte; as a dependency it brought two dozen packages.
 */
const version = process.argv[2];
if (!version) throw new Error("Name the version: npm run update:scalar -- 1.72.1");

const folder = mkdtempSync(join(tmpdir(), "duba-scalar-"));
try {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder, `@scalar/api-reference@${version}`]);
  const script = "package/dist/browser/standalone.js";
  execFileSync("tar", ["-xzf", join(folder, `scalar-api-reference-${version}.tgz`), "-C", folder, script]);
  const file = "src/http/pages/files/scalar.js.br";
  writeFileSync(file, brotliCompressSync(readFileSync(join(folder, script))));
  console.log(`wrote ${file}; now run npm test -- reference`);
} finally {
  rmSync(folder, { recursive: true });
}

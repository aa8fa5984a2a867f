import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { lookUps } from "./lookups.ts";

/** `npm run bench`: measures in one run and prints. Figures depend on the machine; ratios less so. */
console.log(`Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model ?? "unknown CPU"}`);
const dataDirectory = mkdtempSync(join(tmpdir(), "duba-bench-"));
try {
  await lookUps(dataDirectory);
} finally {
  rmSync(dataDirectory, { recursive: true, force: true });
  rmSync(`${dataDirectory}.keyring`, { force: true });
}

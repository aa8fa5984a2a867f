import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { servedFiles } from "../src/http/pages/guides.ts";

/**
 * `npm pack` runs this first: it writes `dist/`, because Node runs no TypeScript inside node_modules. A file lies there as in the
 * repository, so paths between files stay as they are.
 */
const kept = ["data/starter", ...globSync("packed/*.js"), "src/http/pages/files", "src/console/static", ...servedFiles];

await rm("dist", { recursive: true, force: true });
const { status } = spawnSync("node_modules/.bin/tsc", ["-p", "tsconfig.build.json"], { stdio: ["ignore", 2, 2] });
if (status === 0) for (const path of kept) await cp(path, `dist/${path}`, { recursive: true });
process.exitCode = status ?? 1;

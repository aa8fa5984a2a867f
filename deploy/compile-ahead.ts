import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

/**
 * `npm ci` runs this in a checkout. A start of the service on a temporary store fills the compile cache, so that an
 * operator's first start compiles nothing.
 */
const folder = mkdtempSync(join(tmpdir(), "duba-"));
const { PATH, NODE_COMPILE_CACHE } = process.env;
const service = spawn(process.execPath, [resolve(import.meta.dirname, "../bin/duba.js"), "serve"], {
  cwd: folder,
  env: { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), HOST: "127.0.0.1", PORT: "0" },
  stdio: ["ignore", "pipe", "ignore"],
  timeout: 30_000,
});
const ended = once(service, "exit");
for await (const line of createInterface(service.stdout)) if (line.includes("ready")) break;
service.kill("SIGTERM");
await ended;
rmSync(folder, { recursive: true });

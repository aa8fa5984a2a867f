import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** What the examples of `docs/clients/` need of this machine. */

/** Where Debian's php-guzzlehttp-guzzle and a project's Composer put Guzzle; undefined without it, or without PHP. */
export const guzzle = succeeds("php", "--version")
  ? [process.env.DUBA_TEST_GUZZLE, "/usr/share/php/GuzzleHttp/autoload.php"].find(
      (path) => path !== undefined && existsSync(path),
    )
  : undefined;

/** A Python that has httpx. */
export const python = ["python3", "/usr/bin/python3"].find((command) => succeeds(command, "-c", "import httpx"));

export function succeeds(command: string, ...words: string[]): boolean {
  return spawnSync(command, words, { stdio: "ignore" }).status === 0;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };

/** The commit from which the package was made. `npm run package` inserts the value. */
declare const packagedCommit: string | undefined;

export const { version } = manifest;

/** Returns the commit that runs, in hex: that of the package, or of the git checkout. Undefined if neither is known. */
export function runningCommit(): string | undefined {
  return typeof packagedCommit === "undefined" ? checkedOut(join(import.meta.dirname, "../../.git")) : packagedCommit;
}

function checkedOut(git: string): string | undefined {
  const read = (file: string): string => readFileSync(join(git, file), "utf8").trim();
  try {
    const head = read("HEAD");
    const [, ref] = /^ref: (.+)$/.exec(head) ?? [];
    if (ref === undefined) return head;
    const packed = () =>
      read("packed-refs")
        .split("\n")
        .find((line) => line.endsWith(` ${ref}`))
        ?.split(" ")[0];
    try {
      return read(ref);
    } catch {
      return packed();
    }
  } catch {
    return undefined;
  }
}
